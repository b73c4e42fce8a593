// Tests which servers the agent queries, with which credentials and flags.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "agent/cli/setup.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using Kind = inputs::PodsSource::Kind;

class KubeSetupTest : public testing::Test {
 protected:
  cli::KubeSetup setup() {
    return cli::kube_setup(
        flags, [this](const char* name) { return environment[name]; }, "/sa");
  }
  void in_a_pod() {
    environment["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    environment["KUBERNETES_SERVICE_PORT"] = "443";
  }
  cli::Flags flags{};
  std::map<std::string, std::string> environment{};
};

TEST_F(KubeSetupTest, OnAPlainMachineNoServerIsQueried) {
  const auto made = setup();
  EXPECT_EQ(made.error, "");
  EXPECT_EQ(made.pods.kind, Kind::cgroup);
  EXPECT_FALSE(made.feed.kubelet || made.feed.api);
  EXPECT_NE(made.missing_reason.find("--kubelet-ca"), std::string::npos) << made.missing_reason;
}

TEST_F(KubeSetupTest, InAPodTheServiceAccountSuffices) {
  in_a_pod();
  environment["NODE_NAME"] = "node-7";
  const auto made = setup();
  ASSERT_EQ(made.error, "");
  EXPECT_EQ(made.pods.kind, Kind::automatic);
  EXPECT_EQ(made.pods.path, "https://127.0.0.1:10250/pods");
  EXPECT_EQ(made.pods.api, "https://10.0.0.1:443/api/v1/pods?fieldSelector=spec.nodeName=node-7");
  EXPECT_EQ(made.feed.pods_node, "node-7");
  ASSERT_TRUE(made.feed.kubelet && made.feed.api);
  EXPECT_EQ(made.feed.kubelet->server, "https://127.0.0.1:10250");
  EXPECT_EQ(made.feed.kubelet->token.file, "/sa/token");
  EXPECT_EQ(made.feed.kubelet->authorities.file, "/sa/ca.crt");
  EXPECT_FALSE(made.feed.kubelet->unverified);
  EXPECT_EQ(made.feed.api->server, "https://10.0.0.1:443");
  EXPECT_EQ(made.feed.node_name, "node-7");
}

TEST_F(KubeSetupTest, FlagsOverrideDetectedSettings) {
  in_a_pod();
  environment["NODE_NAME"] = "node-7";
  flags.pods = "kubelet";
  flags.kubelet_url = "https://10.1.1.1:10250";
  flags.kubelet_ca = "/kubelet.crt";
  flags.kubelet_token_file = "/other/token";
  flags.apiserver = "https://127.0.0.1:6443";
  flags.node_name = "me";
  flags.pods_interval = std::chrono::seconds(5);
  const auto made = setup();
  ASSERT_EQ(made.error, "");
  EXPECT_EQ(made.pods.kind, Kind::kubelet);
  EXPECT_EQ(made.feed.kubelet->server, "https://10.1.1.1:10250");
  EXPECT_EQ(made.feed.kubelet->authorities.file, "/kubelet.crt");
  EXPECT_EQ(made.feed.kubelet->token.file, "/other/token");
  EXPECT_EQ(made.feed.api->server, "https://127.0.0.1:6443");
  EXPECT_EQ(made.feed.api->token.file, "/sa/token");
  EXPECT_EQ(made.feed.node_name, "me");
  EXPECT_EQ(made.feed.pods_interval, std::chrono::seconds(5));
}

TEST_F(KubeSetupTest, InsecureTlsDisablesVerification) {
  flags.pods = "kubelet";
  flags.kubelet_ca = "/kubelet.crt";
  flags.kubelet_insecure_tls = true;
  const auto made = setup();
  ASSERT_TRUE(made.feed.kubelet) << made.error;
  EXPECT_TRUE(made.feed.kubelet->unverified);
  EXPECT_FALSE(made.feed.kubelet->authorities.given());
}

TEST_F(KubeSetupTest, NoCredentialsOverPlainHttp) {
  in_a_pod();
  flags.kubelet_url = "http://127.0.0.1:10255";
  const auto made = setup();
  ASSERT_TRUE(made.feed.kubelet) << made.error;
  EXPECT_FALSE(made.feed.kubelet->token.given());
}

TEST_F(KubeSetupTest, PodsFromTheApiServerNeedNoKubelet) {
  in_a_pod();
  environment["NODE_NAME"] = "node-7";
  flags.pods = "api";
  const auto made = setup();
  EXPECT_EQ(made.error, "");
  EXPECT_EQ(made.pods.kind, Kind::api);
  EXPECT_EQ(made.pods.path, "https://10.0.0.1:443/api/v1/pods?fieldSelector=spec.nodeName=node-7");
  EXPECT_FALSE(made.feed.kubelet);
  EXPECT_EQ(made.feed.pods_node, "node-7");
  flags.pods = "kubelet";
  EXPECT_EQ(setup().feed.pods_node, "") << "that source alone";
  EXPECT_EQ(setup().pods.api, "");
}

TEST_F(KubeSetupTest, AnIpv6AddressOfTheKubeletNeedsNoBrackets) {
  in_a_pod();
  flags.pods = "kubelet";
  flags.kubelet_insecure_tls = true;
  for (const char* url : {"https://fd00::1:10250", "https://[fd00::1]:10250"}) {
    flags.kubelet_url = url;
    const auto made = setup();
    EXPECT_EQ(made.error, "") << url;
    ASSERT_TRUE(made.feed.kubelet) << url;
    EXPECT_EQ(made.feed.kubelet->server, "https://[fd00::1]:10250") << url;
  }
}

TEST_F(KubeSetupTest, AutoAsksTheApiServerWhenNoKubeletCanBeTrusted) {
  in_a_pod();
  flags.kubelet_url = "not an address";
  const auto made = setup();
  EXPECT_EQ(made.error, "");
  EXPECT_EQ(made.pods.kind, Kind::automatic);
  EXPECT_EQ(made.pods.path, made.pods.api);
  EXPECT_FALSE(made.feed.kubelet);
  EXPECT_NE(made.missing_reason.find("--kubelet-url"), std::string::npos) << made.missing_reason;
}

TEST_F(KubeSetupTest, OtherSourcesNeedNoKubelet) {
  in_a_pod();
  for (const char* pods : {"cgroup", "none", "file:/x"}) {
    flags.pods = pods;
    EXPECT_FALSE(setup().feed.kubelet) << pods;
    EXPECT_TRUE(setup().feed.api) << pods;
    EXPECT_EQ(setup().feed.pods_node, "") << pods;
  }
  flags.node = "/node.yaml";
  EXPECT_EQ(setup().feed.node_name, "") << "the file says it";
  EXPECT_NE(setup().node_name, "") << "reports still need it";
}

TEST_F(KubeSetupTest, TheNodeSloIsWatchedOnlyWhenConfigured) {
  in_a_pod();
  environment["NODE_NAME"] = "node-7";
  EXPECT_EQ(setup().nodeslo_object, "");
  EXPECT_EQ(setup().feed.nodeslo_name, "");
  flags.nodeslo_source = "api";
  EXPECT_EQ(setup().nodeslo_object, "nodeslos/node-7");
  EXPECT_EQ(setup().feed.nodeslo_name, "node-7");
  flags.node = "/node.yaml";
  EXPECT_EQ(setup().feed.nodeslo_name, "node-7") << "the Node object is another matter";
}

TEST_F(KubeSetupTest, MistakesAreReported) {
  const auto error = [this](auto&& change) {
    const cli::Flags before = flags;
    change();
    const auto text = setup().error;
    flags = before;
    return text;
  };
  EXPECT_EQ(
      error([&] { flags.pods = "kubelet"; }),
      "--pods kubelet: the kubelet's certificate cannot be verified; legal: --kubelet-ca FILE, or --pods api")
      << "not the flag with which it is not verified at all";
  EXPECT_NE(error([&] { flags.pods = "api"; }).find("--pods api: no API server is known"), std::string::npos);
  EXPECT_NE(error([&] { flags.pods = "x"; }).find("--pods: found 'x'"), std::string::npos);
  EXPECT_NE(error([&] { flags.kubeconfig = "/nowhere"; }).find("--kubeconfig: /nowhere: cannot be read"),
            std::string::npos);
  EXPECT_NE(error([&] { flags.apiserver = "https://a:1"; }).find("--apiserver: legal with"),
            std::string::npos);
  EXPECT_NE(error([&] { flags.nodeslo_source = "api"; }).find("--nodeslo-source api: no API server is known"),
            std::string::npos);
  in_a_pod();
  EXPECT_NE(error([&] {
              flags.nodeslo_source = "api";
              flags.nodeslo_given = true;
            }).find("legal without --nodeslo"),
            std::string::npos);
  EXPECT_NE(error([&] { flags.apiserver = "http://a:1"; }).find("--apiserver: found"), std::string::npos);
  EXPECT_NE(error([&] { flags.node_name = "../x"; }).find("--node-name: found"), std::string::npos);
  flags.pods = "kubelet";
  EXPECT_NE(error([&] { flags.kubelet_url = "127.0.0.1:10250"; }).find("--kubelet-url: found"),
            std::string::npos);
  EXPECT_NE(error([&] { flags.kubelet_url = "https://fd00::1"; }).find("--kubelet-url: found"),
            std::string::npos);
  EXPECT_NE(error([&] { flags.kubelet_url = "https://a:1/pods"; }).find("--kubelet-url: found"),
            std::string::npos);
}

TEST_F(KubeSetupTest, AKubeconfigOverridesTheServiceAccount) {
  in_a_pod();
  const StateDir dir;
  flags.kubeconfig = dir.path + "/config";
  std::ofstream(flags.kubeconfig)
      << "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
         "clusters: [{name: c, cluster: {server: 'https://api', certificate-authority: ca}}]\n"
         "users: [{name: u, user: {token: t}}]\n";
  const auto made = setup();
  ASSERT_TRUE(made.feed.api) << made.error;
  EXPECT_EQ(made.feed.api->server, "https://api:443");
  EXPECT_EQ(made.feed.kubelet->token.text, "t");
}

}  // namespace
}  // namespace evenkeel::test
