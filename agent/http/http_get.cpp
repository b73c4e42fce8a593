#include "agent/http/http_get.h"

#include <curl/curl.h>

namespace evenkeel {
namespace {

constexpr long kPatienceSeconds = 5;

std::size_t keep(char* data, std::size_t size, std::size_t count, void* into) {
  static_cast<std::string*>(into)->append(data, size * count);
  return size * count;
}

}  // namespace

HttpGot http_get(const std::string& url) {
  HttpGot got;
  CURL* handle = curl_easy_init();
  if (handle == nullptr) return {0, {}, "no HTTP client"};
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROXY, "");  // the agent is on this machine
  curl_easy_setopt(handle, CURLOPT_TIMEOUT, kPatienceSeconds);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &keep);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &got.body);
  const CURLcode code = curl_easy_perform(handle);
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup(handle);
  if (code != CURLE_OK) return {0, {}, curl_easy_strerror(code)};
  got.status = static_cast<int>(status);
  return got;
}

}  // namespace evenkeel
