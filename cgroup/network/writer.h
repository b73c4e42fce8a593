// The network writer: applies a plan to the node's interface and the packet rules, and removes both again.
// Does not decide how bandwidth is shared. An interface on which another process has put a queue is left
// alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/executor/contest.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/journal.h"
#include "cgroup/network/kernel_port.h"
#include "cgroup/network/tree.h"

namespace evenkeel::network {

/// Names of the agent's network changes in the journal: "net/LINK/qdisc" with the interface's index, and
/// "net/rules".
inline constexpr std::string_view kNetworkRecords = "net/", kNetworkRules = "net/rules";
/// For reports.
inline const std::string kRulesRecord(kNetworkRules), kNothing = "nothing";

inline bool is_ours(const RootQdisc& qdisc) { return qdisc.kind == "htb" && qdisc.handle == kOurQdisc; }

class NetworkWriter final : public executor::Actuator {
 public:
  /// All must outlive it.
  NetworkWriter(const tree::CgroupTree& tree, NetworkPort& port, executor::Journal& journal, bool dry_run)
      : tree_(tree), port_(port), journal_(journal), dry_run_(dry_run) {}

  /// Applies the plan. Adds what it did to `report`. Does nothing while the plan stays the same, except that
  /// every ten seconds it checks whether the queue is still the agent's and the rules are there.
  void apply(const decide::NetworkPlan& plan, MonoTime now, executor::Report& report);
  void serve(const decide::Intents& intents, MonoTime now, executor::Report& report) override {
    apply(intents.network(), now, report);
  }
  void restore_all(MonoTime now, executor::Report& report) override { apply({}, now, report); }
  void add_managed(std::vector<executor::Managed>& out) const override;
  /// Held values are classes of the queue.
  [[nodiscard]] executor::ActuatorTotals totals() const override;

 private:
  void share(const decide::NetworkPlan& plan);
  bool begin(const decide::NetworkPlan& plan);
  bool may_begin();
  void give_up_unless_made();
  bool is_qdisc_ours();
  void tell_foreign(executor::Contest::Step step, const RootQdisc& found);
  void apply_changes(const decide::NetworkPlan& plan);
  bool put_classes();
  bool put_class(const HtbClass& one);
  void add_fair_queue(const HtbClass& one);
  bool put_rules(int unknown);
  void look_for_rules();
  void keep_no_queue_without_rules();
  void remove_other_classes();
  void withdraw(const char* why);
  void record_change(std::string path, std::string before, std::string after, bool restored,
                     const Reason& why);
  void refuse(std::string path, std::string text, const Error& error, std::string detail);
  [[nodiscard]] std::string place(const std::string& what) const {
    return std::string(kNetworkRecords) + link_ + '/' + what;
  }

  const tree::CgroupTree& tree_;
  NetworkPort& port_;
  executor::Journal& journal_;
  bool dry_run_;

  bool held_ = false;  ///< the agent's queue is installed
  bool has_rules_ = false;
  bool fair_queue_refused_ = false;  ///< refused, and already reported
  executor::Contest contest_{};      ///< of the interface's queue
  executor::ForeignCounts foreign_{};
  std::string link_{};
  int link_index_ = 0;
  std::uint64_t applied_ = 0;  ///< hash of the plan that the kernel has; 0: none
  std::vector<HtbClass> classes_{}, wanted_{};
  PacketRules rules_{}, wanted_rules_{};
  OwnMinors own_{};
  std::string reported_{};  ///< why nothing is done, already reported
  executor::ActuatorTotals totals_{};
  decide::PolicyIndex by_ = decide::kNoPolicy;
  MonoTime now_{}, since_{}, next_check_{};
  executor::RetryBackoff pause_{};
  executor::Report* report_ = nullptr;
};

/// Restores offline: removes what the journal holds. What the kernel refuses stays on record.
void restore_network(NetworkPort& port, executor::Journal& journal, executor::Report& report);

}  // namespace evenkeel::network
