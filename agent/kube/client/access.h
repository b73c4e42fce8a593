// The address of a Kubernetes server, its CA and the client's credentials, from the pod's service account or
// a kubeconfig file. Does not connect.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::kube {

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

}  // namespace evenkeel::kube
