// What `evenkeel check` says about rights: the features that need more than the base, each with an overlay
// and a drop-in that exist.
#include "agent/cli/rights.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agent/config/nodeslo_config.h"
#include "tests/support/agents/stepped_agent.h"
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

TEST(Rights, WhatOnlyTheContainerLacksNamesAnOverlayThatExists) {
  for (const auto* text :
       {"resourceQOSStrategy: {beClass: {resctrlQOS: {enable: true, catRangeEndPercent: 50}}}",
        "extensions: {evenkeel: {oomScoreAdj: true}}",
        "extensions: {evenkeel: {contention: {enable: true, taint: true}}}"}) {
    const std::vector<std::string> found = cli::needed_rights(slo_of(text));
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_NE(found[0].find(" needs more rights: overlay "), std::string::npos) << found[0];
    const auto name = found[0].substr(found[0].rfind(' ') + 1);
    EXPECT_TRUE(fs::exists(kRoot / "deploy/kustomize" / name / "kustomization.yaml")) << found[0];
    EXPECT_FALSE(fs::exists(kRoot / "systemd/drop-ins" / (name + ".conf"))) << found[0];
  }
  for (const char* text :
       {"contention: {enable: true}", "interference: {enable: true, runQueue: false, counters: false}"})
    EXPECT_TRUE(cli::needed_rights(slo_of(std::string("extensions: {evenkeel: {") + text + "}}")).empty())
        << text;
}

std::string url_of_objective(const std::string& url) {
  return "extensions: {evenkeel: {objectives: [{name: o, namespace: shop, matchLabels: {app: a}, target: 1, "
         "prometheus: {url: \"" +
         url + "\", metric: m}}]}}\n";
}
std::string disk_of_blkio(const std::string& name) {
  return "resourceQOSStrategy: {beClass: {blkioQOS: {enable: true, blocks: [{name: " + name +
         ", type: device, ioCfg: {readIOPS: 100}}]}}}\n";
}

TEST(Rights, APersistentNameOfADiskNeedsToSeeTheLinks) {
  EXPECT_TRUE(cli::needed_rights(slo_of(disk_of_blkio("/dev/vdb"))).empty()) << "found in /sys/block";
  const auto found = cli::needed_rights(slo_of(disk_of_blkio("/dev/disk/by-id/ata-1")));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].ends_with("overlay or systemd drop-in disk-names")) << found[0];
  EXPECT_TRUE(fs::exists(kRoot / "deploy/kustomize/disk-names/kustomization.yaml"));
  EXPECT_TRUE(fs::exists(kRoot / "systemd/drop-ins/disk-names.conf"));
}

TEST(Rights, AnObjectiveOnAnotherAddressNeedsTheDropInForIt) {
  for (const auto* here :
       {"http://127.0.0.1:9113/metrics", "http://localhost/metrics", "http://[::1]:9113/m"})
    EXPECT_TRUE(cli::needed_rights(slo_of(url_of_objective(here))).empty()) << here;
  for (const auto* there : {"http://{podIP}:9113/metrics", "http://10.0.0.7/metrics", "http://web/metrics"}) {
    const auto found = cli::needed_rights(slo_of(url_of_objective(there)));
    ASSERT_EQ(found.size(), 1U) << there;
    EXPECT_TRUE(found[0].ends_with(": systemd drop-in remote")) << found[0];
  }
  EXPECT_TRUE(fs::exists(kRoot / "systemd/drop-ins/remote.conf"));
}

TEST(Rights, KillingWithoutAnApiServerNeedsTheDropInForIt) {
  const auto found = cli::needed_rights(slo_of("extensions: {evenkeel: {killWithoutApi: true}}\n"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].ends_with(": systemd drop-in kill-without-api")) << found[0];
  EXPECT_TRUE(fs::exists(kRoot / "systemd/drop-ins/kill-without-api.conf"));
}

TEST(Rights, CheckNamesEachDropIn) {
  const std::string file = temporary_file();
  std::ofstream(file) << "extensions: {evenkeel: {killWithoutApi: true}}\n";
  const Ran ran = run_evenkeel({"check", file});
  EXPECT_EQ(ran.exit_status, 0) << ran.err;
  EXPECT_NE(ran.out.find("rights: killWithoutApi "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("optional: with the overlay or systemd drop-in name-writers"), std::string::npos)
      << ran.out;
  fs::remove(file);
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
