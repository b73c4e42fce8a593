#include "cgroup/network/writer.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cgroup/network/tree.h"

namespace evenkeel::network {

using executor::Contest;
using executor::Sighting;

namespace {

constexpr Duration kCheckInterval = std::chrono::seconds(10);

std::string number_of(std::uint32_t handle) {
  char text[16];
  std::snprintf(text, sizeof text, "%x:%x", handle >> 16U, handle & 0xffffU);
  return text;
}
std::string name_of(const RootQdisc& qdisc) {
  if (qdisc.kind.empty()) return "no queue at all";
  return qdisc.kind + (qdisc.handle == 0 ? " of the kernel's own" : ' ' + number_of(qdisc.handle));
}
std::string name_of(std::uint16_t minor) { return number_of(kOurQdisc | minor); }

/// The agent only replaces the kernel's own default queue.
Sighting::Value sighting_of(const RootQdisc& qdisc) {
  return is_ours(qdisc)      ? Sighting::Value::ours
         : qdisc.handle == 0 ? Sighting::Value::before_us
                             : Sighting::Value::other;
}

constexpr Reason kWhyClass = because("a class's share of the network, or a pod's own limit");

}  // namespace

void NetworkWriter::apply(const decide::NetworkPlan& plan, MonoTime now, executor::Report& report) {
  now_ = now;
  report_ = &report;
  if (plan.state == decide::NetworkPlan::State::off) {
    if (held_ || has_rules_) withdraw("no policy requests it any longer");
    totals_.held = classes_.size();
    if (held_ || has_rules_) return;  // refused: retried in the next tick
    reported_.clear();
    fair_queue_refused_ = false;
    contest_ = {};
    pause_ = {};
    return;
  }
  by_ = plan.by;
  if (*plan.why_not != '\0' && reported_ != plan.why_not) {
    reported_ = plan.why_not;
    refuse("net", "networkQOS", {.code = ENODATA, .op = Op::other}, plan.why_not);
    pause_ = {};
  }
  if (plan.state == decide::NetworkPlan::State::on) share(plan);
  totals_.held = classes_.size();
}

executor::ActuatorTotals NetworkWriter::totals() const {
  auto totals = totals_;
  totals.foreign = foreign_.foreign;
  return totals;
}

void NetworkWriter::share(const decide::NetworkPlan& plan) {
  const bool other_link = link_index_ != plan.link->index || link_ != plan.link->name;
  if (held_ && other_link) withdraw("the default route goes through another interface now");
  if (!held_ && other_link) contest_ = {};
  if (pause_.waits(now_)) return;
  if (!held_ && !(may_begin() && begin(plan))) return;
  if (now_ >= next_check_ && !is_qdisc_ours()) return;
  if (const auto sum = sum_of(plan); sum != applied_) {
    apply_changes(plan);
    if (!pause_.waits(now_)) applied_ = sum;
  }
}

/// Whether the agent may take the interface: it has not left it to another process that changed it.
bool NetworkWriter::may_begin() {
  if (contest_.ours()) return true;
  if (now_ < next_check_) return false;
  next_check_ = now_ + kCheckInterval;
  const auto root = port_.root_qdisc(link_index_);
  if (!root) return false;
  const auto step = contest_.look({.value = sighting_of(*root)}, now_, foreign_);
  return step == Contest::Step::keep || step == Contest::Step::write;
}

/// Whether the interface has the agent's queue now.
bool NetworkWriter::begin(const decide::NetworkPlan& plan) {
  link_ = plan.link->name;
  link_index_ = plan.link->index;
  const auto root = port_.root_qdisc(link_index_);
  if (!root) return refuse(place("qdisc"), "htb", root.error(), port_.words()), false;
  if (root->handle != 0 && !is_ours(*root))
    return refuse(place("qdisc"), "htb", {.code = EEXIST, .op = Op::write},
                  "another process has put " + name_of(*root) + " on the interface: it is left alone"),
           false;
  if (dry_run_) {
    held_ = true;
    return true;
  }
  if (is_ours(*root))
    if (const auto removed = port_.remove_qdisc(link_index_); !removed)
      return refuse(place("qdisc"), kNothing, removed.error(), port_.words()), false;
  auto done = journal_.made(place("qdisc"), static_cast<std::uint64_t>(link_index_));
  held_ = done.has_value();
  if (done) done = port_.make_qdisc(link_index_, kSystemMinor);
  if (!done) {
    refuse(place("qdisc"), "htb", done.error(), port_.words());
    return give_up_unless_made(), false;
  }
  contest_.written(now_);
  since_ = now_;
  next_check_ = now_ + kCheckInterval;
  record_change(place("qdisc"), name_of(*root), "htb " + number_of(kOurQdisc), false,
                because("networkQOS shares {}", plan.total));
  return true;
}

/// An answer may get lost, and then the queue is there all the same. As long as that is not known it is held,
/// and looked for in the next round.
void NetworkWriter::give_up_unless_made() {
  next_check_ = since_ = now_;
  const auto root = port_.root_qdisc(link_index_);
  if (held_ && (!root || is_ours(*root))) return;
  held_ = false;
  static_cast<void>(journal_.unmade(place("qdisc")));
}

bool NetworkWriter::is_qdisc_ours() {
  next_check_ = now_ + kCheckInterval;
  if (dry_run_) return true;
  const auto root = port_.root_qdisc(link_index_);
  if (!root) return false;
  const auto step = contest_.look({.value = sighting_of(*root)}, now_, foreign_);
  if (step == Contest::Step::keep) {
    look_for_rules();
    return true;
  }
  tell_foreign(step, *root);
  held_ = false;
  classes_.clear();
  applied_ = 0;
  static_cast<void>(journal_.unmade(place("qdisc")));
  return false;
}

void NetworkWriter::tell_foreign(Contest::Step step, const RootQdisc& found) {
  report_->foreign.push_back(contest_.describe(
      step, {.path = place("qdisc"), .ours = "htb " + number_of(kOurQdisc), .theirs = name_of(found)}));
}

void NetworkWriter::apply_changes(const decide::NetworkPlan& plan) {
  build_htb_classes(plan, own_, wanted_);
  const int unknown = build_packet_rules(plan, tree_, port_.supports_cgroup_match(), own_, wanted_rules_);
  own_.release_unused();
  // Rules must not send packets into a class that does not exist.
  if (!put_classes() || !put_rules(unknown)) return keep_no_queue_without_rules();
  remove_other_classes();
  pause_ = {};
}

bool NetworkWriter::put_classes() {
  return std::ranges::all_of(wanted_, [this](const HtbClass& one) { return put_class(one); });
}

bool NetworkWriter::put_class(const HtbClass& one) {
  auto have = std::ranges::find(classes_, one.minor, &HtbClass::minor);
  if (have != classes_.end() && *have == one) return true;
  // A class cannot be moved to another parent: its number now belongs to another pod.
  const bool moves = have != classes_.end() && have->parent != one.parent;
  const auto path = place(name_of(one.minor));
  Result<> done;
  const std::string before = have == classes_.end() ? kNothing : text_of(*have);
  if (!dry_run_ && moves) {
    done = port_.remove_class(link_index_, one.minor);
    if (!done && vanished(done.error())) done = {};
    if (!done) return refuse(path, text_of(one), done.error(), port_.words()), false;
    // If putting it is refused, any plan is to put it, also the one before.
    classes_.erase(have);
    have = classes_.end();
    applied_ = 0;
  }
  if (!dry_run_) done = port_.put_class(link_index_, one);
  if (!done) return refuse(path, text_of(one), done.error(), port_.words()), false;
  if (have == classes_.end()) add_fair_queue(one);
  record_change(path, before, text_of(one), false, kWhyClass);
  auto& kept = have == classes_.end() ? classes_.emplace_back() : *have;
  kept = one;
  return true;
}

/// Without it the class gets the same share of the bandwidth, but its packets wait in one queue. So a refusal
/// is reported once, and the class stays.
void NetworkWriter::add_fair_queue(const HtbClass& one) {
  if (dry_run_ || fair_queue_refused_) return;
  const bool has_children = std::ranges::find(wanted_, one.minor, &HtbClass::parent) != wanted_.end();
  if (has_children) return;
  const auto done = port_.add_fair_queue(link_index_, one.minor);
  if (done) return;
  fair_queue_refused_ = true;
  ++totals_.refusals;
  report_->refusals.push_back({.path = place(name_of(one.minor)),
                               .error = done.error(),
                               .text = "fq_codel",
                               .detail = port_.words() + ": all packets of a class wait in one queue"});
}

/// Goes backwards: children are sorted after their parents, and the kernel removes only classes without any.
void NetworkWriter::remove_other_classes() {
  for (auto i = classes_.size(); i-- > 0;) {
    const auto minor = classes_[i].minor;
    if (std::ranges::find(wanted_, minor, &HtbClass::minor) != wanted_.end()) continue;
    if (!dry_run_ && !port_.remove_class(link_index_, minor)) continue;  // retried with the next change
    record_change(place(name_of(minor)), text_of(classes_[i]), kNothing, true,
                  because("the pod with this limit is gone"));
    classes_.erase(classes_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void NetworkWriter::withdraw(const char* why) {
  applied_ = 0;
  classes_.clear();
  if (dry_run_) {
    held_ = has_rules_ = false;
    return;
  }
  if (has_rules_) {
    if (const auto done = port_.remove_rules(); !done)
      return refuse(kRulesRecord, kNothing, done.error(), port_.words());
    has_rules_ = false;
    static_cast<void>(journal_.unmade(kRulesRecord));
  }
  if (!held_) return;
  const auto root = port_.root_qdisc(link_index_);
  if (!root && !vanished(root.error()))  // it may still be there, and stays on record
    return refuse(place("qdisc"), kNothing, root.error(), port_.words());
  // A removed interface has taken its queue along. Nothing is restored over a foreign queue.
  if (root && is_ours(*root)) {
    if (const auto done = port_.remove_qdisc(link_index_); !done)
      return refuse(place("qdisc"), kNothing, done.error(), port_.words());
    ++totals_.restored;
    record_change(place("qdisc"), "htb " + number_of(kOurQdisc), "the kernel's own", true, because(why));
  }
  held_ = false;
  if (root && !root->kind.empty() && !is_ours(*root))
    tell_foreign(contest_.look({.value = sighting_of(*root), .restoring = true}, now_, foreign_), *root);
  static_cast<void>(journal_.unmade(place("qdisc")));
}

void NetworkWriter::record_change(std::string path, std::string before, std::string after, bool restored,
                                  const Reason& why) {
  if (!dry_run_) ++totals_.writes;
  report_->writes.push_back({.path = std::move(path),
                             .old_text = std::move(before),
                             .new_text = std::move(after),
                             .by = by_,
                             .restored = restored,
                             .why = why});
}

/// No retry before a pause, which grows.
void NetworkWriter::refuse(std::string path, std::string text, const Error& error, std::string detail) {
  ++totals_.refusals;
  if (!pause_.refuse(error.code, path + ' ' + text + ' ' + detail, now_)) return;
  report_->refusals.push_back({.path = std::move(path),
                               .error = error,
                               .text = std::move(text),
                               .quarantined = true,
                               .retry_in = pause_.length,
                               .detail = std::move(detail)});
}

void NetworkWriter::add_managed(std::vector<executor::Managed>& out) const {
  if (!held_) return;
  for (const auto& one : classes_)
    out.push_back({.path = place(name_of(one.minor)),
                   .original = kNothing,
                   .ours = text_of(one),
                   .by = by_,
                   .why = kWhyClass,
                   .since = since_});
}

}  // namespace evenkeel::network
