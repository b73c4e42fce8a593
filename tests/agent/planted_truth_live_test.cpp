// Planted truth: a real service, real antagonists switched on and off beside it, and an innocent neighbour
// who is busy all the time. Who is named, and who is not? PLANTED_RUNS (1) is how often each antagonist
// comes; the table is printed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "tests/support/live_cgroups.h"
#include "tests/support/pinned_task.h"
#include "tests/support/state_dir.h"
#include "tests/support/stepped_agent.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kUid[] = {
    "aaaaaaaa-0000-0000-0000-000000000001", "aaaaaaaa-0000-0000-0000-000000000002",
    "aaaaaaaa-0000-0000-0000-000000000003", "aaaaaaaa-0000-0000-0000-000000000004"};
enum Who : std::size_t { shop, hog, writer, innocent };
constexpr const char* kName[] = {"shop", "hog", "writer", "innocent"};
constexpr std::size_t kBlock = 4096;

/// Reads or writes a file past the page cache, block after block.
void disk_work(const std::string& path, bool writes, std::size_t bytes, Duration rest) {
  const int fd = ::open(path.c_str(), (writes ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC);
  void* block = std::aligned_alloc(kBlock, bytes);
  constexpr off_t kSize = off_t{64} << 20;
  for (off_t at = 0;; at = (at + static_cast<off_t>(bytes) * 7) % kSize) {
    const auto done = writes ? ::pwrite(fd, block, bytes, at) : ::pread(fd, block, bytes, at);
    if (done < 0) ::_exit(4);
    if (rest > Duration::zero()) std::this_thread::sleep_for(rest);
  }
}

class LivePlantedTruth : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("PLANTED_RUNS") == nullptr)
      GTEST_SKIP() << "takes minutes on a quiet machine: PLANTED_RUNS=20 runs it";
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one CPU: nobody would be innocent";
    for (const Who who : {shop, hog, writer, innocent}) cgroups_.make(cgroup_of(who));
    // What else the machine does is not to be what the service waits for; among the pods all are equal.
    const bool v2 = cgroups_.layout().v2(Controller::cpu);
    const std::string file = v2 ? "cpu.weight" : "cpu.shares";
    std::ofstream(cgroups_.file(Controller::cpu, "", file)) << (v2 ? "10000" : "262144");
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "extensions: {evenkeel: {interference: {enable: true, stallWindow: 1s}}}\n";
    std::ofstream pods(dir_.path + "/pods.yaml");
    pods << "items:\n";
    for (const Who who : {shop, hog, writer, innocent})
      pods << "- {metadata: {uid: " << kUid[who] << ", namespace: lab, name: " << kName[who]
           << "}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: "
           << (who == shop ? "Burstable" : "BestEffort")
           << ", containerStatuses: [{name: a, containerID: 'containerd://c1', state: {running: {}}}]}}\n";
    pods.close();
    make_file(own_file());
    make_file(other_file());
  }
  void TearDown() override {
    ::unlink(own_file().c_str());
    ::unlink(other_file().c_str());
  }
  static std::string cgroup_of(Who who) {
    return std::string("kubepods/") + (who == shop ? "burstable" : "besteffort") + "/pod" + kUid[who] + "/c1";
  }
  // Not in memory: the state directory may be on a tmpfs, which takes no direct reads.
  [[nodiscard]] std::string own_file() const {
    return EVENKEEL_HELPERS "/planted-own." + std::to_string(::getpid());
  }
  [[nodiscard]] std::string other_file() const {
    return EVENKEEL_HELPERS "/planted-other." + std::to_string(::getpid());
  }
  static void make_file(const std::string& path) {
    std::ofstream out(path);
    const std::string block(1 << 20, 'x');
    for (int i = 0; i < 65; ++i) out << block;
  }
  /// Ticks of a second; who is accused of hurting the shop in any of them.
  std::set<std::string> accused_during(SteppedAgent& agent, int seconds) {
    std::set<std::string> names;
    for (int i = 0; i < seconds; ++i) {
      next_ += 1s;
      std::this_thread::sleep_until(next_);
      const Step step = agent.advance();
      const Value* all = step.json.find("interference");
      if (all == nullptr || all->list() == nullptr) continue;
      for (const Value& one : *all->list()) {
        if (one.find("victim") == nullptr || one.find("victim")->scalar()->text != "lab/shop") continue;
        const std::string name = one.find("antagonist")->scalar()->text;
        if (names.insert(name).second) std::printf("  %s\n", one.find("why")->scalar()->text.c_str());
      }
    }
    return names;
  }

  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::chrono::steady_clock::time_point next_{};
};

struct Planted {
  const char* name;
  bool hog, writer;
};

TEST_F(LivePlantedTruth, TheGuiltyAreNamedAndTheInnocentAreNot) {
  const int runs = std::max(1, std::atoi(std::getenv("PLANTED_RUNS")));
  SteppedAgent agent({"--cgroup-root", cgroups_.top(), "--nodeslo", dir_.path + "/nodeslo.yaml", "--pods",
                      "file:" + dir_.path + "/pods.yaml", "--state-dir", dir_.path + "/state"});
  const PinnedTask computes(cgroups_, cgroup_of(shop), 0, [] { work_and_rest(6ms, 4ms); });
  const PinnedTask reads(cgroups_, cgroup_of(shop), 1, [this] { disk_work(own_file(), false, kBlock, 5ms); });
  const PinnedTask neighbour(cgroups_, cgroup_of(innocent), 1, [] { work_and_rest(3ms, 3ms); });
  ASSERT_EQ(computes.why_not() + reads.why_not() + neighbour.why_not(), "");
  next_ = std::chrono::steady_clock::now();
  const auto before = accused_during(agent, 60);
  int clean_seconds = 0, false_in_clean = 0;
  std::map<std::string, std::map<std::string, int>> table;
  for (int run = 0; run < runs; ++run) {
    for (const Planted& planted :
         {Planted{"hog", true, false}, Planted{"writer", false, true}, Planted{"both", true, true}}) {
      {
        std::optional<PinnedTask> spins, writes;
        if (planted.hog) spins.emplace(cgroups_, cgroup_of(hog), 0, [] { spin(); });
        if (planted.writer)
          writes.emplace(cgroups_, cgroup_of(writer), 1,
                         [this] { disk_work(other_file(), true, std::size_t{1} << 20, 0ms); });
        for (const auto& name : accused_during(agent, 10)) ++table[planted.name][name];
      }
      accused_during(agent, 6);  // it takes some windows to be over
      const auto clean = accused_during(agent, 8);
      clean_seconds += 8;
      false_in_clean += static_cast<int>(clean.size());
    }
  }
  std::printf("%-10s %6s %10s %10s %10s\n", "planted", "runs", "hog", "writer", "innocent");
  for (const char* row : {"hog", "writer", "both"})
    std::printf("%-10s %6d %10d %10d %10d\n", row, runs, table[row]["lab/hog"], table[row]["lab/writer"],
                table[row]["lab/innocent"]);
  std::printf("clean: %d false accusations in %d s\n", false_in_clean, clean_seconds);
  EXPECT_TRUE(before.empty());
  EXPECT_GE(table["hog"]["lab/hog"] * 10, runs * 8);
  EXPECT_EQ(table["hog"]["lab/innocent"] + table["both"]["lab/innocent"], 0);
}

}  // namespace
}  // namespace evenkeel::test
