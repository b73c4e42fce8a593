// Stop, death and a full disk with real files: real cgroups, a real small disk.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "cgroup/base/text.h"
#include "cgroup/executor/file_writer.h"
#include "cgroup/kernel/knob_files.h"
#include "tests/support/live/knob_cgroups.h"
#include "tests/support/no_growth.h"
#include "tests/support/scenes/executor_node.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {
namespace fs = std::filesystem;

TEST(RestoreLive, OnAFullDiskNothingIsWrittenUntilThereIsRoom) {
  StateDir state;
  if (::mount("tmpfs", state.path.c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "cannot mount a small disk";
  {
    auto journal = *executor::Journal::open(state.path, kBoot);
    std::ofstream(state.path + "/filler") << std::string(64 * 1024, 'x');
    ExecutorNode node(false);
    executor::Executor executor(node.tree(), node.kernel, journal, {});
    node.want(kBe, Knob::cpu_quota, std::int64_t{150000});
    auto report = executor.apply(node.plan, node.observe(), {});
    ASSERT_EQ(report.refusals.size(), 1U);
    EXPECT_EQ(report.refusals[0].error.code, ENOSPC);
    EXPECT_EQ(node.kernel.taken(), "");
    fs::remove(state.path + "/filler");
    node.now += std::chrono::seconds(2);
    executor.apply(node.plan, node.observe(), {});
    EXPECT_EQ(node.kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
  }
  ::umount2(state.path.c_str(), MNT_DETACH);
}

/// Real cgroups below a private kubepods, seen by the real tree and written by the real writer.
class LiveNode {
 public:
  explicit LiveNode(KnobCgroups::Version version)
      : v2(version == KnobCgroups::Version::v2),
        cgroups(version, "-restore"),
        host(std::move(*Host::open("/"))),
        tree(host, made()),
        files(host) {
    tree.scan();
  }
  NodeSnapshot observe() {
    NodeSnapshot node;
    node.at = now += std::chrono::seconds(1);
    for (const auto* cgroup : tree.all()) {
      CgroupSample sample{.id = cgroup->id, .kind = cgroup->kind, .path = cgroup->path};
      for (std::size_t i = 0; i < node.cgroups.size(); ++i)
        if (node.cgroups[i].id == cgroup->parent) sample.parent = static_cast<CgroupIndex>(i);
      node.cgroups.push_back(sample);
      read_settings(*cgroup, node.cgroups.back().applied);
    }
    return node;
  }
  void read_settings(const tree::Cgroup& cgroup, Applied& applied) const {
    const auto value = [&](Knob knob) -> std::optional<KnobValue> {
      const auto& lever = row(knob);
      const auto text = host.slurp(tree.dir(cgroup, lever.controller) + "/" +
                                   std::string(v2 ? lever.v2_file : lever.v1_file));
      return text ? kernel::parse_value(knob, *text, tree.layout()) : std::nullopt;
    };
    const auto number = [&](Knob knob) -> std::optional<std::int64_t> {
      const auto found = value(knob);
      const auto* held = found ? std::get_if<std::int64_t>(&*found) : nullptr;
      return held ? std::optional(*held) : std::nullopt;
    };
    applied.cpu_limit.emplace();
    if (const auto quota = number(Knob::cpu_quota)) applied.cpu_limit->quota = QuotaTime(*quota);
    applied.cpu_burst = QuotaTime(number(Knob::cpu_burst).value_or(0));
    applied.cpu_shares = number(Knob::cpu_shares);
    applied.cpu_idle = number(Knob::cpu_idle);
    if (const auto cpus = value(Knob::cpuset_cpus)) applied.cpus = std::get<CpuSet>(*cpus);
  }
  [[nodiscard]] CgroupId id(const std::string& path) const {
    const auto* cgroup = tree.find_path(cgroups.top() + "/" + path);
    return cgroup ? cgroup->id : CgroupId{};
  }
  [[nodiscard]] std::string text(const std::string& path, Knob knob) const {
    return std::string(trimmed(cgroups.read(path, v2 ? row(knob).v2_file : row(knob).v1_file)));
  }
  [[nodiscard]] std::string everything() const {
    std::string out;
    for (const char* path : {"kubepods", kBe, kPod, kCtr})
      for (const auto& lever : knob_table())
        if (!lever.may_be_absent())
          out += std::string(path) + " " + std::string(lever.name) + " " + text(path, lever.knob) + "\n";
    return out;
  }
  std::vector<decide::Intent> plan(std::int64_t quota, const char* cpus) const {
    std::vector<decide::Intent> out;
    const auto want = [&](const char* path, Knob knob, const KnobValue& value) {
      out.push_back({id(path), knob, value, false, 0, because("live")});
    };
    want(kBe, Knob::cpu_quota, quota);
    for (const char* path : {kBe, kPod, kCtr}) want(path, Knob::cpuset_cpus, *CpuSet::parse(cpus));
    want(kPod, Knob::cpu_idle, std::int64_t{1});
    want(kCtr, Knob::cpu_burst, std::int64_t{5000});
    std::ranges::sort(out, {}, [](const decide::Intent& i) { return std::pair(i.target, i.knob); });
    return out;
  }

  bool v2;
  KnobCgroups cgroups;
  Host host;
  tree::CgroupTree tree;
  executor::FileWriter files;
  MonoTime now{};

 private:
  tree::Layout made() {
    if (!v2) cgroups.write("", "cpuset.cpus", "0-1");
    for (const char* path : {"kubepods", kBe, kPod, kCtr}) {
      cgroups.make(path);
      if (!v2) cgroups.write(path, "cpuset.cpus", "0-1");
    }
    cgroups.write(kPod, v2 ? "cpu.weight" : "cpu.shares", v2 ? "20" : "512");
    cgroups.write(kCtr, v2 ? "cpu.max" : "cpu.cfs_quota_us", "90000");
    return *tree::detect_layout(host, cgroups.top());
  }
};

void live_stop_and_death(KnobCgroups::Version version) {
  if (const auto why = KnobCgroups::missing(version)) GTEST_SKIP() << *why;
  LiveNode node(version);
  ASSERT_TRUE(node.id(kCtr)) << "the tree sees the private kubepods";
  const auto before = node.everything();
  StateDir state;
  for (const bool dies : {false, true}) {
    {
      auto journal = *executor::Journal::open(state.path, kBoot);
      executor::Executor executor(node.tree, node.files, journal, {});
      for (const char* cpus : {"0", "1", "0-1", "1"}) {
        const auto report = executor.apply(node.plan(50000, cpus), node.observe(), {});
        for (const auto& refusal : report.refusals)
          ADD_FAILURE() << refusal.path << " " << refusal.text << " " << errno_name(refusal.error.code);
        EXPECT_TRUE(report.foreign.empty());
      }
      EXPECT_EQ(node.text(kCtr, Knob::cpuset_cpus), "1");
      EXPECT_EQ(node.text(kPod, Knob::cpu_idle), "1");
      EXPECT_EQ(node.text(kCtr, Knob::cpu_burst), "5000");
      if (!dies) {
        const auto report = executor.restore_all(node.now);
        EXPECT_TRUE(report.refusals.empty());
        EXPECT_EQ(journal.size(), 0U);
      }
    }
    if (dies) {
      ASSERT_NE(node.everything(), before);
      auto journal = *executor::Journal::open(state.path, kBoot);
      EXPECT_TRUE(executor::restore_from_journal(node.files, journal).refusals.empty());
      EXPECT_EQ(journal.size(), 0U);
    }
    EXPECT_EQ(node.everything(), before) << (dies ? "after a death" : "after a stop");
  }
}

/// What the kubelet and a container runtime do on v1 for a new directory.
void born(LiveNode& node, const std::string& path) {
  node.cgroups.make(path);
  const auto above = path.substr(0, path.rfind('/'));
  ASSERT_EQ(node.cgroups.write(path, "cpuset.cpus", node.text(above, Knob::cpuset_cpus)), 0);
}

TEST(RestoreLive, WidensWhatWasBornOnTheRealV1AfterADeath) {
  if (const auto why = KnobCgroups::missing(KnobCgroups::Version::v1)) GTEST_SKIP() << *why;
  LiveNode node(KnobCgroups::Version::v1);
  const std::string chosen = std::string(kPod) + "/chosen", late = std::string(kPod) + "/late";
  const std::string pod = std::string(kBe) + "/pod2", container = pod + "/c2";
  born(node, chosen);
  ASSERT_EQ(node.cgroups.write(chosen, "cpuset.cpus", "1"), 0);
  node.tree.scan();
  const auto before = node.everything();
  StateDir state;
  {
    auto journal = *executor::Journal::open(state.path, kBoot);
    executor::Executor executor(node.tree, node.files, journal, {});
    EXPECT_TRUE(executor.apply(node.plan(50000, "1"), node.observe(), {}).refusals.empty());
  }
  for (const auto& path : {late, pod, container}) {
    born(node, path);
    ASSERT_EQ(node.text(path, Knob::cpuset_cpus), "1");
    ASSERT_EQ(node.cgroups.attach(path), 0);
  }
  auto journal = *executor::Journal::open(state.path, kBoot);
  const auto report = executor::restore_from_journal(node.files, journal);
  EXPECT_TRUE(report.refusals.empty() && report.foreign.empty());
  EXPECT_EQ(node.everything(), before);
  for (const auto& path : {late, pod, container})
    EXPECT_EQ(node.text(path, Knob::cpuset_cpus), "0-1") << path;
  EXPECT_EQ(node.text(chosen, Knob::cpuset_cpus), "1") << "its owner's choice, and there before";
  EXPECT_EQ(journal.size(), 0U);
}

TEST(RestoreLive, OnAFullDiskAStopGivesSetsBackOnTheRealV1) {
  if (const auto why = KnobCgroups::missing(KnobCgroups::Version::v1)) GTEST_SKIP() << *why;
  LiveNode node(KnobCgroups::Version::v1);
  for (const char* path : {kCtr, kPod}) ASSERT_EQ(node.cgroups.write(path, "cpuset.cpus", "0"), 0);
  const auto before = node.everything();
  StateDir state;
  auto journal = *executor::Journal::open(state.path, kBoot);
  executor::Executor executor(node.tree, node.files, journal, {});
  EXPECT_TRUE(executor.apply(node.plan(50000, "1"), node.observe(), {}).refusals.empty());
  ASSERT_EQ(node.text(kCtr, Knob::cpuset_cpus), "1");
  executor::Report report;
  bool noted = true;
  {
    const NoGrowth full(state.path + "/journal");
    journal.keep_back();
    report = executor.restore_all(node.now);
    noted = journal.write_kept_back().has_value();
  }
  EXPECT_FALSE(noted) << "there was room for a record: nothing is shown";
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(node.everything(), before);
}

TEST(RestoreLive, StopAndDeathOnTheRealV1) { live_stop_and_death(KnobCgroups::Version::v1); }
TEST(RestoreLive, StopAndDeathOnTheRealV2) { live_stop_and_death(KnobCgroups::Version::v2); }

}  // namespace
}  // namespace evenkeel::test
