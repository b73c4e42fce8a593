// A fake host whose pods use CPU: the test sets their use, time advances, and the counters grow as the agent
// sees them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "qos/model/units.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {

class FakeNode {
 public:
  enum class Kernel : std::uint8_t { v1, v2 };
  /// Without a kubelet there is no kubepods: a plain machine.
  FakeNode(int cpus, Kernel kernel, bool kubelet = true);

  FakeHost host{};
  [[nodiscard]] bool v1() const { return kernel_ == Kernel::v1; }

  /// Sets a cgroup's use from now on; its pod, QoS directory and the node count it too.
  void uses(const std::string& cgroup, MilliCpu cpu) { use_[cgroup] = cpu; }
  /// Sets the use outside of pods.
  void system_uses(MilliCpu cpu) { system_ = cpu; }
  /// Sets whether this cgroup is throttled in every period from now on.
  void throttled(const std::string& cgroup, bool yes) { throttled_[cgroup] = yes; }
  /// Advances the time and the counters.
  void run(Duration time);

  [[nodiscard]] std::string besteffort() const { return host.qos_path(KubeQos::besteffort); }
  /// The quota file: cpu.cfs_quota_us or cpu.max.
  [[nodiscard]] const char* quota_file() const { return v1() ? "cpu.cfs_quota_us" : "cpu.max"; }
  /// Microseconds per 100 ms; "-1" or "max" without a limit.
  [[nodiscard]] std::string quota_of(const std::string& cgroup) const;
  [[nodiscard]] std::string besteffort_quota() const { return quota_of(besteffort()); }
  void set_quota(const std::string& cgroup, const std::string& quota_us);
  /// The first line of a control file.
  [[nodiscard]] std::string setting(Controller controller, const std::string& cgroup,
                                    const std::string& file) const;

 private:
  void count(const std::string& cgroup, std::int64_t used_ns);
  void count_periods(const std::string& cgroup, Duration time);
  void write_counters();
  Kernel kernel_;
  MilliCpu system_{};
  std::map<std::string, MilliCpu> use_{};
  std::map<std::string, bool> throttled_{};
  std::map<std::string, std::int64_t> used_ns_{};
  struct Bandwidth {
    std::int64_t periods = 0, throttled = 0;
  };
  std::map<std::string, Bandwidth> bandwidth_{};
  std::int64_t node_ns_ = 0;
};

}  // namespace evenkeel::test
