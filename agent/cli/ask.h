// Asks the running agent for one of its pages.
#pragma once

#include <string>
#include <vector>

#include "agent/http/http_server.h"
#include "qos/model/units.h"

namespace evenkeel::cli {

struct Answer {
  int status = 0;          ///< of HTTP; 0: every address was passed over
  std::string body{};      ///< as it came: not yet printable
  std::string failures{};  ///< "unix:/nowhere: why; 127.0.0.1:9319: why", printable
};

/// Asks one address after the other, all of them together within `patience`. An address that does not answer,
/// or that shows this page to others only (status 403), is passed over.
Answer ask(const std::vector<http::ListenAddress>& addresses, const std::string& page,
           Duration patience = std::chrono::seconds(5));

/// For the operator: why no address gives the page.
std::string no_page(const Answer& answer);

}  // namespace evenkeel::cli
