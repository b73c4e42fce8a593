#include "agent/config/schema_read.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto config = config::parse_nodeslo(text, "f");
  promise(!config::render_check(config).empty());
  if (config.problems.empty()) {
    promise(config.slo.threshold.cpu_suppress_threshold_percent.count() >= 0);
    promise(config.slo.threshold.cpu_suppress_threshold_percent.count() <= 100);
  }
  // The same for a node whose labels are known: what is legal does not depend on them, save for a
  // contradiction between two entries that both apply.
  const TextMap labels = {{"pool", "batch"}, {"zone", ""}};
  const auto pooled = config::parse_nodeslo(text, "f", &labels);
  promise(!config::render_check(pooled).empty());
  promise(config.problems.empty() || !pooled.problems.empty());
  promise(!pooled.problems.empty() || pooled.by_labels == config.by_labels);
  return 0;
}
