// How a Kubernetes server is reached: address, CA and credentials, which are read again when they are
// rotated. Does not connect.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/http/http_call.h"
#include "agent/runtime/files.h"

namespace evenkeel::kube {

// The address of a Kubernetes server, its CA and the client's credentials, from the pod's service account or
// a kubeconfig file. Does not connect.

/// A text given directly, or in a file that may be replaced.
struct TextOrFile {
  std::string text{};
  std::string file{};  ///< wins when both are given
  [[nodiscard]] bool given() const { return !text.empty() || !file.empty(); }
};

struct KubeAccess {
  std::string server{};                            ///< "https://10.0.0.1:443", without a trailing slash
  TextOrFile authorities{}, certificate{}, key{};  ///< PEM
  TextOrFile token{};
  bool unverified = false;
  std::string server_name{};  ///< the name in the server's certificate, where it differs from `server`
  std::string source{};       ///< human-readable origin of this access
};

struct AccessResult {
  std::optional<KubeAccess> access{};  ///< absent without an error: not configured
  std::string error{};
};

/// Reads a kubeconfig's current context. Relative file names are relative to its directory. What needs
/// another program (exec, auth-provider) or is not supported (passwords, proxies, impersonation) is an error:
/// an incomplete identity is useless.
AccessResult parse_kubeconfig(std::string_view text, const std::string& file);
AccessResult kubeconfig_access(const std::string& file);

using Environment = std::function<std::string(const char*)>;  ///< empty: not set
/// Access from a pod's environment: KUBERNETES_SERVICE_HOST and _PORT, and token and ca.crt in `directory`.
AccessResult in_cluster_access(const Environment& environment, const std::string& directory);

// The current credentials of an access: files are read again when they were replaced, since tokens are
// rotated every hour and certificates occasionally. Does not connect.

class Credentials {
 public:
  explicit Credentials(const KubeAccess& access);

  /// Checks the files again. Not empty: which file cannot be used; then nothing may be sent.
  std::string refresh();
  /// After the server rejected the token: whether the file now holds another one.
  bool renew_token();

  [[nodiscard]] const std::shared_ptr<const http::HttpTls>& tls() const { return tls_; }
  /// Empty: none.
  [[nodiscard]] const std::string& token() const { return token_; }

 private:
  /// A text given directly, or a file.
  struct Part {
    std::string text{};
    std::optional<runtime::WatchedTextFile> file{};
    explicit Part(const TextOrFile& given);
    [[nodiscard]] const std::string& now() const { return file ? file->text() : text; }
    bool refresh(bool anyhow = false) { return file && file->refresh(anyhow); }
    [[nodiscard]] bool usable() const { return !file || file->readable() || !file->text().empty(); }
  };
  bool take_token();
  Part authorities_, certificate_, key_, token_source_;
  http::HttpTls settings_{};
  std::shared_ptr<const http::HttpTls> tls_{};
  std::string token_{};
};

}  // namespace evenkeel::kube
