#include <algorithm>
#include <cmath>

#include "qos/cache/way_steering.h"

namespace evenkeel::cache {
namespace {

double in_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

// The reference is a slow minimum: what a service misses with the cache to itself is the least that it ever
// misses, and best effort is not always there. It falls half of the way to a lower sample, and rises so
// slowly that a neighbour that stays for an afternoon does not become normal, but another way of using the
// service does within a day.
constexpr double kFall = 0.5;
constexpr Duration kDoubles = std::chrono::hours(4);
constexpr Duration kForget = std::chrono::hours(1);

}  // namespace

ServiceMisses::Container& ServiceMisses::of(CgroupId cgroup, Whose whose) {
  auto found = std::ranges::lower_bound(containers_, cgroup, {}, &Container::cgroup);
  if (found == containers_.end() || found->cgroup != cgroup)
    found = containers_.insert(found, Container{.cgroup = cgroup, .whose = whose});
  found->whose = whose;
  return *found;
}

void ServiceMisses::learn(Container& one, MonoTime now) {
  if (!one.reference)
    one.reference = one.per_instruction;
  else if (one.per_instruction < *one.reference)
    one.reference = *one.reference + kFall * (one.per_instruction - *one.reference);
  else
    one.reference = std::min(one.per_instruction,
                             *one.reference * std::exp2(in_seconds(now - one.taught) / in_seconds(kDoubles)));
  one.taught = now;
}

void ServiceMisses::take(const CpuCounts& counts, Whose whose, MonoTime now) {
  Container& one = of(counts.cgroup, whose);
  one.began = now - counts.window;
  one.ended = now;
  one.known = counts.cache_misses && counts.window > Duration::zero();
  if (!one.known) return;
  one.misses = static_cast<double>(*counts.cache_misses) / in_seconds(counts.window);
  one.instructions = static_cast<double>(counts.instructions) / in_seconds(counts.window);
  one.per_instruction = counts.per_instruction(*counts.cache_misses);
  if (whose == Whose::service) learn(one, now);
}

void ServiceMisses::age(MonoTime now, Duration valid) {
  for (Container& one : containers_) one.known = one.known && now - one.ended <= valid;
  std::erase_if(containers_, [&](const Container& one) { return now - one.ended > valid + kForget; });
}

std::optional<double> ServiceMisses::per_instruction() const {
  double misses = 0, instructions = 0;
  for (const Container& one : containers_) {
    if (one.whose != Whose::service || !one.known) continue;
    misses += one.misses;
    instructions += one.instructions;
  }
  return instructions > 0 ? std::optional(misses / instructions) : std::nullopt;
}

std::optional<double> ServiceMisses::above_reference(double least) const {
  double misses = 0, usual = 0;
  for (const Container& one : containers_) {
    if (one.whose != Whose::service || !one.known) continue;
    misses += one.misses;
    usual += one.instructions * std::max(one.reference.value_or(0), least);
  }
  return usual > 0 ? std::optional(misses / usual) : std::nullopt;
}

std::optional<double> ServiceMisses::best_effort_share() const {
  double best_effort = 0, all = 0;
  bool is_known = false;
  for (const Container& one : containers_) {
    if (!one.known) continue;
    all += one.misses;
    if (one.whose != Whose::best_effort) continue;
    is_known = true;
    best_effort += one.misses;
  }
  if (!is_known) return std::nullopt;
  return all > 0 ? best_effort / all : 0;
}

void ServiceMisses::mark() {
  for (Container& one : containers_)
    one.marked = one.known && one.whose == Whose::service ? std::optional(one.per_instruction) : std::nullopt;
}

std::optional<double> ServiceMisses::change_since(MonoTime since) const {
  double before = 0, after = 0;
  for (const Container& one : containers_) {
    if (!one.marked || !one.known || one.began < since) continue;
    before += one.instructions * *one.marked;
    after += one.misses;
  }
  return before > 0 ? std::optional(after / before) : std::nullopt;
}

}  // namespace evenkeel::cache
