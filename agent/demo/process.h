// The demo's processes and terminal: children, what they share, progress and interruption.
#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <csignal>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "qos/model/units.h"

namespace evenkeel::demo {

// A child process of the demo, which is killed with its parent, and memory shared with it. Does not know what
// the child runs.

class Child {
 public:
  Child() = default;
  /// Runs `work` in a new process and exits with its result. The kernel sends it the signal `farewell` when
  /// this process dies. Not started (operator bool) when fork fails.
  static Child start(const std::function<int()>& work, int farewell);
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~Child();  ///< sends SIGKILL and waits

  explicit operator bool() const { return pid_ > 0; }
  void signal(int number) const;
  /// Waits for its end; returns the exit status, or -1 if it was killed.
  int wait();
  /// Whether it is still running; does not wait.
  [[nodiscard]] bool running();

 private:
  explicit Child(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  int status_ = -1;
};

/// Makes the calling process another program, `arguments[0]` being the name that it sees. What it prints goes
/// to a new file `log`. Returns, with the exit status for this, only if it cannot be run.
int become(const std::string& program, const std::vector<std::string>& arguments, const std::string& log);

/// A new directory for this user only. It is removed with all that is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  /// False: it could not be made.
  explicit operator bool() const { return !path_.empty(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_{};
};

/// Empty if the file cannot be read.
std::string read_text(const std::string& path);

/// Zeroed elements in memory shared with child processes, already backed by pages.
template <class T>
class Shared {
 public:
  explicit Shared(std::size_t count) : count_(count) {
    void* at =
        ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (at != MAP_FAILED) first_ = static_cast<T*>(at);
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    if (first_ != nullptr) ::munmap(first_, bytes());
  }
  explicit operator bool() const { return first_ != nullptr; }
  [[nodiscard]] std::span<T> all() const { return {first_, first_ != nullptr ? count_ : 0}; }

 private:
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }
  std::size_t count_;
  T* first_ = nullptr;
};

// The demo's terminal output: a progress line, and interruption by signals. Does not decide anything.

/// Blocks SIGINT, SIGTERM and SIGHUP while it lives; pause_until() receives them.
class Console {
 public:
  Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  /// On a terminal one line that is updated in place, else a line per call. `done` is a fraction, 0..1.
  void progress(double done, const std::string& what);
  /// Removes the progress line.
  void clear();
  /// Waits until `moment`. False when a signal asked the demo to stop, and from then on at once.
  bool pause_until(Duration moment);
  [[nodiscard]] bool interrupted() const { return interrupted_by_ != 0; }
  /// "SIGINT"; empty if not interrupted.
  [[nodiscard]] std::string interrupted_by() const;

 private:
  sigset_t ours_{}, before_{};
  bool terminal_ = false;
  int interrupted_by_ = 0;  ///< the signal
};

}  // namespace evenkeel::demo
