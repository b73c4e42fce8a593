#include "qos/cpu/burst/budget.h"

#include <algorithm>

namespace evenkeel::burst {
namespace {

using Candidate = CpuBurstState::Candidate;

bool grows(const Candidate& candidate) {
  return candidate.quota_burst && candidate.operation == BurstOperation::up && candidate.current &&
         candidate.target > *candidate.current;
}

/// In thousandths, at least one.
std::int64_t demand(const Candidate& candidate) {
  return std::max<std::int64_t>(1, cpu_of(candidate.target - *candidate.current, candidate.period).count());
}

struct Demands {
  std::int64_t total = 0, largest = 0, count = 0;
};

Demands demands_above(std::span<const Candidate> candidates, std::int64_t level) {
  Demands demands;
  for (const Candidate& candidate : candidates) {
    if (!grows(candidate)) continue;
    const std::int64_t one = demand(candidate);
    if (one <= level) continue;
    demands.total += one;
    demands.largest = std::max(demands.largest, one);
    ++demands.count;
  }
  return demands;
}

/// The level up to which all demands can be met: raised as long as small demands leave something over.
std::int64_t fair_level(std::span<const Candidate> candidates, const Demands& all, std::int64_t budget) {
  std::int64_t level = 0;
  for (Demands open = all; open.count > 0;) {
    const std::int64_t met = all.total - open.total;
    const std::int64_t next = (budget - met) / open.count;
    if (next <= level) break;
    level = next;
    open = demands_above(candidates, level);
  }
  return level;
}

void grant(Candidate& candidate, std::int64_t milli_cpu) {
  if (milli_cpu >= demand(candidate)) return;
  candidate.target =
      std::max(candidate.base, *candidate.current + quota_for(MilliCpu(milli_cpu), candidate.period));
}

}  // namespace

void share_growth(std::span<Candidate> candidates, MilliCpu budget, std::size_t& turn) {
  const Demands all = demands_above(candidates, 0);
  const std::int64_t most = std::max(budget.count(), all.largest);
  if (all.total <= most) return;
  const std::int64_t level = fair_level(candidates, all, most);
  const Demands open = demands_above(candidates, level);
  auto left_over = most - (all.total - open.total) - level * open.count;
  const std::size_t first = turn;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = candidates[(first + i) % candidates.size()];
    if (!grows(candidate) || demand(candidate) <= level) continue;
    if (left_over > 0) turn = (first + i + 1) % candidates.size();
    grant(candidate, left_over-- > 0 ? level + 1 : level);
  }
}

}  // namespace evenkeel::burst
