// The current credentials of an access: files are read again when they were replaced, since tokens are
// rotated every hour and certificates occasionally. Does not connect.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "agent/http/http_call.h"
#include "agent/runtime/text_file.h"
#include "agent/kube/client/access.h"

namespace evenkeel::kube {

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
