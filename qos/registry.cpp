#include "qos/registry.h"

#include <iterator>
#include <utility>

#include "qos/eviction/state.h"

namespace evenkeel::decide {
namespace {

template <class... Each>
constexpr std::array<const PolicySpec*, sizeof...(Each)> specs_of(const std::tuple<const Each*...>& all) {
  return std::apply(
      [](const Each*... each) { return std::array<const PolicySpec*, sizeof...(Each)>{each...}; }, all);
}
template <class... Each>
constexpr FactSet published_by(const std::tuple<const Each*...>& /*all*/) {
  return (FactSet{0} | ... | Each::Facts::kUse.publishes);
}

constexpr auto kSpecs = specs_of(kPolicies);
static_assert(kSpecs.size() <= kNoPolicy, "kNoPolicy is the index of a policy");

static_assert(
    !first_misplaced(fact_uses_of(kPolicies)),
    "a policy reads a fact that no policy before it (Reads) or after it (ReadsPrevious) publishes, or "
    "publishes a fact of another one");
constexpr FactSet kReadAfterwards = memory::ReclaimFacts::kUse.reads | eviction::EvictionFacts::kUse.reads;
static_assert((kReadAfterwards & ~published_by(kPolicies)) == 0,
              "reclaim in the background or eviction, which come after all policies, reads a fact that none "
              "publishes");

template <std::size_t... kRank>
void run_each(const NodeSnapshot& node, const NodeSlo& slo, PolicyState& state, Intents& out,
              std::index_sequence<kRank...> /*ranks*/) {
  const auto run = [&](PolicyIndex rank, const auto& policy, auto& own) {
    out.set_policy(rank);
    policy.run(node, slo, own, state.shared, out);
  };
  (run(static_cast<PolicyIndex>(kRank), *std::get<kRank>(kPolicies), std::get<kRank>(state.states)), ...);
}

}  // namespace

std::span<const PolicySpec* const> policies() { return kSpecs; }

std::string_view policy_name(PolicyIndex by) { return by < kSpecs.size() ? kSpecs[by]->name : "restore"; }

void decide_all(const NodeSnapshot& node, const NodeSlo& slo, PolicyState& state, Intents& out) {
  run_each(node, slo, state, out, std::make_index_sequence<kSpecs.size()>());
}

}  // namespace evenkeel::decide
