// Measures interference detection against a known truth: a real service, real antagonists switched on and off
// beside it, and an innocent neighbour that is always busy. Prints which pods were named. PLANTED_RUNS sets
// how often each antagonist runs (100 s for each round of all).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <list>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "cgroup/base/result.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/environment.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kUid[] = {
    "aaaaaaaa-0000-0000-0000-000000000001", "aaaaaaaa-0000-0000-0000-000000000002",
    "aaaaaaaa-0000-0000-0000-000000000003", "aaaaaaaa-0000-0000-0000-000000000004",
    "aaaaaaaa-0000-0000-0000-000000000005"};
enum Who : std::size_t { shop, hog, writer, allocator, innocent };
constexpr const char* kName[] = {"shop", "hog", "writer", "allocator", "innocent"};
constexpr Who kAll[] = {shop, hog, writer, allocator, innocent};
constexpr std::size_t kBlock = 4096, kMiB = std::size_t{1} << 20;
/// Memory limit of all pods together: the service's file and the allocator's memory do not fit at once.
constexpr std::size_t kMemory = 224 * kMiB, kFile = 64 * kMiB, kAllocated = 208 * kMiB;

/// A fast disk is hardly affected by a process that waits for each of its blocks.
constexpr int kWriters = 4;

/// Reads or writes a file, block after block; `how` O_DIRECT bypasses the page cache.
void disk_work(const std::string& path, int how, std::size_t bytes, Duration rest) {
  const int fd = ::open(path.c_str(), how | O_CLOEXEC);
  void* block = std::aligned_alloc(kBlock, bytes);
  const bool writes = (how & O_ACCMODE) != O_RDONLY;
  for (off_t at = 0;; at = (at + static_cast<off_t>(bytes) * 7) % static_cast<off_t>(kFile)) {
    const auto done = writes ? ::pwrite(fd, block, bytes, at) : ::pread(fd, block, bytes, at);
    if (done < 0) ::_exit(4);
    if (rest > Duration::zero()) std::this_thread::sleep_for(rest);
  }
}

/// Allocates memory bit by bit, frees it, and repeats.
[[noreturn]] void allocate() {
  for (;;) {
    void* const memory =
        ::mmap(nullptr, kAllocated, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) ::_exit(5);
    auto* const pages = static_cast<volatile char*>(memory);
    for (std::size_t at = 0; at < kAllocated; at += kBlock) {
      pages[at] = 1;
      if (at % (4 * kMiB) == 0) std::this_thread::sleep_for(4ms);
    }
    ::munmap(memory, kAllocated);
  }
}

class LivePlantedTruth : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("PLANTED_RUNS") == nullptr)
      GTEST_SKIP() << "takes minutes on a quiet machine: PLANTED_RUNS=20 runs it";
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one CPU: no pod would be innocent";
    for (const Who who : kAll) cgroups_.make(cgroup_of(who));
    cgroups_.come_first();  // pods are equal among each other
    // Except the innocent pod: it has a minimal request and so a minimal weight.
    const bool v2 = cgroups_.layout().v2(Controller::cpu);
    const std::string file = v2 ? "cpu.weight" : "cpu.shares";
    std::ofstream(cgroups_.file(Controller::cpu, pod_of(innocent), file)) << (v2 ? "1" : "2");
    const bool memory_v2 = cgroups_.layout().v2(Controller::memory);
    const auto limit =
        cgroups_.file(Controller::memory, "kubepods", memory_v2 ? "memory.max" : "memory.limit_in_bytes");
    if (!(std::ofstream(limit) << kMemory << std::flush)) GTEST_SKIP() << "no limit in " << limit;
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "extensions: {evenkeel: {interference: {enable: true, stallWindow: 1s}}}\n";
    std::ofstream pods(dir_.path + "/pods.yaml");
    pods << "items:\n";
    for (const Who who : kAll)
      pods << "- {metadata: {uid: " << kUid[who] << ", namespace: lab, name: " << kName[who]
           << "}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: "
           << (is_service(who) ? "Burstable" : "BestEffort")
           << ", containerStatuses: [{name: a, containerID: 'containerd://c1', state: {running: {}}}]}}\n";
    pods.close();
    for (const char* name : kFiles) make_file(file_of(name));
  }
  void TearDown() override {
    for (const char* name : kFiles) ::unlink(file_of(name).c_str());
  }
  static constexpr const char* kFiles[] = {"read", "cached", "written"};
  static bool is_service(Who who) { return who == shop || who == innocent; }
  static std::string pod_of(Who who) {
    return std::string("kubepods/") + (is_service(who) ? "burstable" : "besteffort") + "/pod" + kUid[who];
  }
  static std::string cgroup_of(Who who) { return pod_of(who) + "/c1"; }
  // Not in the state directory, which may be on a tmpfs without direct reads.
  [[nodiscard]] std::string file_of(const std::string& name) const {
    return EVENKEEL_HELPERS "/planted-" + name + '.' + std::to_string(pid_);
  }
  /// Not in the page cache, which would be charged to this process.
  static void make_file(const std::string& path) {
    std::ofstream out(path);
    const std::string block(kMiB, 'x');
    for (std::size_t at = 0; at <= kFile; at += kMiB) out << block;
    out.close();
    const Fd written(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    ::fsync(written.get());
    ::posix_fadvise(written.get(), 0, 0, POSIX_FADV_DONTNEED);
  }
  /// Ticks of a second; returns the pods accused of hurting the shop in any of them.
  std::set<std::string> accused_during(SteppedAgent& agent, int seconds) {
    std::set<std::string> names;
    for (int i = 0; i < seconds; ++i) {
      next_ += 1s;
      std::this_thread::sleep_until(next_);
      const Step step = agent.advance();
      const document::Value* all = step.json.find("interference");
      if (all == nullptr || all->list() == nullptr) continue;
      for (const document::Value& one : *all->list()) {
        if (one.find("victim") == nullptr || one.find("victim")->scalar()->text != "lab/shop") continue;
        const std::string name = one.find("antagonist")->scalar()->text;
        if (names.insert(name).second)
          std::printf("  %s: %s\n", name.c_str(), one.find("why")->scalar()->text.c_str());
      }
    }
    return names;
  }

  void plant(Who who, std::list<PinnedTask>& all) {
    if (who == hog) all.emplace_back(cgroups_, cgroup_of(who), 0, spin);
    if (who == allocator) all.emplace_back(cgroups_, cgroup_of(who), 1, allocate);
    for (int i = 0; who == writer && i < kWriters; ++i)
      all.emplace_back(cgroups_, cgroup_of(who), 1,
                       [this] { disk_work(file_of("written"), O_RDWR | O_DIRECT, kMiB, 0ms); });
  }

  const pid_t pid_ = ::getpid();  // not that of a calling child
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::chrono::steady_clock::time_point next_{};
};

/// An accusation is judged over five windows of a second and stands for three more
/// (qos/interference/judge.cpp); with a partial window and a late tick that makes ten. Accusing an antagonist
/// that ended within this time is not false.
constexpr int kUntilOver = 10;

struct Planted {
  const char* name;
  std::vector<Who> who;
};
const Planted kPlanted[] = {{"hog", {hog}},
                            {"writer", {writer}},
                            {"allocator", {allocator}},
                            {"hog+writer", {hog, writer}},
                            {"hog+allocator", {hog, allocator}}};

TEST_F(LivePlantedTruth, AntagonistsAreNamedAndInnocentPodsAreNot) {
  const int runs = from_environment("PLANTED_RUNS", 1);
  SteppedAgent agent(stepped_args(cgroups_, dir_));
  const PinnedTask computes(cgroups_, cgroup_of(shop), 0, [] { work_and_rest(6ms, 4ms); });
  const PinnedTask reads(cgroups_, cgroup_of(shop), 1,
                         [this] { disk_work(file_of("read"), O_RDONLY | O_DIRECT, kBlock, 2ms); });
  const PinnedTask caches(cgroups_, cgroup_of(shop), 1,
                          [this] { disk_work(file_of("cached"), O_RDONLY, kMiB / 4, 500us); });
  const PinnedTask neighbour(cgroups_, cgroup_of(innocent), 1, [] { work_and_rest(3ms, 3ms); });
  ASSERT_EQ(computes.why_not() + reads.why_not() + caches.why_not() + neighbour.why_not(), "");
  next_ = std::chrono::steady_clock::now();
  const auto before = accused_during(agent, 60);
  int clean_seconds = 0, false_in_clean = 0;
  const auto be_clean = [&](int seconds) {
    clean_seconds += seconds;
    false_in_clean += static_cast<int>(accused_during(agent, seconds).size());
  };
  std::map<std::string, std::map<std::string, int>> table;
  for (int run = 0; run < runs; ++run) {
    for (const Planted& planted : kPlanted) {
      std::printf("%s\n", planted.name);
      {
        std::list<PinnedTask> all;
        for (const Who who : planted.who) plant(who, all);
        for (const auto& name : accused_during(agent, 10)) ++table[planted.name][name];
        for (const PinnedTask& each : all) EXPECT_TRUE(each.alive()) << planted.name;
      }
      accused_during(agent, kUntilOver);
      be_clean(8);
    }
  }
  be_clean(30 * runs);
  for (const PinnedTask* each : {&computes, &reads, &caches, &neighbour}) EXPECT_TRUE(each->alive());
  std::printf("| planted | runs | hog | writer | allocator | innocent |\n|---|---|---|---|---|---|\n");
  for (const Planted& planted : kPlanted) {
    auto& row = table[planted.name];
    std::printf("| %s | %d | %d | %d | %d | %d |\n", planted.name, runs, row["lab/hog"], row["lab/writer"],
                row["lab/allocator"], row["lab/innocent"]);
    for (const Who who : planted.who)
      EXPECT_GE(row[std::string("lab/") + kName[who]] * 10, runs * 8) << planted.name << ": " << kName[who];
    EXPECT_EQ(row["lab/innocent"], 0) << planted.name;
  }
  std::printf("false accusations while no antagonist was planted: %d in %d s, %.1f an hour\n", false_in_clean,
              clean_seconds, false_in_clean * 3600.0 / clean_seconds);
  EXPECT_LE(false_in_clean, 1 + clean_seconds / 360) << "ten an hour";
  EXPECT_TRUE(before.empty());
}

}  // namespace
}  // namespace evenkeel::test
