#include "tests/support/fakes/fake_node.h"

namespace evenkeel::test {
namespace {

std::string parent_of(const std::string& cgroup) {
  const auto slash = cgroup.rfind('/');
  return slash == std::string::npos ? std::string() : cgroup.substr(0, slash);
}

std::int64_t used_in(MilliCpu cpu, Duration time) { return scaled(cpu.count(), time.count(), 1000); }

}  // namespace

FakeNode::FakeNode(int cpus, Kernel kernel, bool kubelet) : kernel_(kernel) {
  host.machine({.cpus = cpus});
  if (kernel == Kernel::v1) {
    host.v1();
  } else {
    host.v2();
  }
  if (kubelet) host.kubepods();
  write_counters();
}

void FakeNode::count(const std::string& cgroup, std::int64_t used_ns) {
  for (std::string at = cgroup; !at.empty(); at = parent_of(at)) used_ns_[at] += used_ns;
  node_ns_ += used_ns;
}

void FakeNode::count_periods(const std::string& cgroup, Duration time) {
  const auto periods = time / std::chrono::milliseconds(100);
  bandwidth_[cgroup].periods += periods;
  if (throttled_[cgroup]) bandwidth_[cgroup].throttled += periods;
}

void FakeNode::run(Duration time) {
  for (const auto& [cgroup, cpu] : use_) count(cgroup, used_in(cpu, time));
  for (const auto& [cgroup, unused] : throttled_) count_periods(cgroup, time);
  node_ns_ += used_in(system_, time);
  write_counters();
}

void FakeNode::write_counters() {
  const std::int64_t ticks = node_ns_ / 10'000'000;  // USER_HZ = 100
  host.file("proc/stat", "cpu  " + std::to_string(ticks) + " 0 0 100000 0 0 0 0 0 0\n");
  for (const auto& [cgroup, used] : used_ns_) {
    const auto& [periods, throttled] = bandwidth_[cgroup];
    const std::string bandwidth =
        "nr_periods " + std::to_string(periods) + "\nnr_throttled " + std::to_string(throttled) + "\n";
    if (v1()) {
      host.write(Controller::cpuacct, cgroup, "cpuacct.usage", std::to_string(used) + "\n");
      host.write(Controller::cpu, cgroup, "cpu.stat",
                 bandwidth + "throttled_time 0\nnr_bursts 0\nburst_time 0\n");
    } else {
      host.write(Controller::cpu, cgroup, "cpu.stat",
                 "usage_usec " + std::to_string(used / 1000) + "\nuser_usec 0\nsystem_usec 0\n" + bandwidth +
                     "throttled_usec 0\nnr_bursts 0\nburst_usec 0\n");
    }
  }
}

std::string FakeNode::setting(Controller controller, const std::string& cgroup,
                              const std::string& file) const {
  const std::string text = host.read(controller, cgroup, file);
  return text.substr(0, text.find('\n'));
}

std::string FakeNode::quota_of(const std::string& cgroup) const {
  const std::string text = setting(Controller::cpu, cgroup, quota_file());
  return text.substr(0, text.find(' '));
}

void FakeNode::set_quota(const std::string& cgroup, const std::string& quota_us) {
  host.write(Controller::cpu, cgroup, quota_file(), quota_us + (v1() ? "\n" : " 100000\n"));
}

}  // namespace evenkeel::test
