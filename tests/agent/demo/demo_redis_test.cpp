// The demo's redis-server, played by shell scripts.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "agent/demo/redis.h"
#include "tests/support/soon.h"

namespace evenkeel::demo {
namespace {

namespace fs = std::filesystem;

/// A directory with programs, which is PATH and the temporary directory meanwhile.
class DemoRedisServer : public testing::Test {
 protected:
  DemoRedisServer() {
    fs::create_directory(directory_.path() + "/tmp");
    ::setenv("TMPDIR", (directory_.path() + "/tmp").c_str(), 1);
  }
  ~DemoRedisServer() override {
    set("PATH", path_);
    set("TMPDIR", temporary_);
  }
  std::string script(const std::string& name, const std::string& text, mode_t mode = 0755) {
    const std::string file = directory_.path() + '/' + name;
    std::ofstream(file) << "#!/bin/sh\n" << text;
    EXPECT_EQ(::chmod(file.c_str(), mode), 0);
    return file;
  }
  [[nodiscard]] const std::string& directory() const { return directory_.path(); }
  [[nodiscard]] bool leaves_nothing() const { return fs::is_empty(directory_.path() + "/tmp"); }

 private:
  static std::optional<std::string> get(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  static void set(const char* name, const std::optional<std::string>& value) {
    value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  }
  std::optional<std::string> path_ = get("PATH"), temporary_ = get("TMPDIR");
  TemporaryDirectory directory_{};
};

TEST_F(DemoRedisServer, IsFoundWherePathLeads) {
  fs::create_directory(directory() + "/empty");
  ::setenv("PATH", (":relative:/no/such:" + directory() + "/empty:" + directory()).c_str(), 1);
  EXPECT_EQ(program_in_path("redis-server"), "");
  fs::create_directory(directory() + "/empty/redis-server");
  script("redis-server", "", 0644);
  EXPECT_EQ(program_in_path("redis-server"), "") << "neither a directory nor a file that may not be run";
  const std::string program = script("redis-server", "");
  EXPECT_EQ(program_in_path("redis-server"), program);
  ::unsetenv("PATH");
  EXPECT_EQ(program_in_path("redis-server"), "");
}

TEST_F(DemoRedisServer, HasNeitherAPortNorAConfigurationFileNorPersistence) {
  Console console;
  {
    RedisServer server(script("print", "echo \"$@\"\n"), [] { return true; });
    EXPECT_FALSE(server.wait_until_ready(console));
    const std::string arguments = server.log();
    EXPECT_TRUE(arguments.starts_with("--port 0 --unixsocket " + directory() + "/tmp/evenkeel-demo-"))
        << arguments;
    EXPECT_NE(arguments.find("--save  --appendonly no"), std::string::npos) << arguments;
  }
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(DemoRedisServer, ThatDoesNotStartSaysWhyAndLeavesNothing) {
  Console console;
  {
    RedisServer server(script("broken", "echo no memory >&2\nexit 3\n"), [] { return true; });
    EXPECT_FALSE(server.wait_until_ready(console));
    EXPECT_EQ(server.log(), "no memory\n");
    EXPECT_TRUE(server.connect(1).empty());
  }
  EXPECT_TRUE(leaves_nothing());
  {
    RedisServer missing(directory() + "/missing", [] { return true; });
    EXPECT_FALSE(missing.wait_until_ready(console));
    RedisServer outside(script("never", "echo started\n"), [] { return false; });
    EXPECT_FALSE(outside.wait_until_ready(console));
    EXPECT_EQ(outside.log(), "") << "it is not started outside of its cgroup";
  }
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(DemoRedisServer, IsKilledWithTheObject) {
  pid_t pid = 0;
  {
    RedisServer server(script("sleeps", "echo $$\nexec sleep 1000\n"), [] { return true; });
    ASSERT_TRUE(test::soon([&] { return server.log().ends_with('\n'); }, std::chrono::seconds(30)));
    pid = std::atoi(server.log().c_str());
    EXPECT_EQ(::kill(pid, 0), 0);
    EXPECT_TRUE(server.running());
  }
  EXPECT_EQ(::kill(pid, 0), -1);
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(DemoRedisServer, WithoutATemporaryDirectoryIsNotStarted) {
  ::setenv("TMPDIR", (directory() + "/missing").c_str(), 1);
  Console console;
  RedisServer server(script("prints", "echo started\n"), [] { return true; });
  EXPECT_FALSE(server.running());
  EXPECT_FALSE(server.wait_until_ready(console));
  EXPECT_NE(server.log().find("temporary directory"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::demo
