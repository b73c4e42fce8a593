// A private state directory for a test, removed at the end.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace evenkeel::test {

/// The boot id of a test's journal.
inline constexpr const char* kBoot = "11111111-2222-3333-4444-555555555555";

class StateDir {
 public:
  StateDir() {
    std::string pattern =
        (std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/evenkeel-state-XXXXXX");
    path = ::mkdtemp(pattern.data());
  }
  ~StateDir() { std::filesystem::remove_all(path); }
  StateDir(const StateDir&) = delete;
  StateDir& operator=(const StateDir&) = delete;
  std::string path{};
};

}  // namespace evenkeel::test
