// A model of tasks' request sizes: the kernel's own for who asks for nothing, and refusals on demand.
#pragma once

#include <cerrno>
#include <map>
#include <set>

#include "cgroup/sched/request_size_writer.h"

namespace evenkeel::test {

class FakeRequestSizes final : public sched::RequestSizes {
 public:
  Duration own{std::chrono::microseconds(2800)};
  std::map<std::int32_t, Duration> tasks{};
  int refusal = 0;                   ///< errno that set() returns
  std::set<std::int32_t> guarded{};  ///< EPERM for these alone
  int sets = 0;

  Result<Duration> of(std::int32_t task) override {
    const auto found = tasks.find(task);
    return found == tasks.end() ? Result<Duration>(fail(ESRCH, Op::read)) : found->second;
  }
  Result<> set(std::int32_t task, Duration size) override {
    if (refusal != 0) return fail(refusal, Op::write);
    if (guarded.contains(task)) return fail(EPERM, Op::write);
    const auto found = tasks.find(task);
    if (found == tasks.end()) return fail(ESRCH, Op::write);
    found->second = size == Duration::zero() ? own : size;
    ++sets;
    return {};
  }
  Result<Duration> kernels_own() override { return own; }
};

}  // namespace evenkeel::test
