#include "agent/document/list_reader.h"

#include <algorithm>
#include <utility>

namespace evenkeel::document {
namespace {

constexpr std::string_view kItems = "items";
constexpr std::size_t kLongestWord = 16;
/// Kind, version, and two bytes for each item.
constexpr std::size_t kLongestRest = std::size_t{1} << 20;

bool opens(char c) { return c == '{' || c == '['; }
bool closes(char c) { return c == '}' || c == ']'; }

}  // namespace

/// One byte outside of strings.
void ListReader::Scan::step(char c) {
  if (c == '"') {
    in_string = true;
    word.clear();
  } else if (opens(c)) {
    in_list = in_list || (c == '[' && depth == 1 && of_items);
    ++depth;
  } else if (closes(c)) {
    depth = std::max(0, depth - 1);
    in_list = in_list && depth > 1;
  } else if (depth == 1 && (c == ':' || c == ',')) {
    of_items = c == ':' && word == kItems;
  }
}

/// The position of the string's end, or the end of the piece.
std::size_t ListReader::Scan::skip_string(std::string_view piece, std::size_t at) {
  for (; at < piece.size(); ++at) {
    const char c = piece[at];
    if (c == '"' && !escaped) {
      in_string = false;
      break;
    }
    escaped = c == '\\' && !escaped;
    if (depth == 1 && word.size() < kLongestWord) word += c;
  }
  return at;
}

bool ListReader::add(std::string_view piece) {
  Scan& scan = state_.scan;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < piece.size() && !state_.problem; ++at) {
    if (scan.in_string) {
      at = scan.skip_string(piece, at);
      continue;
    }
    const char c = piece[at];
    if (scan.in_list && scan.depth == 2 && opens(c)) {
      keep(piece.substr(kept, at - kept));
      keep("0");
      kept = at;
      state_.in_item = true;
    }
    scan.step(c);
    if (!state_.in_item || scan.depth != 2 || !closes(c)) continue;
    keep(piece.substr(kept, at + 1 - kept));
    kept = at + 1;
    end_item();
  }
  keep(piece.substr(kept));
  return !state_.problem;
}

void ListReader::keep(std::string_view bytes) {
  if (state_.in_item) {
    state_.item_size += bytes.size();
    state_.item.append(bytes.substr(0, options_.longest_item - state_.item.size()));
  } else if (state_.rest.size() + bytes.size() <= kLongestRest) {
    state_.rest.append(bytes);
  } else {
    state_.problem = Problem{options_.file, {}, {}, "found more than 1 MiB beside the items of a list"};
  }
}

void ListReader::end_item() {
  if (state_.item_size > options_.longest_item) {
    takers_.too_long(state_.item);
  } else if (auto parsed = parse_json(state_.item, options_.file, options_.items); parsed.problems.empty()) {
    takers_.item(parsed.root);
  } else {
    const std::string where = "items[" + std::to_string(state_.items) + "]";
    state_.problem = Problem{options_.file, {}, where, parsed.problems.front().message};
  }
  ++state_.items;
  state_.in_item = false;
  state_.item.clear();
  state_.item_size = 0;
}

Parsed ListReader::end() {
  const State read = std::exchange(state_, {});
  if (read.problem) return {{}, {*read.problem}};
  auto parsed = parse_json(read.rest, options_.file, options_.rest);
  const Value* items = parsed.problems.empty() ? parsed.root.find(kItems) : nullptr;
  const ValueList* list = items == nullptr ? nullptr : items->list();
  // An item that is no object was not replaced; nor were those of a list whose key is written with escapes.
  if (list != nullptr && list->size() != read.items)
    return {{}, {Problem{options_.file, {}, std::string(kItems), "found something else than objects"}}};
  return parsed;
}

}  // namespace evenkeel::document
