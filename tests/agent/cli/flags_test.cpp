#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "agent/cli/verbs.h"

namespace evenkeel::test {
namespace {

cli::ParsedFlags parse(std::vector<const char*> args) {
  args.insert(args.begin(), "evenkeel");
  return cli::parse_flags(static_cast<int>(args.size()), args.data());
}

TEST(Flags, HaveTheDocumentedDefaults) {
  const auto parsed = parse({"run"});
  ASSERT_FALSE(parsed.exit_code);
  EXPECT_EQ(parsed.flags.verb, cli::Verb::run);
  EXPECT_EQ(parsed.flags.nodeslo, "/etc/evenkeel/nodeslo.yaml");
  EXPECT_FALSE(parsed.flags.nodeslo_given);
  EXPECT_EQ(parsed.flags.host_root, "/");
  EXPECT_EQ(parsed.flags.pods, "auto");
  EXPECT_EQ(parsed.flags.listen, "127.0.0.1:9319");
  EXPECT_EQ(parsed.flags.state_dir, "/var/lib/evenkeel");
  EXPECT_EQ(parsed.flags.interval, std::chrono::seconds(1));
  EXPECT_EQ(parsed.flags.kubelet_url, "https://127.0.0.1:10250");
  EXPECT_EQ(parsed.flags.pods_interval, std::chrono::seconds(10));
  EXPECT_EQ(parsed.flags.node_interval, std::chrono::seconds(60));
  EXPECT_EQ(parsed.flags.nodeslo_source, "file");
  EXPECT_FALSE(parsed.flags.kubelet_insecure_tls);
  EXPECT_FALSE(parsed.flags.dry_run || parsed.flags.stepped || parsed.flags.node_metric ||
               parsed.flags.node_topology);
}

TEST(Flags, AnotherHostRootHasItsOwnStateDirectory) {
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

TEST(Flags, ServerFlagsAreReadFromTheEnvironmentToo) {
  const std::vector<std::pair<const char*, const char*>> given = {
      {"EVENKEEL_KUBELET_URL", "https://10.0.0.2:10250"},
      {"EVENKEEL_KUBELET_CA", "/ca"},
      {"EVENKEEL_KUBELET_TOKEN_FILE", "/token"},
      {"EVENKEEL_KUBELET_INSECURE_TLS", "true"},
      {"EVENKEEL_PODS_INTERVAL", "3s"},
      {"EVENKEEL_KUBECONFIG", "/config"},
      {"EVENKEEL_APISERVER", "https://10.0.0.1"},
      {"EVENKEEL_NODE_NAME", "n"},
      {"EVENKEEL_NODE_INTERVAL", "2m"},
      {"EVENKEEL_NODE_METRIC", "true"},
      {"EVENKEEL_NODE_TOPOLOGY", "true"},
      {"EVENKEEL_EVENTS", "true"},
      {"EVENKEEL_NODESLO_SOURCE", "api"}};
  for (const auto& [name, value] : given) ::setenv(name, value, 1);
  const auto flags = parse({"run"}).flags;
  for (const auto& [name, value] : given) ::unsetenv(name);
  EXPECT_EQ(flags.kubelet_url, "https://10.0.0.2:10250");
  EXPECT_EQ(flags.kubelet_ca, "/ca");
  EXPECT_EQ(flags.kubelet_token_file, "/token");
  EXPECT_TRUE(flags.kubelet_insecure_tls);
  EXPECT_EQ(flags.pods_interval, std::chrono::seconds(3));
  EXPECT_EQ(flags.kubeconfig, "/config");
  EXPECT_EQ(flags.apiserver, "https://10.0.0.1");
  EXPECT_EQ(flags.node_name, "n");
  EXPECT_EQ(flags.node_interval, std::chrono::minutes(2));
  EXPECT_TRUE(flags.node_metric && flags.node_topology && flags.events);
  EXPECT_EQ(flags.nodeslo_source, "api");
}

TEST(Flags, CommandsThatAskTheAgentHaveTheirOwn) {
  const auto top = parse({"top"}).flags;
  EXPECT_EQ(top.verb, cli::Verb::top);
  EXPECT_EQ(top.top_interval, std::chrono::seconds(2));
  EXPECT_FALSE(top.once || top.listen_given);
  const auto once = parse({"top", "--once", "--interval", "5s", "--listen", "unix:/a"}).flags;
  EXPECT_TRUE(once.once && once.listen_given);
  EXPECT_EQ(once.top_interval, std::chrono::seconds(5));
  EXPECT_EQ(once.interval, std::chrono::seconds(1)) << "the agent's is another";
  EXPECT_EQ(parse({"health"}).flags.verb, cli::Verb::health);
  EXPECT_FALSE(parse({"health"}).flags.ready);
  EXPECT_TRUE(parse({"health", "--ready"}).flags.ready);
  ::setenv("EVENKEEL_INTERVAL", "250ms", 1);
  const auto inside = parse({"top"});
  ::unsetenv("EVENKEEL_INTERVAL");
  EXPECT_FALSE(inside.exit_code) << "of the agent whose container it is run in";
  EXPECT_EQ(inside.flags.top_interval, std::chrono::seconds(2));
}

TEST(Flags, TheDemosServiceIsRedisIfItIsInstalled) {
  EXPECT_EQ(parse({"demo"}).flags.demo_service, "auto");
  for (const char* service : {"auto", "builtin", "redis"})
    EXPECT_EQ(parse({"demo", "--service", service}).flags.demo_service, service);
}

TEST(Flags, TheFileThatCheckIsGivenWinsOverTheEnvironment) {
  ::setenv("EVENKEEL_NODESLO", "/of/the/agent.yaml", 1);
  EXPECT_EQ(parse({"check", "a.yaml"}).flags.nodeslo, "a.yaml");
  EXPECT_EQ(parse({"check", "--nodeslo", "a.yaml"}).flags.nodeslo, "a.yaml");
  EXPECT_EQ(parse({"check"}).flags.nodeslo, "/of/the/agent.yaml");
  ::unsetenv("EVENKEEL_NODESLO");
  EXPECT_EQ(parse({"check"}).flags.nodeslo, "/etc/evenkeel/nodeslo.yaml");
}

TEST(Flags, MistakesExitWithTwo) {
  for (const auto& args : std::vector<std::vector<const char*>>{{},
                                                                {"sail"},
                                                                {"check", "a.yaml", "b.yaml"},
                                                                {"check", "a.yaml", "--nodeslo", "b.yaml"},
                                                                {"check", "--nodeslo", "b.yaml", "a.yaml"},
                                                                {"run", "--interval", "0s"},
                                                                {"run", "--pods-interval", "10ms"},
                                                                {"run", "--node-interval", "often"},
                                                                {"run", "--log-level", "loud"},
                                                                {"run", "--nodeslo-source", "configmap"},
                                                                {"demo", "--rounds", "0"},
                                                                {"demo", "--service", "sail"},
                                                                {"top", "--interval", "999ms"},
                                                                {"health", "--once"},
                                                                {"run", "--no-such-flag"}})
    EXPECT_EQ(parse(args).exit_code, 2);
  EXPECT_EQ(parse({"run", "--help"}).exit_code, 0);
  EXPECT_EQ(parse({"--version"}).exit_code, 0);
}

}  // namespace
}  // namespace evenkeel::test
