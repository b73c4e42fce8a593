#include "cgroup/network/writer.h"

namespace evenkeel::network {

void restore_network(NetworkPort& port, executor::Journal& journal, executor::Report& report) {
  const auto records = journal.directories();  // by value: the loop removes records
  for (const auto& [path, made_on] : records) {
    if (!path.starts_with(kNetworkRecords)) continue;
    Result<> done;
    bool removed = true;
    if (path == kNetworkRules) {
      done = port.remove_rules();
    } else {
      // By its number, which no other interface gets until the next boot: the name may have changed, or
      // belong to another one by now.
      const auto link = static_cast<int>(made_on);
      const auto root = port.root_qdisc(link);
      removed = root && is_ours(*root);
      if (!root)
        done = tl::unexpected(root.error());
      else if (removed)
        done = port.remove_qdisc(link);
    }
    if (!done && !vanished(done.error())) {
      report.refusals.push_back(
          {.path = path, .error = done.error(), .text = "nothing", .detail = port.words()});
      continue;
    }
    if (removed && done)
      report.writes.push_back({.path = path,
                               .old_text = "ours",
                               .new_text = "nothing",
                               .by = decide::kNoPolicy,
                               .restored = true,
                               .why = because("the journal says that the agent made it")});
    static_cast<void>(journal.unmade(path));
  }
}

}  // namespace evenkeel::network
