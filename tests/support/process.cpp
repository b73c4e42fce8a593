#include "tests/support/process.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace evenkeel::test {

std::string evenkeel_binary() {
  const char* path = std::getenv("EVENKEEL_BINARY");
  return path != nullptr ? path : EVENKEEL_BINARY;
}

pid_t start_evenkeel(const std::vector<std::string>& args, int in, int out, int err, MostFiles files) {
  const std::string program = evenkeel_binary();
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const auto& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::close_range(3, ~0U, 0);
  if (const rlimit limit{files.soft, files.hard}; files.hard > 0) ::setrlimit(RLIMIT_NOFILE, &limit);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

int wait_for_exit(pid_t pid) {
  int raw = 0;
  ::waitpid(pid, &raw, 0);
  return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
}

std::string temporary_file() {
  std::string name = "/tmp/evenkeel-test-XXXXXX";
  const int fd = ::mkstemp(name.data());
  if (fd >= 0) ::close(fd);
  return name;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace evenkeel::test
