// Request sizes on a model of the scheduler: set, followed, given back, and left alone where they are
// others'.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cgroup/sched/request_size_writer.h"
#include "tests/cgroup/sched/task_value_scene.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/fakes/fake_request_sizes.h"

namespace evenkeel::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A batch pod with the tasks 201 and 202, whose requests are to be 100 ms.
struct RequestSize : TaskValueScene<sched::RequestSizeWriter, decide::RequestSizePlan> {
  RequestSize() : TaskValueScene(KubeQos::besteffort) {
    runs({201, 202});
    open();
    restart(sizes);
    plan(milliseconds(100));
  }
  void runs(const std::vector<std::int32_t>& tasks) {
    std::string text;
    for (const auto task : tasks) {
      text += std::to_string(task) + "\n";
      sizes.tasks.emplace(task, sizes.own);
    }
    host.file(list("cgroup.threads"), text);
  }
  void plan(Duration size) { plan_for(pod, size); }
  executor::Report restore_offline() { return TaskValueScene::restore_offline(sizes); }
  [[nodiscard]] Duration of(std::int32_t task) const { return sizes.tasks.at(task); }

  FakeRequestSizes sizes{};
};

TEST_F(RequestSize, AllTasksOfAPodGetItOnce) {
  const auto report = tick();
  EXPECT_EQ(of(201), milliseconds(100));
  EXPECT_EQ(of(202), milliseconds(100));
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(report.writes[0].old_text, "the kernel's own");
  EXPECT_EQ(report.writes[0].new_text, "100000 us: 2 tasks");
  std::vector<executor::Managed> managed;
  writer->add_managed(managed);
  ASSERT_EQ(managed.size(), 1U);
  EXPECT_EQ(managed[0].ours, "100000 us");
  EXPECT_EQ(journal.directories().size(), 1U);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(tick().writes.empty()) << "what holds is not written";
  EXPECT_EQ(sizes.sets, 2);
}

TEST_F(RequestSize, TasksThatJoinLaterGetItWithinTenSeconds) {
  tick();
  runs({201, 202, 203});
  tick();
  EXPECT_EQ(of(203), milliseconds(100)) << "a new pod is checked each second";
  for (int i = 0; i < 10; ++i) tick();
  runs({201, 202, 203, 204});
  for (int i = 0; i < 10; ++i) tick();
  EXPECT_EQ(of(204), milliseconds(100));
}

/// How many files are read.
class CountedFiles final : public ResctrlFiles {
 public:
  explicit CountedFiles(const Host& host) : files_(host) {}
  Result<std::string_view> read(const std::string& path, std::string& buffer) override {
    ++reads;
    return files_.read(path, buffer);
  }
  Result<> write(const std::string& path, std::string_view text) override { return files_.write(path, text); }
  Result<> make_dir(const std::string& path) override { return files_.make_dir(path); }
  Result<> remove_dir(const std::string& path) override { return files_.remove_dir(path); }
  Result<std::uint64_t> inode(const std::string& path) override { return files_.inode(path); }
  Result<> append_subdirs(const std::string& path, std::string& names) override {
    return files_.append_subdirs(path, names);
  }
  int reads = 0;

 private:
  executor::ResctrlKernelFiles files_;
};

TEST_F(RequestSize, LookingForThemReadsATenthOfThePodsInATickAndAllocatesNothing) {
  for (int i = 10; i < 29; ++i)
    host.pod(KubeQos::besteffort, "11111111-2222-3333-4444-5555555555" + std::to_string(i), {"b"});
  tree->scan();
  wanted.members.clear();
  for (const auto* cgroup : tree->all())
    if (cgroup->kind == CgroupKind::pod)
      wanted.members.push_back({cgroup->id, milliseconds(100), because("the test wants it")});
  ASSERT_EQ(wanted.members.size(), 20U);
  CountedFiles counted(*root);
  writer.emplace(*tree, counted, sizes, journal, false);
  for (int i = 0; i < 20; ++i) tick();
  for (int i = 0; i < 10; ++i) {
    counted.reads = 0;
    const AllocGuard guard;
    tick();
    EXPECT_EQ(guard.allocations(), 0U);
    EXPECT_EQ(counted.reads, 2 * 2) << "two pods, each with its own list and that of its container";
  }
}

TEST_F(RequestSize, TheTasksOfAContainerThatStartsLaterGetItAtOnce) {
  for (int i = 0; i < 10; ++i) tick();
  sizes.tasks.emplace(301, sizes.own);
  const auto started = host.container(pod, "c");
  host.file("sys/fs/cgroup/" + started + "/cgroup.threads", "");
  tree->scan();
  tick();  // its process is not there yet
  host.file("sys/fs/cgroup/" + started + "/cgroup.threads", "301\n");
  tick();
  EXPECT_EQ(of(301), milliseconds(100));
}

TEST_F(RequestSize, ATaskWithASizeOfItsOwnIsLeftAloneAndReportedOnce) {
  sizes.tasks[202] = microseconds(500);
  EXPECT_EQ(tick().foreign.size(), 1U);
  EXPECT_EQ(of(201), milliseconds(100));
  EXPECT_EQ(of(202), microseconds(500));
  for (int i = 0; i < 70; ++i) EXPECT_TRUE(tick().foreign.empty());
  wanted.members.clear();
  tick();
  EXPECT_EQ(of(201), sizes.own);
  EXPECT_EQ(of(202), microseconds(500));
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(RequestSize, WithAnotherNumberOfCpusTheKernelsOwnIsStillRecognized) {
  tick();
  runs({201, 202, 203});           // asleep since before the change
  sizes.own = microseconds(1400);  // CPUs went offline
  sizes.tasks[204] = sizes.own;
  runs({201, 202, 203, 204});
  tick();
  EXPECT_EQ(of(203), milliseconds(100));
  EXPECT_EQ(of(204), milliseconds(100));
}

TEST_F(RequestSize, AnotherSizeReplacesTheFirstAndTheEndRestoresBoth) {
  tick();
  plan(milliseconds(50));
  tick();
  EXPECT_EQ(of(201), milliseconds(50));
  sizes.tasks[203] = milliseconds(100);  // inherited from a task that had not been changed yet
  runs({201, 202, 203});
  executor::Report report;
  writer->restore_all(now, report);
  for (const auto task : {201, 202, 203}) EXPECT_EQ(of(task), sizes.own) << task;
  EXPECT_TRUE(journal.directories().empty());
  ASSERT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(report.writes[0].restored);
}

TEST_F(RequestSize, AfterACrashTheJournalRestoresOnlyWhatIsStillOurs) {
  tick();
  sizes.tasks[202] = milliseconds(7);  // set by another process since
  const auto report = restore_offline();
  EXPECT_EQ(of(201), sizes.own);
  EXPECT_EQ(of(202), milliseconds(7));
  EXPECT_EQ(report.writes.size(), 1U);
  EXPECT_TRUE(journal.directories().empty());
  EXPECT_TRUE(restore_offline().writes.empty());
}

TEST_F(RequestSize, ARefusalIsReportedOncePerPauseAndRetried) {
  sizes.refusal = EPERM;
  EXPECT_EQ(tick().refusals.size(), 1U);
  for (int i = 0; i < 55; ++i) EXPECT_TRUE(tick().refusals.empty()) << "paused";
  sizes.refusal = 0;
  for (int i = 0; i < 10; ++i) tick();
  EXPECT_EQ(of(201), milliseconds(100));
}

TEST_F(RequestSize, ItSaysThatSizesAreRefusedUntilOneIsSet) {
  EXPECT_FALSE(writer->refused());
  tick();
  EXPECT_FALSE(writer->refused());
  runs({201, 202, 203});
  sizes.refusal = EPERM;
  tick();
  EXPECT_TRUE(writer->refused());
  for (int i = 0; i < 100; ++i) tick();
  EXPECT_TRUE(writer->refused()) << "a retry was refused, too";
  sizes.refusal = 0;
  for (int i = 0; i < 200 && writer->refused(); ++i) tick();
  EXPECT_FALSE(writer->refused());
  EXPECT_EQ(of(203), milliseconds(100)) << "and not before";
}

TEST_F(RequestSize, ThatAnotherPodHasNoTasksSaysNothingAboutARefusal) {
  const auto other = host.pod(KubeQos::besteffort, "11111111-2222-3333-4444-555555555553", {"b"});
  tree->scan();
  wanted.members.push_back({tree->find_path(other)->id, milliseconds(100), because("the test wants it")});
  sizes.refusal = EPERM;
  tick();
  ASSERT_TRUE(writer->refused());
  runs({});  // its tasks have ended
  sizes.tasks.clear();
  for (int i = 0; i < 100; ++i) tick();
  EXPECT_TRUE(writer->refused());
  host.remove_cgroup(pod);
  tree->scan();
  wanted.members.erase(wanted.members.begin());
  for (int i = 0; i < 100; ++i) tick();
  EXPECT_TRUE(writer->refused()) << "nothing was set since";
  sizes.refusal = 0;
  sizes.tasks.emplace(301, sizes.own);
  host.file("sys/fs/cgroup/" + other + "/b/cgroup.threads", "301\n");
  for (int i = 0; i < 700 && writer->refused(); ++i) tick();
  EXPECT_FALSE(writer->refused());
}

TEST_F(RequestSize, ARefusedPodKeepsNoOtherFromItsSize) {
  const auto other = host.pod(KubeQos::besteffort, "11111111-2222-3333-4444-555555555553", {"b"});
  host.file("sys/fs/cgroup/" + other + "/b/cgroup.threads", "301\n");
  sizes.tasks.emplace(301, sizes.own);
  tree->scan();
  wanted.members.push_back({tree->find_path(other)->id, milliseconds(100), because("the test wants it")});
  sizes.guarded = {201};
  EXPECT_EQ(tick().refusals.size(), 1U);
  EXPECT_EQ(of(301), milliseconds(100));
  EXPECT_TRUE(writer->refused());
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(tick().refusals.empty());
  EXPECT_EQ(writer->counters().refusals, 1U) << "after a pause";
  sizes.guarded.clear();
  for (int i = 0; i < 60; ++i) tick();
  EXPECT_EQ(of(201), milliseconds(100));
  EXPECT_FALSE(writer->refused());
}

TEST_F(RequestSize, ARefusedRestoreStaysInTheJournal) {
  tick();
  sizes.refusal = EPERM;
  EXPECT_EQ(restore_offline().refusals.size(), 1U);
  EXPECT_EQ(journal.directories().size(), 1U);
  sizes.refusal = 0;
  restore_offline();
  EXPECT_EQ(of(201), sizes.own);
}

TEST_F(RequestSize, TasksOfAnotherPidNamespaceStayInTheJournal) {
  tick();
  host.file(list("cgroup.threads"), "0\n0\n");
  EXPECT_EQ(restore_offline().refusals.size(), 1U);
  EXPECT_EQ(journal.directories().size(), 1U);
}

TEST_F(RequestSize, DryRunSaysWhatItWouldSetAndSetsNothing) {
  restart(sizes, true);
  EXPECT_EQ(tick().writes.size(), 1U);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(tick().writes.empty());
  EXPECT_EQ(sizes.sets, 0);
  EXPECT_TRUE(journal.directories().empty());
}

TEST_F(RequestSize, APodThatIsGoneLeavesNothingInTheJournal) {
  tick();
  host.remove_cgroup(pod);
  tree->scan();
  tick();
  EXPECT_TRUE(journal.directories().empty());
  EXPECT_EQ(writer->counters().members, 0U);
}

}  // namespace
}  // namespace evenkeel::test
