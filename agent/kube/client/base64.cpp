#include "agent/kube/client/base64.h"

#include <openssl/evp.h>  // the only file that includes it

#include <limits>
#include <memory>

namespace evenkeel::kube {

std::optional<std::string> decode_base64(std::string_view text) {
  // OpenSSL skips blanks like line breaks, and takes '-' for the end.
  constexpr std::string_view kTolerated = " \t-";
  if (text.find_first_of(kTolerated) != std::string_view::npos ||
      text.size() > std::numeric_limits<int>::max())
    return std::nullopt;
  const std::unique_ptr<EVP_ENCODE_CTX, decltype(&EVP_ENCODE_CTX_free)> state(EVP_ENCODE_CTX_new(),
                                                                              &EVP_ENCODE_CTX_free);
  if (!state) return std::nullopt;
  EVP_DecodeInit(state.get());
  std::string out(text.size() / 4 * 3 + 3, '\0');
  auto* to = reinterpret_cast<unsigned char*>(out.data());
  const auto* from = reinterpret_cast<const unsigned char*>(text.data());
  int size = 0, rest = 0;
  if (EVP_DecodeUpdate(state.get(), to, &size, from, static_cast<int>(text.size())) < 0 ||
      EVP_DecodeFinal(state.get(), to + size, &rest) != 1)
    return std::nullopt;
  out.resize(static_cast<std::size_t>(size) + static_cast<std::size_t>(rest));
  return out;
}

}  // namespace evenkeel::kube
