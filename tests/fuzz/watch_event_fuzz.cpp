#include "agent/config/nodeslo_config.h"
#include "agent/kube/watch_event.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {
constexpr document::KeyFilter kMetadata[] = {{"name"}, {"resourceVersion"}};
constexpr document::KeyFilter kKept[] = {{"apiVersion"}, {"kind"}, {"metadata", kMetadata}, {"spec"}};
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto event = kube::parse_watch_event(text, kKept);
  if (event.kind != kube::WatchEvent::Kind::error && event.kind != kube::WatchEvent::Kind::malformed)
    promise(!event.version.empty());
  promise(event.version.find_first_of("&?#% \r\n/") == std::string::npos);
  const auto list = kube::parse_object_list(text, kKept);
  promise(!list.problem.empty() || !list.version.empty());
  for (const auto& problem : config::read_nodeslo(event.object, "nodeslos/n").problems)
    promise(problem.place.line == 0);
  return 0;
}
