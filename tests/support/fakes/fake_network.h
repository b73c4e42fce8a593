// A model of an interface's queueing disciplines and packet rules with the kernel's refusals: parents come
// first, a class with children cannot be removed, and filters need an existing queue.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cgroup/network/kernel_port.h"

namespace evenkeel::test {

class FakeNetwork final : public network::NetworkPort {
 public:
  std::map<int, network::RootQdisc> roots{};  ///< of interfaces with more than the kernel's default
  std::map<std::uint16_t, network::HtbClass> classes{};
  std::set<std::uint16_t> fair{};  ///< classes with a fair queue between flows
  bool no_fair_leaves = false;     ///< the kernel has no fq_codel
  std::optional<network::PacketRules> rules{};
  int calls = 0, looks = 0;
  bool cgroups_tell = true;
  int refuse_at = -1;  ///< index of the call that is refused
  bool refuse_all = false;
  bool refuse_rules = false;
  bool loses_answers = false;  ///< a queue that is refused is made all the same
  int blind_at = -1;           ///< index of the look that fails
  int refusal = EINVAL;
  std::vector<std::string> broken{};  ///< requests that were invalid in the current state

  /// Everything that evenkeel created there; empty: nothing.
  [[nodiscard]] std::string everything() const {
    std::string out;
    for (const auto& [link, root] : roots) out += std::to_string(link) + ' ' + root.kind + '\n';
    for (const auto& [minor, one] : classes) out += "class " + std::to_string(minor) + '\n';
    return out + (rules ? "rules\n" : "");
  }

  Result<network::RootQdisc> root_qdisc(int link) override {
    if (looks++ == blind_at) return fail(refusal, Op::read);
    const auto found = roots.find(link);
    return found == roots.end() ? network::RootQdisc{"noqueue", 0} : found->second;
  }
  Result<> make_qdisc(int link, std::uint16_t /*fallback*/) override {
    const bool refused = refuses();
    if (refused && !loses_answers) return fail(refusal, Op::write);
    if (roots.contains(link)) return fail(EEXIST, Op::write);
    roots[link] = {"htb", network::kOurQdisc};
    return refused ? Result<>(fail(refusal, Op::write)) : Result<>();
  }
  Result<> remove_qdisc(int link) override {
    if (refuses()) return fail(refusal, Op::write);
    if (roots.erase(link) == 0) return fail(ENOENT, Op::write);
    classes.clear();
    fair.clear();
    return {};
  }
  Result<> put_class(int /*link*/, const network::HtbClass& wanted) override {
    if (refuses()) return fail(refusal, Op::write);
    if (wanted.parent != 0 && !classes.contains(wanted.parent)) broken.push_back("a class before its parent");
    if (wanted.rate <= BitRate(0) || wanted.ceil < wanted.rate) broken.push_back("a rate of nothing");
    classes[wanted.minor] = wanted;
    return {};
  }
  Result<> remove_class(int /*link*/, std::uint16_t minor) override {
    if (refuses()) return fail(refusal, Op::write);
    for (const auto& [other, row] : classes)
      if (row.parent == minor) return fail(EBUSY, Op::write);
    fair.erase(minor);
    return classes.erase(minor) != 0 ? Result<>() : fail(ENOENT, Op::write);
  }
  Result<> add_fair_queue(int /*link*/, std::uint16_t minor) override {
    if (refuses() || no_fair_leaves) return fail(refusal, Op::write);
    if (!classes.contains(minor)) broken.push_back("a leaf of no class");
    for (const auto& [other, row] : classes)
      if (row.parent == minor) broken.push_back("a leaf beside children");
    fair.insert(minor);
    return {};
  }
  Result<> put_rules(const network::PacketRules& wanted) override {
    if (refuses() || refuse_rules) return fail(refusal, Op::write);
    for (const auto& rule : wanted.rules)
      if (!classes.contains(rule.minor)) broken.push_back("packets for a class that is not there");
    rules = wanted;
    return {};
  }
  Result<> remove_rules() override {
    if (refuses()) return fail(refusal, Op::write);
    rules.reset();
    return {};
  }
  Result<bool> has_rules() override { return rules.has_value(); }
  [[nodiscard]] bool supports_cgroup_match() const override { return cgroups_tell; }
  [[nodiscard]] std::string words() const override { return {}; }

 private:
  bool refuses() { return calls++ == refuse_at || refuse_all; }
};

}  // namespace evenkeel::test
