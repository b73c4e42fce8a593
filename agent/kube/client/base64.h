// Decodes base64 as used for certificates in kubeconfig files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::kube {

/// Line breaks are skipped. Absent: the text is not padded base64.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace evenkeel::kube
