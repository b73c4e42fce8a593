// What `evenkeel check` says about rights: the features that need more than the base, each with an overlay
// and a drop-in that exist.
#include "agent/cli/rights.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "agent/config/nodeslo_config.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = EVENKEEL_SOURCE_DIR;

NodeSlo slo_of(const std::string& text) {
  auto config = config::parse_nodeslo(text, "f");
  EXPECT_TRUE(config.problems.empty()) << text;
  return std::move(config.slo);
}

TEST(Rights, TheInstalledConfigurationNeedsNone) {
  EXPECT_TRUE(cli::needed_rights({}).empty());
  EXPECT_TRUE(cli::needed_rights(slo_of(text_of_file(kRoot / "deploy/kustomize/base/nodeslo.yaml"))).empty());
}

TEST(Rights, EachFeatureNamesAnOverlayAndADropInThatExist) {
  const std::vector<std::string> found = cli::needed_rights(slo_of(R"(
resourceQOSStrategy:
  policies: {cpuPolicy: coreSched}
  lsClass: {cpuQOS: {enable: true}, networkQOS: {enable: true}}
systemStrategy: {minFreeKbytesFactor: 100}
extensions: {evenkeel: {requestSize: {services: 100us}, interference: {enable: true}, brake: {enable: true}}}
)"));
  ASSERT_EQ(found.size(), 6U);
  for (const auto& line : found) {
    const auto name = line.substr(line.rfind(' ') + 1);
    EXPECT_TRUE(fs::exists(kRoot / "deploy/kustomize" / name / "kustomization.yaml")) << line;
    EXPECT_TRUE(fs::exists(kRoot / "systemd/drop-ins" / (name + ".conf"))) << line;
  }
}

// Besides those for request sizes, which come with its quota.
TEST(Rights, TheBrakeNeedsThoseOfTheRunQueueIfItLooksThere) {
  EXPECT_EQ(
      cli::needed_rights(slo_of("extensions: {evenkeel: {brake: {enable: true, runQueue: false}}}\n")).size(),
      1U);
  EXPECT_EQ(cli::needed_rights(slo_of("extensions: {evenkeel: {brake: {enable: true}}}\n")).size(), 2U);
}

}  // namespace
}  // namespace evenkeel::test
