// A model of core scheduling cookies: every task has one or none, and the kernel can be made to refuse.
#pragma once

#include <cerrno>
#include <map>
#include <set>

#include "cgroup/sched/core_sched_writer.h"

namespace evenkeel::test {

class FakeCookies final : public sched::CoreCookies {
 public:
  std::map<std::int32_t, std::uint64_t> tasks{};  ///< 0: none
  bool nameless = false;                          ///< the kernel cannot report the cookie that it assigns
  int refusal = 0;                                ///< errno that every call returns
  std::set<std::int32_t> secret{};                ///< EPERM for who asks for their cookie
  int handed_out = 0;

  Result<std::uint64_t> of(std::int32_t task) override {
    if (refusal != 0) return fail(refusal, Op::read);
    if (secret.contains(task)) return fail(EPERM, Op::read);
    const auto found = tasks.find(task);
    return found == tasks.end() ? Result<std::uint64_t>(fail(ESRCH, Op::read)) : found->second;
  }
  Given create_cookie(std::span<const std::int32_t> to,
                      const std::function<bool(std::uint64_t)>& announced) override {
    if (nameless) return {.error = {EAGAIN, Op::write}};
    const auto cookie = next_++;
    return announced(cookie) ? hand_out(cookie, to) : Given{.error = {ECANCELED, Op::write}};
  }
  Given give(std::uint64_t cookie, std::int32_t like, std::span<const std::int32_t> to) override {
    return of(like).value_or(0) == cookie ? hand_out(cookie, to) : Given{.error = {ESRCH, Op::write}};
  }
  Given clear_cookies(std::span<const std::int32_t> from) override { return hand_out(0, from); }

 private:
  Given hand_out(std::uint64_t cookie, std::span<const std::int32_t> to) {
    Given given{.cookie = cookie};
    for (const auto task : to)
      if (const auto found = tasks.find(task); found != tasks.end()) {
        found->second = cookie;
        ++given.tasks;
      }
    handed_out += given.tasks;
    return given;
  }
  std::uint64_t next_ = 0xc001;
};

}  // namespace evenkeel::test
