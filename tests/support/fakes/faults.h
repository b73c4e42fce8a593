// Trouble between a client and a server: delays, resets, truncation, refusals, answers that are too large,
// too deep, too slow or no answers at all. For scripts of a test, and (tests/helpers/fault_proxy.cpp) for a
// real server.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {

struct Fault {
  enum class Kind : std::uint8_t {
    none,
    status,   ///< `number` instead of the answer; `text` more headers
    delay,    ///< the answer comes after `time`
    hang,     ///< no answer
    reset,    ///< a reset after `number` bytes of the answer
    cut,      ///< the end after `number` bytes of the answer
    drip,     ///< a byte of the answer every `time`
    garbage,  ///< 200, but not what was asked for
    huge,     ///< a list that never ends
    deep,     ///< a million brackets
    empty,    ///< a list, and nothing in it
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

/// The same answers, with this trouble on the way.
ScriptedServer::Script with_fault(ScriptedServer::Script script, const Fault& fault);
/// What the server on this port of 127.0.0.1 answers; with TLS it is believed, whoever it is.
ScriptedServer::Script forwarding_to(int port, bool tls);

}  // namespace evenkeel::test
