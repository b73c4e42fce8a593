// Parses a Kubernetes server's error answer: a Status object from the API server, a line of text from the
// kubelet. Does not decide how to react.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/http/http_call.h"

namespace evenkeel::kube {

/// metav1.Status.
struct KubeStatus {
  std::string reason{};   ///< "NotFound", "Conflict", "TooManyRequests"
  std::string message{};  ///< human-readable
  struct Cause {
    std::string reason{}, message{};
  };
  std::vector<Cause> causes{};  ///< "DisruptionBudget"
};
/// Absent: the body is not a Status.
std::optional<KubeStatus> parse_status(std::string_view body);

/// One human-readable line of bounded length: "403 Forbidden (user=…)", "Connection refused". Empty for a
/// successful reply.
std::string trouble(const http::HttpReply& reply);
/// The same for an answer that is read while it arrives (HttpCall::piece). Also empty if its reader stopped
/// it: the reader says why.
std::string transport_trouble(const http::HttpReply& reply);

}  // namespace evenkeel::kube
