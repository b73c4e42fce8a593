#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/demo/redis.h"
#include "agent/demo/stage.h"
#include "agent/document/document.h"
#include "tests/support/soon.h"

namespace evenkeel::demo {
namespace {

namespace fs = std::filesystem;

std::string text_at(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Why the demo cannot run here; empty if it can.
std::string obstacle() {
  if (::geteuid() != 0) return "needs root";
  const auto host = Host::open("/");
  if (!host) return "no root directory";
  const auto stage = Stage::build(*host, 1);
  return stage ? "" : std::string("cannot make cgroups: ") + errno_name(stage.error().code);
}

class DemoLive : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = obstacle(); !why.empty()) GTEST_SKIP() << why;
    const char* given = ::getenv("EVENKEEL_BINARY");
    program_ = given != nullptr ? given : EVENKEEL_BINARY;
    if (!fs::exists(program_)) GTEST_SKIP() << program_ << " is not built";
    std::string pattern = (fs::temp_directory_path() / "evenkeel-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  void TearDown() override {
    if (!dir_.empty()) fs::remove_all(dir_);
  }
  pid_t start_quick(const char* service) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::setenv("TMPDIR", dir_.c_str(), 1);
    if (::freopen((dir_ + "/out").c_str(), "w", stdout) == nullptr) ::_exit(126);
    if (::freopen((dir_ + "/err").c_str(), "w", stderr) == nullptr) ::_exit(126);
    ::execl(program_.c_str(), program_.c_str(), "demo", "--quick", "--service", service, "--json",
            (dir_ + "/json").c_str(), nullptr);
    ::_exit(127);
  }
  static int exit_status(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] std::string said() const { return text_at(dir_ + "/out") + text_at(dir_ + "/err"); }
  /// Directories of this demo that still exist.
  static std::size_t left_behind(pid_t pid) {
    std::size_t found = 0;
    const std::string name = "evenkeel-demo-" + std::to_string(pid);
    for (const auto& hierarchy : fs::directory_iterator("/sys/fs/cgroup"))
      if (fs::exists(hierarchy.path() / name)) ++found;
    return found + (fs::exists("/sys/fs/cgroup/" + name) ? 1 : 0);
  }

  void expect_nothing_left(pid_t pid) const {
    EXPECT_EQ(left_behind(pid), 0U);
    EXPECT_EQ(process_with("redis-server"), 0);
    for (const auto& entry : fs::directory_iterator(dir_))
      EXPECT_EQ(entry.path().filename().string().rfind("evenkeel-demo-", 0), std::string::npos)
          << entry.path();
  }
  void runs_and_leaves_nothing(const std::string& service) {
    const pid_t pid = start_quick(service.c_str());
    ASSERT_EQ(exit_status(pid), 0) << said();
    expect_nothing_left(pid);
    const auto json = document::parse_json(text_at(dir_ + "/json"), "json");
    ASSERT_TRUE(json.problems.empty()) << said();
    EXPECT_EQ(json.root.find("service")->scalar()->text, service);
    const auto written = json.root.find("files_written")->scalar()->text;
    // On an EEVDF kernel the installed configuration leaves the CPU to the kernel's weights.
    EXPECT_EQ(written == "0", said().find("  nothing\n") != std::string::npos) << said();
    EXPECT_EQ(json.root.find("files_restored")->scalar()->text, written) << said();
    EXPECT_TRUE(json.root.find("left_behind")->list()->empty()) << said();
    for (const char* part : {"CPU spinners", "page-fault storm", "What the agent wrote", "restored:"})
      EXPECT_NE(said().find(part), std::string::npos) << said();
  }
  /// In the second phase, in which hogs and the service run.
  [[nodiscard]] bool is_in_the_middle() const {
    return test::soon([&] { return said().find("unmanaged") != std::string::npos; },
                      std::chrono::seconds(90));
  }
  /// A process of the demo, which works in its temporary directory; 0: none.
  [[nodiscard]] pid_t process_with(const std::string& name) const {
    for (const auto& process : fs::directory_iterator("/proc")) {
      std::error_code gone;
      if (text_at(process.path() / "comm") == name + '\n' &&
          fs::read_symlink(process.path() / "cwd", gone).string().starts_with(dir_ + '/'))
        return std::atoi(process.path().filename().c_str());
    }
    return 0;
  }

  std::string program_{}, dir_{};
};

TEST_F(DemoLive, RunsAndLeavesNothingBehind) { runs_and_leaves_nothing("builtin"); }

TEST_F(DemoLive, RunsRedisAndLeavesNothingBehind) {
  if (program_in_path("redis-server").empty()) GTEST_SKIP() << "redis-server is not installed";
  runs_and_leaves_nothing("redis");
}

TEST_F(DemoLive, CtrlCInTheMiddleCleansUp) {
  const pid_t pid = start_quick("builtin");
  ASSERT_TRUE(is_in_the_middle()) << said();
  ::kill(pid, SIGINT);
  EXPECT_EQ(exit_status(pid), 1);
  EXPECT_NE(said().find("interrupted"), std::string::npos) << said();
  expect_nothing_left(pid);
}

TEST_F(DemoLive, CtrlCWithRedisCleansUp) {
  if (program_in_path("redis-server").empty()) GTEST_SKIP() << "redis-server is not installed";
  const pid_t pid = start_quick("redis");
  ASSERT_TRUE(is_in_the_middle()) << said();
  ::kill(pid, SIGINT);
  EXPECT_EQ(exit_status(pid), 1);
  EXPECT_NE(said().find("interrupted"), std::string::npos) << said();
  expect_nothing_left(pid);
}

TEST_F(DemoLive, ARedisThatDiesIsAFailureAndLeavesNothing) {
  if (program_in_path("redis-server").empty()) GTEST_SKIP() << "redis-server is not installed";
  const pid_t pid = start_quick("redis");
  ASSERT_TRUE(is_in_the_middle()) << said();
  pid_t redis = 0;
  ASSERT_TRUE(
      test::soon([&] { return (redis = process_with("redis-server")) > 0; }, std::chrono::seconds(30)))
      << said();
  ::kill(redis, SIGKILL);
  EXPECT_EQ(exit_status(pid), 1) << said();
  EXPECT_NE(said().find("the service"), std::string::npos) << said();
  expect_nothing_left(pid);
}

}  // namespace
}  // namespace evenkeel::demo
