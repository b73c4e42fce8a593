#include "tests/support/fake_node.h"

#include <filesystem>
#include <fstream>

namespace evenkeel::test {
namespace {

std::string parent_of(const std::string& cgroup) {
  const auto slash = cgroup.rfind('/');
  return slash == std::string::npos ? std::string() : cgroup.substr(0, slash);
}

std::int64_t used_in(MilliCpu cpu, Duration time) { return scaled(cpu.count(), time.count(), 1000); }

}  // namespace

FakeNode::FakeNode(int cpus, Kernel kernel) : kernel_(kernel), cpus_(cpus) {
  host.machine({.cpus = cpus});
  if (kernel == Kernel::v1) {
    host.v1();
  } else {
    host.v2();
  }
  host.kubepods();
  std::filesystem::create_directories(state_dir());
  write_counters();
}

FakeNode::~FakeNode() { std::filesystem::remove_all(state_dir()); }

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
    if (kernel_ == Kernel::v1) {
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

std::string FakeNode::quota_of(const std::string& cgroup) const {
  const std::string text =
      host.read(Controller::cpu, cgroup, kernel_ == Kernel::v1 ? "cpu.cfs_quota_us" : "cpu.max");
  return text.substr(0, text.find_first_of(" \n"));
}

std::string FakeNode::text_file(const std::string& name, const std::string& text) {
  const std::string path = state_dir() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace evenkeel::test
