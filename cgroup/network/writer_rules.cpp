// The packet rules of the writer: put, looked for, and what becomes of the queue without them.
#include "cgroup/network/tree.h"
#include "cgroup/network/writer.h"

namespace evenkeel::network {

bool NetworkWriter::put_rules(int unknown) {
  if (has_rules_ && wanted_rules_ == rules_) return true;
  const auto text = text_of(wanted_rules_);
  Result<> done;
  if (!dry_run_) done = journal_.record_creation(kRulesRecord);
  if (!dry_run_ && done) done = port_.put_rules(wanted_rules_);
  if (!done) {
    if (!dry_run_ && !has_rules_) static_cast<void>(journal_.unmade(kRulesRecord));
    return refuse(kRulesRecord, text, done.error(), port_.words()), false;
  }
  record_change(
      kRulesRecord, has_rules_ ? text_of(rules_) : kNothing, text, false,
      unknown == 0
          ? because("which packets belong to which class")
          : because("which packets belong to which class; pods with the node's own address ({}) cannot be "
                    "told apart: that needs cgroup v2, and the node's cgroup namespace",
                    std::int64_t{unknown}));
  has_rules_ = true;
  rules_ = wanted_rules_;
  return true;
}

/// A firewall that flushes the ruleset takes the agent's along where its table has no owner (before
/// Linux 5.12).
void NetworkWriter::look_for_rules() {
  if (!has_rules_) return;
  const auto there = port_.has_rules();
  if (!there || *there) return;
  has_rules_ = false;
  applied_ = 0;  // puts them again
}

/// Without rules all packets wait in the class for what no rule matches: slower than without the agent.
void NetworkWriter::keep_no_queue_without_rules() {
  if (held_ && !has_rules_) withdraw("without rules for packets all of them would be in one class");
}

}  // namespace evenkeel::network
