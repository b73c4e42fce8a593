// What Kubernetes accepts as a name: its apiserver's rules (k8s.io/apimachinery, pkg/util/validation), for
// names that become parts of URLs, paths, log lines and metrics. Does not know what is named.
#pragma once

#include <string_view>

namespace evenkeel::document {

/// A DNS label of RFC 1123 (IsDNS1123Label), the name of a namespace: at most 63 small letters, digits and
/// '-', with a letter or a digit at both ends.
bool is_dns_label(std::string_view name);

/// Such labels with dots between them, at most 253 characters in all (IsDNS1123Subdomain): the name of a pod
/// or Node. As there, a single label may be longer than 63.
bool is_dns_subdomain(std::string_view name);

/// The name of a label or annotation (IsQualifiedName): 1 to 63 letters, digits, '-', '_' and '.', with a
/// letter or a digit at both ends; before it possibly a subdomain and a slash.
bool is_qualified_name(std::string_view name);

/// The value of a label (IsValidLabelValue): empty, or as a qualified name without a subdomain.
bool is_label_value(std::string_view value);

/// A uid (types.UID), for which Kubernetes has no rule: the API server makes UUIDs (RFC 4122), the kubelet
/// 32 hexadecimal digits for static pods. At most 128 letters, digits and '-', as it becomes part of
/// directory names.
bool is_uid(std::string_view uid);

}  // namespace evenkeel::document
