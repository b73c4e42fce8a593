// The clients of the server: how long each may keep it waiting, and who gives way when there are too many.
// Does not read or write sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>

#include "qos/model/units.h"

namespace evenkeel::http {

/// How long a client may take.
struct Patience {
  Duration header{std::chrono::seconds(2)};   ///< from the connection to the end of the request's header
  Duration answer{std::chrono::seconds(10)};  ///< from there until the client has read the answer
  Duration idle{std::chrono::seconds(10)};    ///< from there to the end of the next request's header
};

struct Connection {
  int fd = -1;
  MonoTime deadline{};      ///< of what it does now
  std::uint64_t round = 0;  ///< in which it was opened
  bool ended = false;       ///< by end_late(); the library has not closed it yet
  std::size_t unread = 0;   ///< bytes of the answer that the client has not read completely
};

/// Each byte of a slow client restarts the library's own time-out, and its limit of connections makes
/// newcomers wait for a place. Here a deadline is for the whole header or answer, and the oldest connection
/// gives its place to a newcomer. So there are always places free, and whoever asks at once (a probe of
/// /healthz does) is answered.
class Connections {
 public:
  /// The library's limit must leave room for those that are opened in two rounds, and those just ended.
  static constexpr std::size_t kMost = 64, kLibraryLimit = 128;
  /// Bytes of all answers that are not read completely: several pages of the largest node. Answers up to the
  /// second size do not count: a probe's is small.
  static constexpr std::size_t kMostUnread = std::size_t{8} << 20, kSmallAnswer = std::size_t{4} << 10;

  explicit Connections(const Patience& patience) : patience_(patience) {}

  /// The address is kept until closed().
  Connection* opened(int fd, MonoTime now);
  void closed(const Connection* connection);
  /// The header of a request was read.
  void requested(Connection& connection, MonoTime now) const;
  /// Whether an answer may wait in memory until its client reads it. One alone may be of any size.
  [[nodiscard]] bool may_wait(std::size_t bytes) const;
  /// It does, until answered() or closed().
  void waits(Connection& connection, std::size_t bytes);
  /// The client has read its answer.
  void answered(Connection& connection, MonoTime now);

  /// After each round of reading and writing: shuts the sockets that are late, and the oldest of too many.
  /// The library sees them closed in the next round. Returns the next deadline.
  std::optional<MonoTime> end_late(MonoTime now);
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  Patience patience_;
  std::list<Connection> all_{};  ///< the longest without a complete answer first
  std::uint64_t round_ = 0;
  std::size_t unread_ = 0;  ///< of all
};

}  // namespace evenkeel::http
