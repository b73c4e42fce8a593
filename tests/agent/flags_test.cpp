#include "agent/cli/flags.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <vector>

namespace evenkeel::test {
namespace {

ParsedFlags parse(std::vector<const char*> args) {
  args.insert(args.begin(), "evenkeel");
  return parse_flags(static_cast<int>(args.size()), args.data());
}

TEST(Flags, HaveTheDocumentedDefaults) {
  const auto parsed = parse({"run"});
  ASSERT_FALSE(parsed.exit_code);
  EXPECT_EQ(parsed.flags.verb, Verb::run);
  EXPECT_EQ(parsed.flags.nodeslo, "/etc/evenkeel/nodeslo.yaml");
  EXPECT_FALSE(parsed.flags.nodeslo_given);
  EXPECT_EQ(parsed.flags.host_root, "/");
  EXPECT_EQ(parsed.flags.pods, "auto");
  EXPECT_EQ(parsed.flags.listen, "127.0.0.1:9319");
  EXPECT_EQ(parsed.flags.state_dir, "/var/lib/evenkeel");
  EXPECT_EQ(parsed.flags.interval, std::chrono::seconds(1));
  EXPECT_FALSE(parsed.flags.dry_run || parsed.flags.stepped);
}

TEST(Flags, KeepTheStateOfAnotherHostRootApart) {
  const auto here = parse({"run", "--host-root", "/tmp/some-root"});
  EXPECT_NE(here.flags.state_dir, "/var/lib/evenkeel");
  EXPECT_EQ(here.flags.state_dir, parse({"restore", "--host-root", "/tmp/some-root/"}).flags.state_dir)
      << "run and restore must meet";
  EXPECT_EQ(parse({"run", "--host-root", "/tmp/x", "--state-dir", "/s"}).flags.state_dir, "/s");
}

TEST(Flags, ReadTheEnvironment) {
  ::setenv("EVENKEEL_INTERVAL", "250ms", 1);
  const auto parsed = parse({"run"});
  ::unsetenv("EVENKEEL_INTERVAL");
  EXPECT_EQ(parsed.flags.interval, std::chrono::milliseconds(250));
}

TEST(Flags, MistakesExitWithTwo) {
  for (const auto& args : std::vector<std::vector<const char*>>{{},
                                                                {"sail"},
                                                                {"run", "--interval", "0s"},
                                                                {"run", "--log-level", "loud"},
                                                                {"demo", "--rounds", "0"},
                                                                {"run", "--no-such-flag"}})
    EXPECT_EQ(parse(args).exit_code, 2);
  EXPECT_EQ(parse({"run", "--help"}).exit_code, 0);
  EXPECT_EQ(parse({"--version"}).exit_code, 0);
}

}  // namespace
}  // namespace evenkeel::test
