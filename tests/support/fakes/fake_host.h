// A machine made of plain files: a root directory below /dev/shm that looks like /proc, /sys and the cgroup
// hierarchies of a Kubernetes node, v1, co-mounted v1, v2 or hybrid, with either cgroup driver.
// It only keeps what is written to it: the kernel's rules (who may write what) are not its business.
//
//   FakeHost host;
//   host.machine({.cpus = 4}).v1().systemd().kubepods();
//   const auto pod = host.pod(KubeQos::besteffort, "11-22", {"c1", "c2"});
//   host.write(Controller::cpu, pod, "cpu.cfs_quota_us", "50000\n");
//   EXPECT_EQ(host.read("sys/fs/cgroup/cpu/" + pod + "/cpu.shares"), "2\n");
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
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

  /// Absolute; no slash at the end.
  [[nodiscard]] const std::string& root() const { return root_; }

  // Files. Paths are relative to the root; what is missing above them is made.
  FakeHost& file(const std::string& path, std::string_view text);
  FakeHost& dir(const std::string& path);
  FakeHost& link(const std::string& path, const std::string& target);
  /// Removes a file or a whole directory.
  FakeHost& remove(const std::string& path);
  /// A file's text; "<missing>" when it is not there, so that a failing EXPECT_EQ says so.
  [[nodiscard]] std::string read(const std::string& path) const;
  [[nodiscard]] bool exists(const std::string& path) const;

  // The machine: proc/stat, meminfo, cpuinfo, pressure, sys/devices/system/cpu and node. Call before a
  // hierarchy: its cpusets are the machine's CPUs.
  FakeHost& machine(FakeMachine machine = {});

  // The hierarchies; exactly one of them, once.
  FakeHost& v1();            ///< cpu, cpuacct, cpuset, memory, blkio, perf_event each by itself
  FakeHost& v1_comounted();  ///< "cpu,cpuacct" with the links cpu and cpuacct, as systemd mounts it
  FakeHost& v2();
  FakeHost& hybrid();  ///< v1_comounted, and a unified hierarchy without controllers (PSI is there)

  // How the kubelet names its directories. Call before kubepods().
  FakeHost& cgroupfs();  ///< the default
  FakeHost& systemd();
  FakeHost& runtime(FakeRuntime runtime);              ///< containerd is the default
  FakeHost& cgroup_root(const std::string& relative);  ///< kubelet's --cgroup-root, "a/b"
  /// Directories without files from now on: for tests of size.
  FakeHost& bare(bool on = true);

  /// kubepods and its QoS directories.
  FakeHost& kubepods();
  /// A pod's directory with its containers, in every hierarchy; its path relative to a hierarchy's root.
  std::string pod(KubeQos qos, std::string_view uid, const std::vector<std::string>& containers = {});
  /// One more container of a pod; `pod` is the path that pod() gave. Returns its path.
  std::string container(const std::string& pod, std::string_view id);
  /// Any cgroup, with the files that the kernel makes, in every hierarchy.
  FakeHost& cgroup(const std::string& path);
  /// Removes a cgroup and those beneath it from every hierarchy.
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
    std::vector<Controller> controllers{};  ///< empty: a unified one without controllers
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
