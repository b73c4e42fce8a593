// A node for executor tests: a cgroup tree of plain directories, the kernel model behind the files, and a
// plan that the test fills by path.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cgroup/executor/executor.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/fakes/fake_kernel.h"

namespace evenkeel::test {

/// The BestEffort directory, its only pod, and the pod's only container.
inline constexpr const char* kBe = "kubepods/besteffort";
inline constexpr const char* kPod = "kubepods/besteffort/pod1";
inline constexpr const char* kCtr = "kubepods/besteffort/pod1/ctr";
/// The same where the kubelet lets systemd make the cgroups.
inline constexpr const char* kBeSlice = "kubepods.slice/kubepods-besteffort.slice";
inline constexpr const char* kPodSlice =
    "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1.slice";
inline constexpr const char* kCtrScope =
    "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1.slice/cri-containerd-ctr.scope";

class ExecutorNode {
 public:
  /// kubepods, its QoS directories, and one best-effort pod with one container.
  explicit ExecutorNode(bool v2, executor::ExecutorOptions options = {}, bool vendor = false,
                        bool systemd = false);

  void add(const std::string& path);
  void remove(const std::string& path);
  [[nodiscard]] CgroupId id(const std::string& path) const;
  void want(const std::string& path, Knob knob, const KnobValue& value);
  void want_on(const std::string& path, std::uint32_t disk, Knob knob, const KnobValue& value);
  void hold(const std::string& path, Knob knob);
  /// What a sampler would see now.
  [[nodiscard]] NodeSnapshot observe();
  [[nodiscard]] const tree::CgroupTree& tree() const { return *tree_; }
  /// One second later: runs the plan with the current kernel state and the events seen (which are then
  /// cleared).
  executor::Report tick();

 private:
  void sort_plan();
  void observe_disks(const CgroupSample& sample, NodeSnapshot& node);
  FakeHost host_{};
  std::optional<Host> root_{};
  bool v2_;
  std::optional<tree::CgroupTree> tree_{};

 public:
  FakeKernel kernel;
  executor::Journal journal = executor::Journal::in_memory();
  std::vector<decide::Intent> plan{};
  std::vector<tree::TreeWatch::Changes::Value> seen{};
  std::set<std::string> hands_off{};
  MonoTime now{};
  std::optional<executor::Executor> executor_holder{};
  executor::Executor& executor;

 private:
  executor::Executor& build(executor::ExecutorOptions options, bool systemd);
};

}  // namespace evenkeel::test
