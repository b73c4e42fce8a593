#include "tests/support/live/memory_hogs.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

namespace evenkeel::test {
namespace {

namespace fs = std::filesystem;

/// Runs the child in its cgroup; never returns.
template <class Work>
MemoryHog start(const std::string& procs, Work work) {
  const pid_t child = ::fork();
  if (child != 0) return MemoryHog(child);
  std::ofstream(procs) << ::getpid() << std::flush;
  work();
  for (;;) ::pause();
}

void touch(std::size_t bytes, bool keep) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  auto* const pages = static_cast<volatile char*>(memory);
  for (std::size_t at = 0; at < bytes; at += 4096) pages[at] = 1;
  if (!keep) ::munmap(memory, bytes);
}

void read_file(const std::string& path, std::size_t bytes_per_second, bool fresh) {
  static char chunk[std::size_t{256} << 10];
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (fresh) ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  for (auto got = ::read(fd, chunk, sizeof chunk); got > 0; got = ::read(fd, chunk, sizeof chunk))
    if (bytes_per_second > 0)
      std::this_thread::sleep_for(
          std::chrono::microseconds(static_cast<std::size_t>(got) * 1000000 / bytes_per_second));
  ::close(fd);
}

}  // namespace

std::vector<std::string> files_to_read(std::size_t bytes) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const char* place : {"/usr/bin", "/usr/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib/llvm-14/lib"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(place, error)) {
      if (!entry.is_regular_file(error) || entry.is_symlink(error)) continue;
      const auto size = entry.file_size(error);
      if (size > (std::size_t{4} << 20)) found.emplace_back(size, entry.path());
    }
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> files;
  std::size_t sum = 0;
  for (const auto& [size, path] : found) {
    if (sum >= bytes) break;
    files.push_back(path);
    sum += size;
  }
  return sum >= bytes ? files : std::vector<std::string>();
}

MemoryHog::MemoryHog(MemoryHog&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
MemoryHog& MemoryHog::operator=(MemoryHog&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}
MemoryHog::~MemoryHog() { stop(); }
void MemoryHog::stop() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(std::exchange(pid_, -1), nullptr, 0);
}

MemoryHog reader(const std::string& procs, const std::vector<std::string>& files,
                 std::size_t bytes_per_second, bool fresh) {
  return start(procs, [&] {
    for (;;)
      for (const auto& path : files) read_file(path, bytes_per_second, fresh);
  });
}

MemoryHog toucher(const std::string& procs, std::size_t bytes, std::size_t times_per_second) {
  return start(procs, [&] {
    for (;;) {
      touch(bytes, false);
      std::this_thread::sleep_for(std::chrono::milliseconds(1000 / times_per_second));
    }
  });
}

MemoryHog keeper(const std::string& procs, std::size_t bytes) {
  return start(procs, [&] { touch(bytes, true); });
}

}  // namespace evenkeel::test
