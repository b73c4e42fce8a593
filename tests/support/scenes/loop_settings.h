// What turns each policy, and each loop that is none, on by itself: the NodeSLO for tests and benches that
// look at one of them alone. A new policy has its row here, which tests/agent/stepped/loop_settings_test.cpp
// asks for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::test {

struct LoopSettings {
  std::string_view name;                     ///< a policy's, or what the loop is called in README
  std::vector<std::string_view> settings{};  ///< "a.b.c: value"
};

/// Policies in the order of their rank, then the other loops.
const std::vector<LoopSettings>& loop_settings();

/// A NodeSLO with nothing on but these; of two settings for one key the later counts.
std::string nodeslo_of(const std::vector<std::string_view>& settings);
/// The settings of all loops together.
std::vector<std::string_view> settings_of_all();

}  // namespace evenkeel::test
