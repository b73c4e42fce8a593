#include <algorithm>
#include <utility>

#include "agent/kube/client/access.h"

namespace evenkeel::kube {

namespace {

/// Whether a token has only characters that are legal in a header.
bool sendable(const std::string& token) {
  return !token.empty() && std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

}  // namespace

Credentials::Part::Part(const TextOrFile& given) : text(given.text) {
  if (!given.file.empty()) file.emplace(given.file);
}

Credentials::Credentials(const KubeAccess& access)
    : authorities_(access.authorities),
      certificate_(access.certificate),
      key_(access.key),
      token_source_(access.token) {
  settings_.unverified = access.unverified;
  settings_.server_name = access.server_name;
}

bool Credentials::take_token() { return std::exchange(token_, trimmed(token_source_.now())) != token_; }

std::string Credentials::refresh() {
  bool changed = !tls_;
  for (Part* part : {&authorities_, &certificate_, &key_}) changed = part->refresh() || changed;
  if (changed) {
    settings_.authorities = authorities_.now();
    settings_.certificate = certificate_.now();
    settings_.key = key_.now();
    tls_ = std::make_shared<const http::HttpTls>(settings_);
  }
  token_source_.refresh();
  take_token();
  for (const Part* part : {&authorities_, &certificate_, &key_, &token_source_})
    if (!part->usable()) return part->file->path() + ": cannot be read";
  if (token_source_.file && token_.empty()) return token_source_.file->path() + ": is empty; legal: a token";
  if (!token_.empty() && !sendable(token_)) {
    const std::string where = token_source_.file ? token_source_.file->path() : std::string("token");
    return where + ": holds something else than a token";
  }
  return {};
}

bool Credentials::renew_token() {
  token_source_.refresh(true);
  return take_token();
}

}  // namespace evenkeel::kube
