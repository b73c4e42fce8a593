#include "cgroup/base/text.h"
#include "cgroup/network/writer.h"

namespace evenkeel::network {

void restore_network(const Host& host, NetworkPort& port, executor::Journal& journal,
                     executor::Report& report) {
  const auto records = journal.directories();  // by value: the loop removes records
  for (const auto& [path, made_on] : records) {
    if (!path.starts_with(kNetworkRecords)) continue;
    Result<> done;
    if (path == kNetworkRules) {
      done = port.remove_rules();
    } else {
      // The name may belong to another interface by now.
      const auto link =
          path.substr(kNetworkRecords.size(), path.size() - kNetworkRecords.size() - kNetworkQdisc.size());
      const auto index = host.slurp("sys/class/net/" + link + "/ifindex");
      const bool same = index && trimmed(*index) == std::to_string(made_on);
      const auto number = static_cast<int>(made_on);
      const auto root = same ? port.root_qdisc(number) : Result<RootQdisc>(RootQdisc{});
      if (!index && !vanished(index.error()))  // whether it is the same interface is not known
        done = tl::unexpected(index.error());
      else if (!root)
        done = tl::unexpected(root.error());
      else if (is_ours(*root))
        done = port.remove_qdisc(number);
    }
    if (!done && !vanished(done.error())) {
      report.refusals.push_back(
          {.path = path, .error = done.error(), .text = "nothing", .detail = port.words()});
      continue;
    }
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
