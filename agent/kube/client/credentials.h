// The credentials of an access as they are now: files are read again when somebody has replaced them, since
// tokens are rotated every hour and certificates once in a while. May not: connect to anything.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "agent/http/http_call.h"
#include "agent/inputs/text_file.h"
#include "agent/kube/client/access.h"

namespace evenkeel::kube {

class Credentials {
 public:
  explicit Credentials(const KubeAccess& access);

  /// Looks at the files again. Not empty: which of them cannot be used; nothing may be sent then.
  std::string refresh();
  /// After the server has refused the token: whether the file holds another one by now.
  bool renew_token();

  [[nodiscard]] const std::shared_ptr<const http::HttpTls>& tls() const { return tls_; }
  /// Empty: none.
  [[nodiscard]] const std::string& token() const { return token_; }

 private:
  /// A text as it was given, or a file.
  struct Part {
    std::string text{};
    std::optional<inputs::WatchedTextFile> file{};
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
