#include "agent/config/nodeslo_config.h"
#include "agent/document/list_reader.h"
#include "agent/kube/watch/watch_event.h"
#include "agent/pods/pod_list.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

constexpr document::KeyFilter kMetadata[] = {{"name"}, {"resourceVersion"}};
constexpr document::KeyFilter kNodeSlo[] = {{"apiVersion"}, {"kind"}, {"metadata", kMetadata}, {"spec"}};

kube::WatchEvent event_of(std::string_view text, std::span<const document::KeyFilter> kept) {
  auto event = kube::parse_watch_event(text, kept);
  if (event.kind != kube::WatchEvent::Kind::error && event.kind != kube::WatchEvent::Kind::malformed)
    promise(!event.version.empty());
  promise(event.version.find_first_of("&?#% \r\n/") == std::string::npos);
  document::ListReader reader({.rest = kube::list_head_filter(), .items = kept},
                              {.item = [](const document::Value&) {}, .too_long = [](std::string_view) {}});
  reader.add(text);
  const auto list = kube::read_list_head(reader.end());
  promise(!list.problem.empty() || !list.version.empty());
  return event;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto of_slo = event_of(text, kNodeSlo);
  for (const auto& problem : config::read_nodeslo(of_slo.object, "nodeslos/n").problems)
    promise(problem.place.line == 0);
  std::vector<std::string> notices;
  const auto pod =
      pods::read_pod(event_of(text, pods::pod_key_filter()).object, pods::Source::server, notices);
  promise(pod ? !pod->uid.empty() : !notices.empty());
  return 0;
}
