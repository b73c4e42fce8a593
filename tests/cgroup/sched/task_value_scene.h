// A node with one pod, and what a writer of values of tasks needs. For the tests of those writers.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "cgroup/executor/file_writer.h"
#include "cgroup/sched/task_value_writer.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {

/// `Plan` is what `Writer` applies. The pod has the container "b".
template <class Writer, class Plan>
struct TaskValueScene : testing::Test {
  explicit TaskValueScene(KubeQos qos) {
    host.v2().bare().kubepods();
    pod = host.pod(qos, "11111111-2222-3333-4444-555555555552", {"b"});
  }
  void open() {
    root.emplace(std::move(*Host::open(host.root())));
    tree.emplace(*root, *tree::detect_layout(*root, ""));
    tree->scan();
    files.emplace(*root);
  }
  template <class Setting>
  void restart(Setting& setting, bool dry_run = false) {
    writer.emplace(*tree, *files, setting, journal, dry_run);
  }
  /// The file of the container that lists its processes or its tasks.
  [[nodiscard]] std::string list(std::string_view file) const {
    return "sys/fs/cgroup/" + pod + "/b/" + std::string(file);
  }
  template <class Value>
  void plan_for(const std::string& path, Value value) {
    wanted.members.clear();
    wanted.members.push_back({tree->find_path(path)->id, value, because("the test wants it")});
  }
  executor::Report tick() {
    now += std::chrono::seconds(1);
    executor::Report report;
    writer->apply(wanted, now, report);
    return report;
  }
  executor::Report restore_offline(sched::TaskSetting& setting) {
    executor::Report report;
    sched::restore_task_values(*files, setting, journal, report);
    return report;
  }

  FakeHost host{};
  executor::Journal journal = executor::Journal::in_memory();
  Plan wanted{};
  std::string pod;
  std::optional<Host> root{};
  std::optional<tree::CgroupTree> tree{};
  std::optional<executor::ResctrlKernelFiles> files{};
  std::optional<Writer> writer{};
  MonoTime now{std::chrono::hours(1)};
};

}  // namespace evenkeel::test
