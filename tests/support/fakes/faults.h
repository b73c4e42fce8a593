// Faults between a client and a server: delays, resets, truncation, refusals, and answers that are too large,
// too deep, too slow or missing. For scripted servers, and (tests/helpers/fault_proxy.cpp) in front of a real
// server.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {

struct Fault {
  enum class Kind : std::uint8_t {
    none,
    status,   ///< `number` instead of the answer; `text` adds headers
    delay,    ///< the answer arrives after `time`
    hang,     ///< no answer
    reset,    ///< reset after `number` bytes of the answer
    cut,      ///< close after `number` bytes of the answer
    drip,     ///< one byte of the answer every `time`
    garbage,  ///< 200, but another content
    huge,     ///< a list without end
    deep,     ///< a million brackets
    empty,    ///< an empty list
    crowd     ///< a list of `number` pods
  };
  Kind kind = Kind::none;
  int number = 0;
  std::chrono::milliseconds time{};
  std::string text{};
};
/// "none", "status 503 Retry-After: 1", "delay 500", "hang", "reset 0", "cut 100", "drip 10", "garbage",
/// "huge", "deep", "empty", "crowd 20000".
std::optional<Fault> parse_fault(const std::string& line);

/// The same answers with this fault added.
ScriptedServer::Script with_fault(ScriptedServer::Script script, const Fault& fault);
/// The answers of the server on this port of 127.0.0.1; with TLS any certificate is accepted.
ScriptedServer::Script forwarding_to(int port, bool tls);

}  // namespace evenkeel::test
