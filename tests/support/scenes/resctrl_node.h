// A node for tests of the resctrl writer: a cgroup tree of plain directories, the resctrl model, and a plan
// that the test fills by name.
#pragma once

#include <optional>
#include <string>

#include "cgroup/resctrl/writer.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/fakes/fake_resctrl.h"

namespace evenkeel::test {

class ResctrlNode {
 public:
  /// kubepods and one best-effort pod with the container "a", whose tasks are 101 and 102.
  explicit ResctrlNode(FakeResctrl::Machine machine = {}, bool dry_run = false);

  /// Adds a container without tasks to the pod. Returns its id.
  CgroupId container(const std::string& name);
  void remove_container(const std::string& name);
  [[nodiscard]] CgroupId id(const std::string& name) const;
  [[nodiscard]] std::string threads_of(const std::string& name) const;

  /// Replaces the plan: a group with its schemata, and its containers.
  void plan(const std::string& group, const std::string& schemata, const std::vector<std::string>& containers,
            decide::ResctrlGroupIndex instead = decide::kRootGroup);
  void no_plan() { intents.clear(); }
  /// `seconds` later.
  executor::Report tick(int seconds = 1);
  /// Runs until every new container was checked often enough; clears the log of writes.
  void settle();
  executor::Report restore_all();
  /// As after a crash of the agent: a new writer with the same journal and kernel.
  void restart();

  FakeResctrl kernel;
  executor::Journal journal = executor::Journal::in_memory();
  decide::ResctrlPlan intents{};

 private:
  FakeHost host_{};
  std::string pod_{};
  std::optional<Host> root_{};
  std::optional<tree::CgroupTree> tree_{};
  bool dry_run_;
  MonoTime now_{std::chrono::hours(1)};

 public:
  std::optional<resctrl::ResctrlGroupWriter> writer{};
};

inline constexpr const char* kBatch = "evenkeel-be";
inline constexpr const char* kLittle = "MB:0=20;1=20\nL3:0=f;1=f\n";
inline constexpr const char* kLittleHeld = "MB:0=20;1=20 L3:0=f;1=f";

}  // namespace evenkeel::test
