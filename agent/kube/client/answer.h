// What a Kubernetes server's refusal says: a Status object from the API server, a line of text from the
// kubelet. May not: decide what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/http/http_call.h"

namespace evenkeel::kube {

/// metav1.Status.
struct KubeStatus {
  std::string reason{};   ///< "NotFound", "Conflict", "TooManyRequests"
  std::string message{};  ///< for people
  struct Cause {
    std::string reason{}, message{};
  };
  std::vector<Cause> causes{};  ///< "DisruptionBudget"
};
/// Absent: the body is no Status.
std::optional<KubeStatus> parse_status(std::string_view body);

/// One line for people, of bounded length: "403 Forbidden (user=…)", "Connection refused". Empty for a good
/// reply.
std::string trouble(const http::HttpReply& reply);

}  // namespace evenkeel::kube
