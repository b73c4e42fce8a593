// Access to the real kernel files below the host's root. file_writer.cpp is the only file of the program that
// opens anything there for writing. Does not decide what to write.
#pragma once

#include <string>

#include "cgroup/base/host.h"
#include "cgroup/base/kernel_files.h"

namespace evenkeel::executor {

/// Usage: `FileWriter files(host); files.write({.dir = "sys/fs/cgroup/cpu/kubepods", .name = "cpu.shares"},
/// "2")`. `host` must outlive it. A symbolic link in the directory's path is followed inside the root only;
/// one in place of the file is refused (ELOOP). A missing file is never created (ENOENT).
class FileWriter final : public KernelFiles {
 public:
  explicit FileWriter(const Host& host) : host_(host) {}

  Result<std::string> read(const KnobFile& file) override;
  Result<> write(const KnobFile& file, std::string_view text) override;
  Result<std::uint64_t> inode(const std::string& dir) override;
  Result<> append_subdirs(const std::string& dir, std::string& names) override;

 private:
  const Host& host_;
};

/// Opens a file that takes commands and stores nothing (memory.reclaim), for callers that write more than
/// once. `name` is a string literal.
Result<Fd> open_command_file(const Host& host, const std::string& dir, const char* name);
/// Writes one command. Blocks until the kernel has carried it out; EINTR when a signal arrived.
Result<> write_command(const Fd& file, const std::string& order, const char* name);

/// Whether the file can be opened for writing; nothing is written.
Result<> may_write(const Host& host, const std::string& path);
/// Sets one word (NAME or NO_NAME) in a file that is a line of such words; only that word is written.
Result<> write_word(const Host& host, const std::string& path, std::string_view word);

/// The same for resctrl. `host` must outlive it. No descriptor stays open, because an open one prevents
/// unmounting.
class ResctrlKernelFiles final : public ResctrlFiles {
 public:
  explicit ResctrlKernelFiles(const Host& host) : host_(host) {}

  Result<std::string_view> read(const std::string& path, std::string& buffer) override;
  Result<> write(const std::string& path, std::string_view text) override;
  Result<> make_dir(const std::string& path) override;
  Result<> remove_dir(const std::string& path) override;
  Result<std::uint64_t> inode(const std::string& path) override;
  Result<> append_subdirs(const std::string& path, std::string& names) override;

 private:
  const Host& host_;
};

}  // namespace evenkeel::executor
