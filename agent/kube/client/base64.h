// Base64 as kubeconfig files hold certificates.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::kube {

/// Line ends between the letters are skipped. Absent: anything that is not padded base64.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace evenkeel::kube
