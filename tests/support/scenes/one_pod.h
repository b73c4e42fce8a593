// Pod lists from the parts of a YAML text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "agent/pods/pod_list.h"

namespace evenkeel::test {

inline pods::PodList good(std::string_view text) {
  auto list = pods::parse_pod_list(text, "f");
  for (const auto& problem : list.problems) ADD_FAILURE() << problem.text();
  return list;
}

/// A list of one pod with this metadata, spec and status (YAML flow style).
inline pods::PodList one(const std::string& metadata, const std::string& spec, const std::string& status) {
  return good("kind: PodList\nitems: [{metadata: {" + metadata + "}, spec: {" + spec + "}, status: {" +
              status + "}}]");
}

}  // namespace evenkeel::test
