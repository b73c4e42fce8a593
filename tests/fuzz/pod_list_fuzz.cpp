#include "agent/config/nodeslo_config.h"
#include "agent/pods/pod_list.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto list = pods::parse_pod_list(text, "f");
  for (const auto& pod : list.pods)
    for (const auto& container : pod.containers)
      promise(!container.limits.cpu || container.limits.cpu->count() >= 0);
  const auto node = pods::parse_node(text, "f").node;
  for (const auto& party : node.third_parties)
    promise(node.third_parties_unknown.empty() &&
            party.resources.batch_cpu.value_or(MilliCpu{}).count() >= 0);
  promise(node.cpu_normalization_ratio.value_or(1) > 0);
  NodeObject annotated;
  annotated.annotations["node.koordinator.sh/colocation-strategy"] = text;
  annotated.labels["node.koordinator.sh/cpu-reclaim-ratio"] = text;
  promise(config::node_strategy({}, annotated).strategy.cpu_reclaim_threshold_percent >= Percent(0));
  const auto served = pods::parse_pod_list(text, "f", pods::Source::server);
  if (!served.problems.empty()) promise(served.pods.empty());
  pods::parse_node(text, "f", pods::Source::server);
  return 0;
}
