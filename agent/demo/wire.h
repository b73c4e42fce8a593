// What goes over a connection between the demo's load generator and a server.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::demo {

// Requests have numbers, and a wire tells which of them were answered. It neither waits nor measures.

class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;
  /// Sends a request, unless the server is so far behind that the socket is full: that one is never answered.
  /// False: the connection failed.
  virtual bool send(std::size_t number) = 0;
  /// Takes what has arrived, and adds the numbers of the requests that it answers. False: the connection
  /// failed or was closed, or this is no answer.
  virtual bool take(std::vector<std::size_t>& answered) = 0;
};

/// To the built-in server: a message with the number. The socket stays the caller's.
std::unique_ptr<Wire> builtin_wire(int socket);
/// To redis: its protocol (RESP2), where answers come in the order of the requests.
std::unique_ptr<Wire> redis_wire(int socket);

/// Short requests in turn: PING, SET and two GETs of keys that most earlier requests have set.
std::string redis_request(std::size_t number);

/// Counts the answers of redis in a stream of bytes.
class RedisReplies {
 public:
  /// How many are complete with these bytes. Absent: an error, or no answer to redis_request(). The object is
  /// then of no more use.
  std::optional<std::size_t> add(std::string_view bytes);

 private:
  std::string begun_{};  ///< an answer of which the rest has not come
};

}  // namespace evenkeel::demo
