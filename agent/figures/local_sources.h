// Figures that come from this machine without a server: a file, or datagrams on a local socket. Neither
// waits.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/figures/metric_text.h"
#include "cgroup/base/result.h"
#include "qos/model/units.h"

namespace evenkeel::figures {

/// What a look at a source has found.
struct Look {
  std::optional<double> value{};  ///< new since the last look
  std::string_view problem{};     ///< empty: none, though there may be nothing new; until the next look
};

/// A small file that the service writes again and again. It counts from its first change, so that a leftover
/// of yesterday says nothing.
class FigureFile {
 public:
  explicit FigureFile(std::string path) : path_(std::move(path)) {}
  Look look();

 private:
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  std::string path_;
  std::optional<Stamp> seen_{};
};

/// A datagram socket that the agent creates and removes. Each datagram is one figure, the last one counts.
class FigureSocket {
 public:
  explicit FigureSocket(std::string path) : path_(std::move(path)) {}
  FigureSocket(const FigureSocket&) = delete;
  FigureSocket& operator=(const FigureSocket&) = delete;
  ~FigureSocket();
  /// Receives at most kMostDatagrams; more wait in the kernel, or the senders do.
  Look look(MonoTime now);

  static constexpr int kMostDatagrams = 256;

 private:
  /// Not empty: why it cannot be opened.
  std::string open();
  std::string path_;
  Fd socket_{};
  ino_t inode_ = 0;  ///< of the socket, which is not removed when another process has put its own there
  MonoTime tried_{};
  std::string refusal_{};
};

}  // namespace evenkeel::figures
