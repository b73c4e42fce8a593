// A host made of plain files: a root directory below /dev/shm that looks like /proc, /sys and the cgroup
// hierarchies of a Kubernetes node, v1, co-mounted v1, v2 or hybrid, with either cgroup driver. Only stores
// what is written: does not model the kernel's rules.
//
//   FakeHost host;
//   host.machine({.cpus = 4}).v1().systemd().kubepods();
//   const auto pod = host.pod(KubeQos::besteffort, "11-22", {"c1", "c2"});
//   host.write(Controller::cpu, pod, "cpu.cfs_quota_us", "50000\n");
//   EXPECT_EQ(host.read("sys/fs/cgroup/cpu/" + pod + "/cpu.shares"), "2\n");
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/knob.h"
#include "qos/model/pod.h"

namespace evenkeel::test {

struct FakeMachine {
  int cpus = 4;
  std::int64_t memory_kib = 16777216;
  std::int64_t available_kib = 12582912;
};

enum class FakeRuntime : std::uint8_t { containerd, crio, docker, pouch };

class FakeHost {
 public:
  FakeHost();
  ~FakeHost();
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  /// Absolute, without a slash at the end.
  [[nodiscard]] const std::string& root() const { return root_; }

  // Files. Paths are relative to the root; missing parents are created.
  FakeHost& file(const std::string& path, std::string_view text);
  FakeHost& dir(const std::string& path);
  FakeHost& link(const std::string& path, const std::string& target);
  /// Removes a file or a whole directory.
  FakeHost& remove(const std::string& path);
  /// A file's text; "<missing>" if it does not exist, so that a failing EXPECT_EQ shows it.
  [[nodiscard]] std::string read(const std::string& path) const;
  [[nodiscard]] bool exists(const std::string& path) const;

  // The hardware: proc/stat, meminfo, cpuinfo, pressure, sys/devices/system/cpu and node. Call before a
  // hierarchy, whose cpusets are the machine's CPUs.
  FakeHost& machine(FakeMachine machine = {});

  // The hierarchies: call exactly one of these, once.
  FakeHost& v1();            ///< cpu, cpuacct, cpuset, memory, blkio, perf_event, each separately
  FakeHost& v1_comounted();  ///< "cpu,cpuacct" with the links cpu and cpuacct, as systemd mounts it
  FakeHost& v2();
  FakeHost& hybrid();  ///< v1_comounted, and a unified hierarchy without controllers (with PSI)

  // The kubelet's cgroup driver. Call before kubepods().
  FakeHost& cgroupfs();  ///< the default
  FakeHost& systemd();
  FakeHost& runtime(FakeRuntime runtime);              ///< containerd is the default
  FakeHost& cgroup_root(const std::string& relative);  ///< kubelet's --cgroup-root, "a/b"
  /// From now on creates directories without files, for tests of size.
  FakeHost& bare(bool on = true);

  /// Creates kubepods and its QoS directories.
  FakeHost& kubepods();
  /// Creates a pod's directory with its containers in every hierarchy; returns its path relative to a
  /// hierarchy's root.
  std::string pod(KubeQos qos, std::string_view uid, const std::vector<std::string>& containers = {});
  /// Adds a container to a pod; `pod` is the path that pod() returned. Returns its path.
  std::string container(const std::string& pod, std::string_view id);
  /// Creates a cgroup with the kernel's files in every hierarchy.
  FakeHost& cgroup(const std::string& path);
  /// Removes a cgroup and its descendants from every hierarchy.
  FakeHost& remove_cgroup(const std::string& path);

  [[nodiscard]] std::string kubepods_path() const;
  [[nodiscard]] std::string qos_path(KubeQos qos) const;
  /// A controller's directory of a cgroup, relative to the root of the host ("sys/fs/cgroup/cpu/kubepods").
  [[nodiscard]] std::string dir_of(Controller controller, const std::string& cgroup) const;
  FakeHost& write(Controller controller, const std::string& cgroup, const std::string& file,
                  std::string_view text);
  [[nodiscard]] std::string read(Controller controller, const std::string& cgroup,
                                 const std::string& file) const;

  [[nodiscard]] int cpus() const { return cpus_; }

 private:
  struct Hierarchy {
    std::string dir{};                      ///< "sys/fs/cgroup/cpu,cpuacct"
    std::vector<Controller> controllers{};  ///< empty: a unified hierarchy without controllers
    bool unified = false;
  };
  FakeHost& hierarchy(std::string dir, std::vector<Controller> controllers, bool unified);
  void fill(const Hierarchy& hierarchy, const std::string& path, bool besteffort);
  void fill_files(const Hierarchy& hierarchy, const std::string& dir, bool besteffort, bool is_root);

  std::string root_{};
  std::vector<Hierarchy> hierarchies_{};
  std::string cgroup_root_{};
  bool systemd_ = false;
  bool bare_ = false;
  FakeRuntime runtime_ = FakeRuntime::containerd;
  int cpus_ = 4;
};

}  // namespace evenkeel::test
