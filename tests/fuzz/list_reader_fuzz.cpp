// A list is read the same however its bytes arrive, and as the parser of whole documents reads it.
#include <string>
#include <vector>

#include "agent/document/list_reader.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

struct Read {
  std::vector<std::string> items{};  ///< their names
  std::size_t too_long = 0;
  document::Parsed rest{};
};

Read read(std::string_view text, std::size_t piece) {
  Read out;
  document::ListReader reader(
      {.longest_item = 64},
      {.item = [&](const document::Value& item) { out.items.push_back(item.text("name")); },
       .too_long =
           [&](std::string_view begin) {
             promise(begin.size() == 64);
             ++out.too_long;
           }});
  for (std::size_t at = 0; at < text.size(); at += piece)
    if (!reader.add(text.substr(at, piece))) break;
  out.rest = reader.end();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const Read whole = read(text, text.size() + 1), in_pieces = read(text, 3);
  promise(whole.items == in_pieces.items && whole.too_long == in_pieces.too_long);
  promise(whole.rest.problems.empty() == in_pieces.rest.problems.empty());
  if (!whole.rest.problems.empty() || whole.too_long > 0) return 0;
  const auto parsed = document::parse_json(text, "f");
  if (!parsed.problems.empty()) return 0;
  const document::Value* items = parsed.root.find("items");
  const auto* list = items == nullptr ? nullptr : items->list();
  promise((list == nullptr ? 0 : list->size()) == whole.items.size());
  for (std::size_t i = 0; i < whole.items.size(); ++i) promise((*list)[i].text("name") == whole.items[i]);
  return 0;
}
