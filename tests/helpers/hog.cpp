// Batch work that counts what it does: hog KIND COUNTER_FILE [DIRECTORY [FILE_MIB]]. The counter is an 8-byte
// number in a file that every worker maps and adds to, so that work per second can be compared, not CPU
// seconds.
//
//   spin       rounds of integer arithmetic
//   fork       processes started and ended
//   bandwidth  MiB copied between two large buffers
//   fsync      MiB written to a file of 256 MiB (or FILE_MIB) again and again, and synced, 4 MiB each
//   cache      MiB read from a file of 512 MiB (or FILE_MIB) again and again
//   grow       MiB of memory touched until the memory limit; freed at 2 GiB, where there is none
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// Only a mapping of a file is shared by workers that do not know each other.
class Counter {
 public:
  explicit Counter(const char* file) {
    const int fd = ::open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ::ftruncate(fd, sizeof(std::uint64_t)) != 0) return;
    void* at = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) count_ = static_cast<std::uint64_t*>(at);
    ::close(fd);
  }
  [[nodiscard]] bool usable() const { return count_ != nullptr; }
  void add(std::uint64_t units) { std::atomic_ref<std::uint64_t>(*count_).fetch_add(units); }

 private:
  std::uint64_t* count_ = nullptr;
};

[[noreturn]] void spin(Counter& counter) {
  std::uint64_t x = 1;
  for (;;) {
    for (int i = 0; i < 100'000; ++i) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
    counter.add(x == 0 ? 2 : 1);
  }
}

int fork_storm(Counter& counter) {
  for (;;) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    if (child < 0 || ::waitpid(child, nullptr, 0) != child) return 1;
    counter.add(1);
  }
}

int bandwidth(Counter& counter) {
  std::vector<char> from(64 * kMiB, 'a'), to(64 * kMiB, 'b');
  for (;;) {
    for (std::size_t at = 0; at < from.size(); at += kMiB) {
      std::memcpy(to.data() + at, from.data() + at, kMiB);
      asm volatile("" : : "r"(to.data()) : "memory");
      counter.add(1);
    }
  }
}

int write_and_sync(Counter& counter, const std::string& directory, std::size_t file_mib) {
  const std::string path = directory + "/hog-" + std::to_string(::getpid());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ::unlink(path.c_str());
  const std::vector<char> block(kMiB, 'w');
  for (std::size_t written = 0; fd >= 0; ++written) {
    if (written % file_mib == 0) ::lseek(fd, 0, SEEK_SET);
    if (::write(fd, block.data(), block.size()) != static_cast<ssize_t>(kMiB)) return 1;
    if (written % 4 == 3 && ::fsync(fd) != 0) return 1;
    counter.add(1);
  }
  return 1;
}

int read_cached(Counter& counter, const std::string& directory, std::size_t file_mib) {
  const std::string path = directory + "/hog-" + std::to_string(::getpid());
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ::unlink(path.c_str());
  std::vector<char> block(kMiB, 'r');
  for (std::size_t i = 0; i < file_mib; ++i)
    if (::write(fd, block.data(), kMiB) != static_cast<ssize_t>(kMiB)) return 1;
  for (;;) {
    ::lseek(fd, 0, SEEK_SET);
    while (::read(fd, block.data(), kMiB) == static_cast<ssize_t>(kMiB)) counter.add(1);
  }
}

int grow(Counter& counter) {
  constexpr std::size_t kMost = 2048;
  for (;;) {
    std::vector<void*> held;
    for (std::size_t i = 0; i < kMost; ++i) {
      void* at = ::mmap(nullptr, kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (at == MAP_FAILED) break;
      std::memset(at, 1, kMiB);
      held.push_back(at);
      counter.add(1);
    }
    for (void* at : held) ::munmap(at, kMiB);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: hog spin|fork|bandwidth|fsync|cache|grow COUNTER_FILE [DIRECTORY [FILE_MIB]]\n");
    return 2;
  }
  Counter counter(argv[2]);
  if (!counter.usable()) return std::perror(argv[2]), 1;
  const std::string_view kind = argv[1];
  const std::string directory = argc > 3 ? argv[3] : ".";
  const auto file_mib = [&](std::size_t usual) {
    return argc > 4 ? std::max(1UL, std::strtoul(argv[4], nullptr, 10)) : usual;
  };
  if (kind == "spin") spin(counter);
  if (kind == "fork") return fork_storm(counter);
  if (kind == "bandwidth") return bandwidth(counter);
  if (kind == "fsync") return write_and_sync(counter, directory, file_mib(256));
  if (kind == "cache") return read_cached(counter, directory, file_mib(512));
  if (kind == "grow") return grow(counter);
  return 2;
}
