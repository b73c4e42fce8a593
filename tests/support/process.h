// Starts the program under test.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace evenkeel::test {

/// The program: $EVENKEEL_BINARY, or the one built with the tests.
std::string evenkeel_binary();
/// fork and exec with these standard descriptors; all others are closed in the child. `most_files`: its
/// RLIMIT_NOFILE, unless 0.
pid_t start_evenkeel(const std::vector<std::string>& args, int in, int out, int err, int most_files = 0);
/// The exit status as a shell gives it: 128 + N after signal N.
int wait_for_exit(pid_t pid);
/// A new empty file below /tmp.
std::string temporary_file();
std::string text_of_file(const std::string& path);

}  // namespace evenkeel::test
