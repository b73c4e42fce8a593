// Where a Kubernetes server is, whom to trust there and who we are: from the pod's service account or from a
// kubeconfig file. May not: connect to anything.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::kube {

/// A text that is given, or that stands in a file which somebody may replace.
struct TextOrFile {
  std::string text{};
  std::string file{};  ///< counts when both are there
  [[nodiscard]] bool given() const { return !text.empty() || !file.empty(); }
};

struct KubeAccess {
  std::string server{};                            ///< "https://10.0.0.1:443", without a slash at the end
  TextOrFile authorities{}, certificate{}, key{};  ///< PEM
  TextOrFile token{};
  bool unverified = false;
  std::string server_name{};  ///< the name in the server's certificate, where it differs from `server`
  std::string source{};       ///< for people: where this comes from
};

struct AccessResult {
  std::optional<KubeAccess> access{};  ///< absent without an error: there is none
  std::string error{};
};

/// A kubeconfig's current context. Relative file names are relative to its directory. What needs another
/// program (exec, auth-provider) or is not understood (passwords, proxies, impersonation) is an error: half
/// an identity is none.
AccessResult parse_kubeconfig(std::string_view text, const std::string& file);
AccessResult kubeconfig_access(const std::string& file);

using Environment = std::function<std::string(const char*)>;  ///< empty: not set
/// What every pod is given: KUBERNETES_SERVICE_HOST and _PORT, and token and ca.crt in `directory`.
AccessResult in_cluster_access(const Environment& environment, const std::string& directory);

}  // namespace evenkeel::kube
