// Tests where access to servers comes from: the service account, valid and invalid kubeconfigs, and files
// that change.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "agent/kube/client/access.h"
#include "agent/kube/client/base64.h"
#include "tests/support/malformed.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kPem = "-----BEGIN CERTIFICATE-----\nMAo=\n-----END CERTIFICATE-----\n";
// kPem
constexpr const char* kPemBase64 =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1Bbz0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=";

std::string kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
         "clusters: [{name: other, cluster: {server: 'https://no'}}, {name: c, cluster: {" +
         cluster +
         "}}]\n"
         "contexts: [{name: here, context: {cluster: c, user: u, namespace: x}}]\n"
         "users: [{name: u, user: {" +
         user + "}}]\n";
}
std::string error_of(const std::string& cluster, const std::string& user) {
  return kube::parse_kubeconfig(kubeconfig(cluster, user), "/etc/kube/config").error;
}

TEST(Kubeconfig, GivesServerCaAndCredentials) {
  const auto found = kube::parse_kubeconfig(
      kubeconfig("server: 'https://10.1.2.3:6443/', certificate-authority: pki/ca.crt, tls-server-name: api",
                 "tokenFile: token, token: old, client-certificate: /a/c.pem, client-key-data: " +
                     std::string(kPemBase64)),
      "/etc/kube/config");
  ASSERT_TRUE(found.access) << found.error;
  EXPECT_EQ(found.access->server, "https://10.1.2.3:6443");
  EXPECT_EQ(found.access->authorities.file, "/etc/kube/pki/ca.crt");
  EXPECT_EQ(found.access->server_name, "api");
  EXPECT_EQ(found.access->token.file, "/etc/kube/token") << "counts more than the token";
  EXPECT_EQ(found.access->certificate.file, "/a/c.pem");
  EXPECT_EQ(found.access->key.text, kPem);
  EXPECT_FALSE(found.access->unverified);
  EXPECT_EQ(found.access->source, "/etc/kube/config, context here");
}

TEST(Kubeconfig, MayBeJsonAndMaySkipVerification) {
  const auto found = kube::parse_kubeconfig(
      R"({"current-context":"a","contexts":[{"name":"a","context":{"cluster":"k"}}],
          "clusters":[{"name":"k","cluster":{"server":"https://[::1]:6443","insecure-skip-tls-verify":true}}]})",
      "f");
  ASSERT_TRUE(found.access) << found.error;
  EXPECT_EQ(found.access->server, "https://[::1]:6443");
  EXPECT_TRUE(found.access->unverified);
  EXPECT_FALSE(found.access->token.given()) << "a context without a user has no credentials";
}

TEST(Kubeconfig, IncompleteOrUnsupportedCredentialsAreErrors) {
  const std::string cluster = "server: 'https://a', certificate-authority: ca.crt";
  for (const auto& [given, what] : std::vector<std::pair<std::string, std::string>>{
           {"exec: {command: aws}", "exec: is not supported"},
           {"auth-provider: {name: gcp}", "auth-provider: is not supported"},
           {"username: a, password: b", "username: is not supported"},
           {"token: t, as: root", "as: is not supported"},
           {"client-certificate: c.pem", "client-certificate and client-key, or neither"},
           {"client-key-data: '!!', client-certificate: c", "client-key-data: legal: a PEM text in base64"},
           {"client-key-data: AAAA, client-certificate: c", "client-key-data: legal: a PEM text in base64"}})
    EXPECT_NE(error_of(cluster, given).find(what), std::string::npos) << error_of(cluster, given);
  EXPECT_EQ(error_of(cluster, "token: t"), "");
}

TEST(Kubeconfig, RejectsServersWithoutTlsOrCa) {
  for (const auto& [given, what] : std::vector<std::pair<std::string, std::string>>{
           {"", "server: legal: https://HOST:PORT"},
           {"server: 10.0.0.1", "server: legal: https://HOST:PORT"},
           {"server: 'https://a'", "certificate-authority: is not given"},
           {"server: 'https://a', certificate-authority: x, insecure-skip-tls-verify: true",
            "either this or"},
           {"server: 'https://a', certificate-authority: x, proxy-url: 'http://p'",
            "proxy-url: is not supported"},
           {"server: 'http://a'", "credentials over https only"}})
    EXPECT_NE(error_of(given, "token: t").find(what), std::string::npos) << error_of(given, "token: t");
  EXPECT_EQ(error_of("server: 'http://127.0.0.1:8001'", "namespace: x"), "") << "kubectl proxy";
}

TEST(Kubeconfig, MistakesAreReportedWithTheirPlace) {
  EXPECT_EQ(kube::parse_kubeconfig("kind: Config\n", "f").error,
            "f:1:1: current-context: is not given; legal: the name of a context");
  EXPECT_EQ(kube::parse_kubeconfig("current-context: a\ncontexts: []\n", "f").error,
            "f:1:1: contexts: has no context named 'a'");
  EXPECT_NE(kube::parse_kubeconfig("a: [", "f").error, "");
  EXPECT_EQ(kube::kubeconfig_access("/nowhere/config").error, "/nowhere/config: cannot be read");
}

TEST(Kubeconfig, MalformedTextsAreErrors) {
  for (const auto& text : malformed_texts()) {
    const auto found = kube::parse_kubeconfig(text, "f");
    EXPECT_FALSE(found.access);
    EXPECT_NE(found.error, "");
  }
  const std::string good =
      kubeconfig("server: 'https://a', certificate-authority-data: " + std::string(kPemBase64), "token: t");
  ASSERT_TRUE(kube::parse_kubeconfig(good, "f").access);
  for (const auto text : truncations(good)) {
    const auto found = kube::parse_kubeconfig(text, "f");
    EXPECT_NE(found.access.has_value(), !found.error.empty()) << text;
  }
}

TEST(InCluster, ReadsThePodsEnvironmentAndServiceAccount) {
  std::map<std::string, std::string> environment;
  const auto look = [&](const char* name) { return environment[name]; };
  EXPECT_FALSE(kube::in_cluster_access(look, "/sa").access);
  EXPECT_EQ(kube::in_cluster_access(look, "/sa").error, "") << "outside of a cluster is no mistake";
  environment = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  const auto found = kube::in_cluster_access(look, "/sa");
  ASSERT_TRUE(found.access) << found.error;
  EXPECT_EQ(found.access->server, "https://10.0.0.1:443");
  EXPECT_EQ(found.access->authorities.file, "/sa/ca.crt");
  EXPECT_EQ(found.access->token.file, "/sa/token");
  environment["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(kube::in_cluster_access(look, "/sa").access->server, "https://[fd00::1]:443");
  environment["KUBERNETES_SERVICE_PORT"] = "https";
  EXPECT_NE(kube::in_cluster_access(look, "/sa").error, "");
  environment["KUBERNETES_SERVICE_PORT"] = "443/x";
  EXPECT_NE(kube::in_cluster_access(look, "/sa").error, "");
}

TEST(Base64, IsDecodedOrRefused) {
  EXPECT_EQ(kube::decode_base64(""), "");
  EXPECT_EQ(kube::decode_base64("Zg=="), "f");
  EXPECT_EQ(kube::decode_base64("Zm8="), "fo");
  EXPECT_EQ(kube::decode_base64("Zm9v\nYmFy\r\n"), "foobar");
  std::string lines, bytes;  // as kubectl and openssl write them, of 76 and of 64 letters
  for (int i = 0; i < 76; ++i, bytes += "foo") lines += i % 19 == 18 || i % 16 == 15 ? "Zm9v\n" : "Zm9v";
  EXPECT_EQ(kube::decode_base64(lines + "Zg==\n"), bytes + "f");
  for (const char* bad :
       {"Z", "Zg", "Zg=", "=Zg=", "Zg==Zg==", "Zm9v====", "Zm 9", "Z===", "Zm9-", "Zm9v Zm9v",
        "Zm9v\tZg==", " Zg==", "Zg== ", "Zm9v-", "Zm9v-----END", "Zg==\n=", "====", "Zm9v\x80"})
    EXPECT_FALSE(kube::decode_base64(bad)) << bad;
  EXPECT_FALSE(kube::decode_base64(std::string_view("Zm9v\0Zm9v", 9))) << "a zero";
}

/// A file replaced as the kubelet replaces tokens: a new file under the old name.
class CredentialsOnDisk : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(dir_.path + "/new") << text << std::flush;
    std::filesystem::rename(dir_.path + "/new", dir_.path + "/" + name);
  }
  [[nodiscard]] std::string at(const std::string& name) const { return dir_.path + "/" + name; }
  StateDir dir_{};
};

TEST_F(CredentialsOnDisk, AreReadAgainWhenReplaced) {
  put("token", "first\n");
  put("ca.crt", "A");
  kube::Credentials credentials(
      {.authorities = {{}, at("ca.crt")}, .token = {{}, at("token")}, .server_name = "api"});
  EXPECT_EQ(credentials.refresh(), "");
  EXPECT_EQ(credentials.token(), "first");
  EXPECT_EQ(credentials.tls()->authorities, "A");
  EXPECT_EQ(credentials.tls()->server_name, "api");
  const auto before = credentials.tls();
  EXPECT_EQ(credentials.refresh(), "");
  EXPECT_EQ(credentials.tls(), before) << "nothing changed: the same settings, the same connections";
  put("token", "second");
  put("ca.crt", "B");
  EXPECT_EQ(credentials.refresh(), "");
  EXPECT_EQ(credentials.token(), "second");
  EXPECT_EQ(credentials.tls()->authorities, "B");
  EXPECT_FALSE(credentials.renew_token());
  put("token", "third");
  EXPECT_TRUE(credentials.renew_token());
  EXPECT_EQ(credentials.token(), "third");
}

TEST_F(CredentialsOnDisk, ABrieflyMissingFileKeepsTheOldCredentials) {
  put("token", "t");
  kube::Credentials credentials({.token = {{}, at("token")}});
  EXPECT_EQ(credentials.refresh(), "");
  std::filesystem::remove(at("token"));
  EXPECT_EQ(credentials.refresh(), "");
  EXPECT_EQ(credentials.token(), "t");
}

TEST_F(CredentialsOnDisk, ReportWhichFileCannotBeUsed) {
  kube::Credentials missing({.authorities = {{}, at("ca.crt")}});
  EXPECT_EQ(missing.refresh(), at("ca.crt") + ": cannot be read");
  put("ca.crt", "A");
  EXPECT_EQ(missing.refresh(), "") << "it has come";
  put("token", " \n");
  EXPECT_EQ(kube::Credentials({.token = {{}, at("token")}}).refresh(),
            at("token") + ": is empty; legal: a token");
  for (const std::string bad : {"a b", "a\r\nX-Other: b", "a\x01", "a\xc3\xa4"}) {
    put("token", bad);
    EXPECT_EQ(kube::Credentials({.token = {{}, at("token")}}).refresh(),
              at("token") + ": holds something else than a token");
    EXPECT_EQ(kube::Credentials({.token = {bad, {}}}).refresh(), "token: holds something else than a token");
  }
  std::filesystem::create_directory(at("dir"));
  EXPECT_EQ(kube::Credentials({.token = {{}, at("dir")}}).refresh(), at("dir") + ": cannot be read");
}

}  // namespace
}  // namespace evenkeel::test
