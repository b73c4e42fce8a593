#include "cgroup/executor/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

#include "cgroup/base/text.h"
#include "qos/model/knob.h"

namespace evenkeel::executor {
namespace {

/// The name as a string literal, as Error requires it: the knob table's own copy, whatever the argument's
/// lifetime.
const char* literal(std::string_view name) {
  for (const auto& lever : knob_table())
    for (const auto file : {lever.v1_file, lever.v2_file})
      if (file == name) return file.data();
  return "";
}

Result<std::uint64_t> inode_of(const Fd& dir) {
  struct stat status {};
  if (::fstat(dir.get(), &status) != 0) return fail(errno, Op::open);
  return static_cast<std::uint64_t>(status.st_ino);
}

/// Opens the file in exactly the directory that is meant: ENOENT when its path leads to another one by now.
Result<Fd> open_file(const Host& host, const KnobFile& file, int flags) {
  const char* const name = literal(file.name);
  if (file.name.empty() || file.name.find('/') != std::string_view::npos) return fail(EINVAL, Op::open, name);
  const auto dir = host.open_dir_path(file.dir);
  if (!dir) return fail(dir.error().code, Op::open, name);
  const auto life = file.inode != 0 ? inode_of(*dir) : Result<std::uint64_t>(file.inode);
  if (!life) return fail(life.error().code, Op::open, name);
  if (*life != file.inode) return fail(ENOENT, Op::open, name);
  Fd fd(::openat(dir->get(), std::string(file_part(file.name)).c_str(), flags | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return fail(errno, Op::open, name);
  return fd;
}

/// A path split into its directory, opened, and the name in it (which points into the path).
struct Parted {
  Fd dir;
  const char* name;
};
Result<Parted> parted(const Host& host, const std::string& path) {
  const auto cut = path.rfind('/');
  auto dir = host.open_dir_path(path.substr(0, cut));
  if (!dir) return fail(dir.error().code, Op::open);
  return Parted{std::move(*dir), path.c_str() + cut + 1};
}

Result<std::string> read_whole(const Fd& fd, const char* name) {
  std::array<char, 4096> buffer{};  // kernfs returns at most a page per read
  std::string out;
  constexpr std::size_t kLimit = 1U << 20U;
  while (out.size() < kLimit) {
    const auto got = ::read(fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(errno, Op::read, name);
    if (got == 0) return out;
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return fail(EFBIG, Op::read, name);
}

/// The texts to write, one write each. For a file with a line per disk the kernel takes one line and keeps
/// the others; a plain file does not.
Result<std::vector<std::string>> as_written(const Host& host, const KnobFile& file, std::string_view text) {
  if (file.device == 0) return std::vector{std::string(text)};
  const auto fd = open_file(host, file, O_RDONLY);
  if (!fd) return tl::unexpected(fd.error());
  const bool kernels = is_kernel_fs(fd->get());
  if (kernels && !keeps_removed_weights(file.name)) return std::vector{std::string(text)};
  const auto whole = read_whole(*fd, literal(file.name));
  if (!whole) return tl::unexpected(whole.error());
  if (kernels) return disk_writes(file.name, *whole, text);
  return std::vector{with_disk_entry(file.name, *whole, text)};
}

}  // namespace

Result<std::string> FileWriter::read(const KnobFile& file) {
  const auto fd = open_file(host_, file, O_RDONLY);
  if (!fd) return tl::unexpected(fd.error());
  auto whole = read_whole(*fd, literal(file.name));
  if (whole && file.device != 0) *whole = disk_entry(file.name, file.device, *whole);
  return whole;
}

Result<> FileWriter::write(const KnobFile& file, std::string_view text) {
  const auto content = as_written(host_, file, text);
  if (!content) return tl::unexpected(content.error());
  // O_TRUNC: cgroupfs accepts it, and a plain file would keep the tail of a longer text without it.
  const auto fd = open_file(host_, file, O_WRONLY | O_TRUNC);
  if (!fd) return tl::unexpected(fd.error());
  for (std::string line : *content) {
    // A line, as the kernel itself prints it: a restored file is identical to the last byte on a fake root
    // too.
    if (!line.ends_with('\n') && (file.device == 0 || !line.empty())) line += '\n';
    const auto put = ::write(fd->get(), line.data(), line.size());
    if (put < 0) return fail(errno, Op::write, literal(file.name));
    // The kernel accepts a value as a whole or not at all; half a value on a plain file is a failure.
    if (static_cast<std::size_t>(put) != line.size()) return fail(EIO, Op::write, literal(file.name));
  }
  return {};
}

Result<std::uint64_t> FileWriter::inode(const std::string& dir) {
  const auto fd = host_.open_dir_path(dir);
  if (!fd) return tl::unexpected(fd.error());
  return inode_of(*fd);
}

Result<> FileWriter::append_subdirs(const std::string& dir, std::string& names) {
  return host_.append_subdirs(dir, names);
}

Result<Fd> open_command_file(const Host& host, const std::string& dir, const char* name) {
  const auto place = host.open_dir_path(dir);
  if (!place) return fail(place.error().code, Op::open, name);
  // O_NONBLOCK: does not wait for a reader if there is a pipe in the file's place.
  Fd fd(::openat(place->get(), name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return fail(errno, Op::open, name);
  ::fcntl(fd.get(), F_SETFL, 0);
  return fd;
}

Result<> write_command(const Fd& file, const std::string& order, const char* name) {
  const std::string line = order + "\n";
  // A plain file of a fake root keeps only the last command.
  const bool regular = ::ftruncate(file.get(), 0) == 0;
  const auto put = regular ? ::pwrite(file.get(), line.data(), line.size(), 0)
                           : ::write(file.get(), line.data(), line.size());
  return put < 0 ? Result<>(fail(errno, Op::write, name)) : Result<>();
}

namespace {

/// Opens for writing only the given text. Never creates a file.
Result<Fd> open_existing(const Host& host, const std::string& path) {
  const auto at = parted(host, path);
  if (!at) return tl::unexpected(at.error());
  Fd fd(::openat(at->dir.get(), at->name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return fail(errno, Op::open);
  return fd;
}

/// The text that the kernel would show afterwards, for a plain file of a fake root.
std::string with_turned(std::string_view line, std::string_view word) {
  const auto bare = [](std::string_view one) { return one.starts_with("NO_") ? one.substr(3) : one; };
  Scanner scan(line);
  for (auto one = scan.word(); !one.empty(); one = scan.word())
    if (bare(one) == bare(word)) {
      const auto at = static_cast<std::size_t>(one.data() - line.data());
      return std::string(line.substr(0, at)).append(word).append(line.substr(at + one.size()));
    }
  return std::string(line);
}

}  // namespace

Result<> may_write(const Host& host, const std::string& path) {
  const auto fd = open_existing(host, path);
  return fd ? Result<>() : tl::unexpected(fd.error());
}

Result<> write_word(const Host& host, const std::string& path, std::string_view word) {
  const auto opened = open_existing(host, path);
  if (!opened) return tl::unexpected(opened.error());
  const Fd& fd = *opened;
  std::string text(word);
  if (!is_kernel_fs(fd.get())) {
    const auto line = host.slurp(path);
    if (!line) return tl::unexpected(line.error());
    text = with_turned(*line, word);
    if (::ftruncate(fd.get(), 0) != 0) return fail(errno, Op::write);
  }
  const auto put = ::write(fd.get(), text.data(), text.size());
  if (put < 0) return fail(errno, Op::write);
  return static_cast<std::size_t>(put) == text.size() ? Result<>() : fail(EIO, Op::write);
}

Result<std::string_view> ResctrlKernelFiles::read(const std::string& path, std::string& buffer) {
  constexpr std::size_t kPiece = 16384, kLimit = std::size_t{16} << 20U;
  const auto fd = host_.open_read(path);
  if (!fd) return fail(fd.error().code, Op::open);
  std::size_t have = 0;
  for (;;) {
    if (buffer.size() < have + kPiece) buffer.resize(have + kPiece);
    const auto got = ::read(fd->get(), buffer.data() + have, buffer.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(errno, Op::read);
    if (got == 0) return std::string_view(buffer.data(), have);
    have += static_cast<std::size_t>(got);
    if (have > kLimit) return fail(EFBIG, Op::read);
  }
}

Result<> ResctrlKernelFiles::write(const std::string& path, std::string_view text) {
  const auto fd = open_existing(host_, path);
  if (!fd) return tl::unexpected(fd.error());
  const auto put = ::write(fd->get(), text.data(), text.size());
  if (put < 0) return fail(errno, Op::write);
  return static_cast<std::size_t>(put) == text.size() ? Result<>() : fail(EIO, Op::write);
}

Result<> ResctrlKernelFiles::make_dir(const std::string& path) {
  const auto at = parted(host_, path);
  if (!at) return tl::unexpected(at.error());
  if (::mkdirat(at->dir.get(), at->name, 0755) != 0) return fail(errno, Op::write);
  return {};
}

Result<> ResctrlKernelFiles::remove_dir(const std::string& path) {
  const auto at = parted(host_, path);
  if (!at) return tl::unexpected(at.error());
  if (::unlinkat(at->dir.get(), at->name, AT_REMOVEDIR) != 0) return fail(errno, Op::write);
  return {};
}

Result<std::uint64_t> ResctrlKernelFiles::inode(const std::string& path) { return host_.inode(path); }

Result<> ResctrlKernelFiles::append_subdirs(const std::string& path, std::string& names) {
  return host_.append_subdirs(path, names);
}

}  // namespace evenkeel::executor
