// Memory QoS on a real v2 kernel: what stands in the files, and that it has an effect.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/support/live_agent.h"
#include "tests/support/live_cgroups.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kPod = "kubepods/burstable/podcccccccc-0000-0000-0000-000000000001";

/// A process that wants `bytes` of memory, page after page, and then sleeps.
pid_t hungry_process(const std::string& procs, std::size_t bytes) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  std::ofstream(procs) << ::getpid() << std::flush;
  auto* memory = static_cast<volatile char*>(
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  for (std::size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
  for (;;) ::pause();
}

class LiveMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (!cgroups_.layout().v2(Controller::memory)) GTEST_SKIP() << "memory.high is on cgroup v2 only";
    cgroups_.make(container());
    std::ofstream(dir_.path + "/nodeslo.yaml") << "resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true, "
                                                  "minLimitPercent: 50, throttlingPercent: 50}}}\n";
    std::ofstream(dir_.path + "/pods.yaml")
        << "items: [{metadata: {uid: cccccccc-0000-0000-0000-000000000001, namespace: shop, name: cart}, "
           "spec: {containers: [{name: a, resources: {requests: {memory: 16Mi}, limits: {memory: 48Mi}}}]}, "
           "status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: "
           "'containerd://c1', state: {running: {}}}]}}]\n";
  }
  void TearDown() override {
    if (hog_ <= 0) return;
    ::kill(hog_, SIGKILL);
    ::waitpid(hog_, nullptr, 0);
  }
  static std::string container() { return std::string(kPod) + "/c1"; }
  [[nodiscard]] std::string file(const std::string& cgroup, const char* name) const {
    return text_of_file(cgroups_.file(Controller::memory, cgroup, name));
  }
  [[nodiscard]] long high_events() const {
    const auto text = file(container(), "memory.events");
    const auto at = text.find("\nhigh ");
    return at == std::string::npos ? -1 : std::stol(text.substr(at + 6));
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  pid_t hog_ = -1;
};

TEST_F(LiveMemory, ProtectsAndThrottlesAndGivesBack) {
  LiveAgent agent({"--cgroup-root", cgroups_.top(), "--nodeslo", dir_.path + "/nodeslo.yaml", "--pods",
                   "file:" + dir_.path + "/pods.yaml", "--state-dir", dir_.path + "/state", "--listen",
                   "none", "--interval", "100ms"});
  EXPECT_TRUE(soon([&] { return file(container(), "memory.high") == "33554432\n"; })) << agent.log();
  for (const char* cgroup : {"kubepods", "kubepods/burstable", kPod})
    EXPECT_TRUE(soon([&] { return file(cgroup, "memory.min") == "8388608\n"; })) << cgroup << agent.log();
  hog_ =
      hungry_process(cgroups_.file(Controller::memory, container(), "cgroup.procs"), std::size_t{44} << 20);
  EXPECT_TRUE(soon([&] { return high_events() > 0; }))
      << "it grows past the point: " << file(container(), "memory.events");
  EXPECT_TRUE(agent.alive());
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(file(container(), "memory.high"), "max\n");
  for (const char* cgroup : {"kubepods", "kubepods/burstable", kPod})
    EXPECT_EQ(file(cgroup, "memory.min"), "0\n") << cgroup;
}

}  // namespace
}  // namespace evenkeel::test
