#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

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
  pid_t start_quick() {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::setenv("TMPDIR", dir_.c_str(), 1);
    if (::freopen((dir_ + "/out").c_str(), "w", stdout) == nullptr) ::_exit(126);
    if (::freopen((dir_ + "/err").c_str(), "w", stderr) == nullptr) ::_exit(126);
    ::execl(program_.c_str(), program_.c_str(), "demo", "--quick", "--json", (dir_ + "/json").c_str(),
            nullptr);
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

  std::string program_{}, dir_{};
};

TEST_F(DemoLive, RunsAndLeavesNothingBehind) {
  const pid_t pid = start_quick();
  ASSERT_EQ(exit_status(pid), 0) << said();
  EXPECT_EQ(left_behind(pid), 0U);
  const auto json = document::parse_json(text_at(dir_ + "/json"), "json");
  ASSERT_TRUE(json.problems.empty()) << said();
  const auto written = json.root.find("files_written")->scalar()->text;
  // On an EEVDF kernel the installed configuration leaves the CPU to the kernel's weights.
  EXPECT_EQ(written == "0", said().find("  nothing\n") != std::string::npos) << said();
  EXPECT_EQ(json.root.find("files_restored")->scalar()->text, written) << said();
  EXPECT_TRUE(json.root.find("left_behind")->list()->empty()) << said();
  for (const char* part : {"CPU spinners", "page-fault storm", "What the agent wrote", "restored:"})
    EXPECT_NE(said().find(part), std::string::npos) << said();
}

TEST_F(DemoLive, CtrlCInTheMiddleCleansUp) {
  const pid_t pid = start_quick();
  // In the second phase hogs and the service run.
  ASSERT_TRUE(
      test::soon([&] { return said().find("unmanaged") != std::string::npos; }, std::chrono::seconds(90)))
      << said();
  ::kill(pid, SIGINT);
  EXPECT_EQ(exit_status(pid), 1);
  EXPECT_NE(said().find("interrupted"), std::string::npos) << said();
  EXPECT_EQ(left_behind(pid), 0U);
  for (const auto& entry : fs::directory_iterator(dir_))
    EXPECT_EQ(entry.path().filename().string().rfind("evenkeel-demo-", 0), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace evenkeel::demo
