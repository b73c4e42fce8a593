// The NodeSLO settings that enable each policy, and each control loop outside the policies, alone: for tests
// and benchmarks of a single one. A new policy needs a row here; tests/agent/stepped/loop_settings_test.cpp
// checks that.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::test {

struct LoopSettings {
  std::string_view name;                     ///< a policy's, or the loop's name in README
  std::vector<std::string_view> settings{};  ///< "a.b.c: value"
};

/// Policies in the order of their rank, then the other loops.
const std::vector<LoopSettings>& loop_settings();

/// A NodeSLO with only these settings; of two settings for one key the later wins.
std::string nodeslo_of(const std::vector<std::string_view>& settings);
/// The settings of all loops together.
std::vector<std::string_view> settings_of_all();
/// The same without what would change the network and the kernel settings of the machine that runs the test.
std::vector<std::string_view> settings_for_this_machine();

}  // namespace evenkeel::test
