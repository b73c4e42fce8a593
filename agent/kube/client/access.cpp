#include "agent/kube/client/access.h"

#include <filesystem>

#include "agent/document/document.h"
#include "agent/http/http_client.h"
#include "agent/kube/client/base64.h"
#include "agent/runtime/files.h"

namespace evenkeel::kube {
namespace {

constexpr std::size_t kLongestKubeconfig = std::size_t{1} << 20;

/// Reads a kubeconfig; the first mistake is reported.
struct Reader {
  const std::string& file;
  std::string error{};

  void mistake(const document::Value& at, const std::string& key, const std::string& message) {
    if (error.empty()) error = document::Problem{file, at.place, key, message}.text();
  }
  [[nodiscard]] std::string beside(const std::string& path) const {
    return (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
  }
  /// The entry `name` of a list of {name: …, kind: {…}}; null after a mistake.
  const document::Value* entry(const document::Value& root, const char* list, const char* kind,
                               const std::string& name) {
    const auto entries = document::list_at(root, {list});
    if (entries) {
      for (const auto& each : *entries)
        if (const auto* found = document::value_at(each, {kind});
            document::text_at(each, {"name"}) == name && found != nullptr)
          return found;
    }
    mistake(root, list, "has no " + std::string(kind) + " named '" + name + "'");
    return nullptr;
  }
  TextOrFile pem(const document::Value& from, const std::string& key) {
    const auto encoded = document::text_at(from, {key + "-data"});
    if (encoded.empty()) {
      const auto path = document::text_at(from, {key});
      return path.empty() ? TextOrFile{} : TextOrFile{{}, beside(path)};
    }
    auto text = decode_base64(encoded);
    if (!text || text->find("-----BEGIN ") == std::string::npos) {
      mistake(from, key + "-data", "legal: a PEM text in base64");
      return {};
    }
    return {std::move(*text), {}};
  }
  /// Rejects members that change the identity in unsupported ways.
  void refuse(const document::Value& from, std::initializer_list<const char*> keys) {
    for (const char* key : keys)
      if (const auto* found = document::value_at(from, {key}))
        mistake(*found, key, "is not supported; legal: token, tokenFile, client-certificate and client-key");
  }
};

void read_cluster(Reader& reader, const document::Value& cluster, KubeAccess& access) {
  auto server = http::parse_url(document::text_at(cluster, {"server"}));
  if (!server) return reader.mistake(cluster, "server", "legal: https://HOST:PORT");
  while (server->path.ends_with('/')) server->path.pop_back();
  access.server = server->text();
  access.authorities = reader.pem(cluster, "certificate-authority");
  access.unverified = document::text_at(cluster, {"insecure-skip-tls-verify"}) == "true";
  access.server_name = document::text_at(cluster, {"tls-server-name"});
  if (const auto* proxy = document::value_at(cluster, {"proxy-url"}))
    reader.mistake(*proxy, "proxy-url", "is not supported");
  if (access.unverified && access.authorities.given())
    reader.mistake(cluster, "insecure-skip-tls-verify", "legal: either this or a certificate-authority");
  if (server->secure && !access.unverified && !access.authorities.given())
    reader.mistake(cluster, "certificate-authority",
                   "is not given; legal: a file, or certificate-authority-data");
}

void read_user(Reader& reader, const document::Value& user, KubeAccess& access) {
  reader.refuse(user, {"exec", "auth-provider", "username", "password", "as", "as-uid", "as-groups"});
  const auto file = document::text_at(user, {"tokenFile"});
  access.token = {document::text_at(user, {"token"}), file.empty() ? std::string() : reader.beside(file)};
  access.certificate = reader.pem(user, "client-certificate");
  access.key = reader.pem(user, "client-key");
  if (access.certificate.given() != access.key.given())
    reader.mistake(user, "client-certificate", "legal: client-certificate and client-key, or neither");
}

}  // namespace

AccessResult parse_kubeconfig(std::string_view text, const std::string& file) {
  const auto parsed = document::parse_document(text, file);
  if (!parsed.problems.empty()) return {std::nullopt, parsed.problems.front().text()};
  const document::Value& root = parsed.root;
  Reader reader{file};
  const auto current = document::text_at(root, {"current-context"});
  if (current.empty()) {
    reader.mistake(root, "current-context", "is not given; legal: the name of a context");
    return {std::nullopt, reader.error};
  }
  KubeAccess access{.source = file + ", context " + current};
  if (const auto* context = reader.entry(root, "contexts", "context", current)) {
    if (const auto* cluster =
            reader.entry(root, "clusters", "cluster", document::text_at(*context, {"cluster"})))
      read_cluster(reader, *cluster, access);
    const auto name = document::text_at(*context, {"user"});
    if (const auto* user = name.empty() ? nullptr : reader.entry(root, "users", "user", name))
      read_user(reader, *user, access);
    if (access.server.starts_with("http://") && (access.token.given() || access.certificate.given()))
      reader.mistake(*context, "cluster", "has a server without TLS; legal: credentials over https only");
  }
  if (!reader.error.empty()) return {std::nullopt, reader.error};
  return {std::move(access), {}};
}

AccessResult kubeconfig_access(const std::string& file) {
  const auto text = runtime::read_text_file(file, kLongestKubeconfig);
  if (!text) return {std::nullopt, file + ": cannot be read"};
  return parse_kubeconfig(*text, file);
}

AccessResult in_cluster_access(const Environment& environment, const std::string& directory) {
  const auto host = environment("KUBERNETES_SERVICE_HOST");
  const auto port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) return {};
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const auto server = http::parse_url("https://" + name + ":" + port);
  if (!server || !server->path.empty()) {
    return {std::nullopt,
            "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: found '" + host + "' and '" + port + "'"};
  }
  return {KubeAccess{.server = server->text(),
                     .authorities = {{}, directory + "/ca.crt"},
                     .token = {{}, directory + "/token"},
                     .source = "the pod's service account"},
          {}};
}

}  // namespace evenkeel::kube
