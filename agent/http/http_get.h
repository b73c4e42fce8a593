// One blocking GET, for the commands that query the running agent.
#pragma once

#include <string>

namespace evenkeel::http {

struct HttpGetResult {
  int status = 0;  ///< 0: no answer, see error
  std::string body{};
  std::string error{};
};
HttpGetResult http_get(const std::string& url);

}  // namespace evenkeel::http
