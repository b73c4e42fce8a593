// Reads small text files that operators and the kubelet write, and reads them again when they have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace evenkeel::runtime {

/// Absent: it is missing, cannot be read (a directory) or is longer than `longest`.
std::optional<std::string> read_text_file(const std::string& path, std::size_t longest = SIZE_MAX);

/// A file that other processes replace, checked without events: a symlink switch or a write counts.
class WatchedTextFile {
 public:
  explicit WatchedTextFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Reads the file if it or its stat(2) changed since the last call (always with `anyhow`). Returns whether
  /// the text differs. A file that cannot be read leaves the text as it was.
  bool refresh(bool anyhow = false);
  /// Whether the last refresh() could read the file.
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

}  // namespace evenkeel::runtime
