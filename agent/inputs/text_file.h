// Small text files that people and the kubelet write: read whole, and read again when they have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::inputs {

/// Absent: it is not there, cannot be read (a directory) or is longer than `longest`.
std::optional<std::string> read_text_file(const std::string& path, std::size_t longest = SIZE_MAX);

/// A file that others replace, looked at without waiting for an event: a symlink swap or a write counts.
class WatchedTextFile {
 public:
  explicit WatchedTextFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Reads it if it is another file or another state of it than last time (always with `anyhow`). Whether the
  /// text is another one now. A file that cannot be read leaves the text as it was.
  bool refresh(bool anyhow = false);
  /// Of the last refresh(): whether the file could be read.
  [[nodiscard]] bool readable() const { return readable_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  std::string path_;
  std::optional<Stamp> stamp_{};
  bool readable_ = false;
  std::string text_{};
};

}  // namespace evenkeel::inputs
