#include "agent/runtime/text_file.h"

#include <sys/stat.h>

#include <array>
#include <fstream>
#include <utility>

namespace evenkeel::runtime {
namespace {

constexpr std::size_t kLongestChanging = std::size_t{1} << 20;

}  // namespace

std::optional<std::string> read_text_file(const std::string& path, std::size_t longest) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 16384> piece{};
  do {
    file.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
  } while (file && text.size() <= longest);
  if (file.bad() || text.size() > longest) return std::nullopt;  // bad: a directory, an I/O error
  return text;
}

bool WatchedTextFile::refresh(bool anyhow) {
  struct stat is {};
  if (::stat(path_.c_str(), &is) != 0) {
    readable_ = false;
    return false;
  }
  const Stamp stamp{is.st_dev, is.st_ino, static_cast<std::uint64_t>(is.st_size),
                    is.st_mtim.tv_sec * 1'000'000'000 + is.st_mtim.tv_nsec};
  if (!anyhow && readable_ && stamp_ == stamp) return false;
  auto text = read_text_file(path_, kLongestChanging);
  readable_ = text.has_value();
  if (!readable_) return false;
  stamp_ = stamp;
  return std::exchange(text_, std::move(*text)) != text_;
}

}  // namespace evenkeel::runtime
