// Another process that writes a file.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace evenkeel::test {

/// A shell that writes a value and stays a zombie until it is waited for: its name can be read meanwhile.
class Writes {
 public:
  explicit Writes(const std::string& text, const std::string& file) : pid_(::fork()) {
    if (pid_ != 0) {
      siginfo_t info{};
      ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
      return;
    }
    const auto command = "echo " + text + " > " + file;
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ~Writes() { ::waitpid(pid_, nullptr, 0); }
  Writes(const Writes&) = delete;
  Writes& operator=(const Writes&) = delete;
  [[nodiscard]] int pid() const { return pid_; }

 private:
  int pid_;
};

}  // namespace evenkeel::test
