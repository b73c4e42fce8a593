// Starts the program under test.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace evenkeel::test {

/// The program: $EVENKEEL_BINARY, or the one built with the tests.
std::string evenkeel_binary();
/// RLIMIT_NOFILE of a process that is started; 0: as in this one.
struct MostFiles {
  unsigned soft = 0, hard = 0;
};
/// fork and exec with these standard descriptors; all others are closed in the child.
pid_t start_evenkeel(const std::vector<std::string>& args, int in, int out, int err, MostFiles files = {});
/// The exit status as a shell gives it: 128 + N after signal N.
int wait_for_exit(pid_t pid);
/// A new empty file below /tmp.
std::string temporary_file();
std::string text_of_file(const std::string& path);

}  // namespace evenkeel::test
