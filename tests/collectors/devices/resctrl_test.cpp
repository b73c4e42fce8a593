// The resctrl file system of several machines, as the collector reads it.
#include <gtest/gtest.h>

#include "collectors/devices/devices.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/malformed.h"
#include "tests/support/scenes/sampler_node.h"

namespace evenkeel {
namespace {

using test::FakeHost;
using test::SampledNode;

const std::string kDir = "sys/fs/resctrl/";

void intel(FakeHost& host) {
  host.file(kDir + "schemata", "    MB:0=100;1=100\n    L3:0=7ff;1=7ff\n")
      .file(kDir + "info/last_cmd_status", "ok\n")
      .file(kDir + "info/L3/cbm_mask", "7ff\n")
      .file(kDir + "info/L3/min_cbm_bits", "1\n")
      .file(kDir + "info/L3/shareable_bits", "600\n")
      .file(kDir + "info/L3/num_closids", "16\n")
      .file(kDir + "info/MB/num_closids", "8\n")
      .file(kDir + "info/MB/min_bandwidth", "10\n")
      .file(kDir + "info/MB/bandwidth_gran", "10\n")
      .file(kDir + "info/MB/delay_linear", "1\n")
      .dir(kDir + "mon_groups")
      .dir(kDir + "mon_data");
}
void amd(FakeHost& host) {
  host.file(kDir + "schemata", "    MB:0=2048;1=2048;3=2048\n    L3:0=ffff;1=ffff;3=ffff\n")
      .file(kDir + "info/L3/cbm_mask", "ffff\n")
      .file(kDir + "info/L3/min_cbm_bits", "1\n")
      .file(kDir + "info/L3/num_closids", "16\n")
      .file(kDir + "info/MB/num_closids", "16\n")
      .file(kDir + "info/MB/min_bandwidth", "0\n")
      .file(kDir + "info/MB/bandwidth_gran", "1\n")
      .file(kDir + "info/MB/delay_linear", "0\n");
}

std::optional<ResctrlSystem> seen(const FakeHost& host) {
  return devices::read_resctrl(*Host::open(host.root()));
}
const ResctrlResource& of(const std::optional<ResctrlSystem>& system, std::string_view name) {
  static const ResctrlResource none{};
  if (system)
    for (const auto& resource : system->resources)
      if (resource.name == name) return resource;
  ADD_FAILURE() << "no " << name;
  return none;
}

TEST(ResctrlSystemOf, Intel) {
  FakeHost host;
  intel(host);
  host.dir(kDir + "database").dir(kDir + "evenkeel-be");
  const auto system = seen(host);
  const auto& cache = of(system, "L3");
  EXPECT_EQ(cache.unit, ResctrlUnit::ways);
  EXPECT_EQ(cache.full, 0x7ffU);
  EXPECT_EQ(cache.shared, 0x600U);
  EXPECT_FALSE(cache.sparse);
  EXPECT_EQ(cache.domains, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(of(system, "MB").unit, ResctrlUnit::percent);
  EXPECT_EQ(of(system, "MB").step, 10);
  EXPECT_EQ(system->max_groups, 8) << "the smallest";
  EXPECT_EQ(system->other_groups, 1) << "ours do not count";
}

TEST(ResctrlSystemOf, AmdUsesEighthsOfAGigabyte) {
  FakeHost host;
  amd(host);
  EXPECT_EQ(of(seen(host), "MB").unit, ResctrlUnit::eighths);
  EXPECT_EQ(of(seen(host), "MB").full, 2048U);
  EXPECT_EQ(of(seen(host), "MB").domains, (std::vector<std::int32_t>{0, 1, 3}));
  host.file(kDir + "schemata", "MB:0=4096;1=80\n");
  EXPECT_EQ(of(seen(host), "MB").full, 4096U) << "newer ones have more";
}

TEST(ResctrlSystemOf, TheVendorDecidesOnlyIfInfoDoesNot) {
  FakeHost host;
  amd(host);
  host.file(kDir + "schemata", "MB:0=80;1=80;3=80\n");  // another process has limited the root itself
  EXPECT_EQ(of(seen(host), "MB").unit, ResctrlUnit::percent);
  host.file("proc/cpuinfo", "processor : 0\nvendor_id : AuthenticAMD\n");
  EXPECT_EQ(of(seen(host), "MB").unit, ResctrlUnit::eighths);
}

TEST(ResctrlSystemOf, ArmBandwidthIsAPercentage) {
  FakeHost host;
  host.file(kDir + "schemata", "MB:1=100;2=100\n")
      .file(kDir + "info/MB/min_bandwidth", "1\n")
      .file(kDir + "info/MB/bandwidth_gran", "1\n")
      .file("proc/cpuinfo", "CPU implementer : 0x41\n");
  EXPECT_EQ(of(seen(host), "MB").unit, ResctrlUnit::percent);
}

TEST(ResctrlSystemOf, MegabytesAreNotManaged) {
  FakeHost host;
  intel(host);
  host.file(kDir + "schemata", "MB:0=4294967295;1=4294967295\nL3:0=7ff;1=7ff\n");
  EXPECT_EQ(of(seen(host), "MB").unit, ResctrlUnit::other) << "-o mba_MBps";
}

TEST(ResctrlSystemOf, CodeAndDataPrioritised) {
  FakeHost host;
  intel(host);
  host.file(kDir + "schemata", "L3DATA:0=7ff;1=7ff\nL3CODE:0=7ff;1=7ff\n")
      .file(kDir + "info/L3CODE/cbm_mask", "7ff\n")
      .file(kDir + "info/L3CODE/num_closids", "8\n")
      .file(kDir + "info/L3DATA/cbm_mask", "7ff\n")
      .file(kDir + "info/L3DATA/sparse_masks", "1\n")
      .file(kDir + "info/L3DATA/num_closids", "4\n");
  EXPECT_EQ(of(seen(host), "L3CODE").unit, ResctrlUnit::ways);
  EXPECT_TRUE(of(seen(host), "L3DATA").sparse);
  EXPECT_EQ(seen(host)->max_groups, 4);
}

TEST(ResctrlSystemOf, MalformedFilesGiveSafeValues) {
  FakeHost host;
  EXPECT_FALSE(seen(host)) << "not mounted";
  intel(host);
  for (const auto& text : test::malformed_texts()) {
    host.file(kDir + "info/L3/cbm_mask", text).file(kDir + "info/MB/bandwidth_gran", text);
    const auto system = seen(host);
    EXPECT_LE(of(system, "L3").least, 1) << text.substr(0, 40);
    EXPECT_GE(of(system, "MB").step, 1) << text.substr(0, 40);
    host.file(kDir + "info/L3/num_closids", text).file(kDir + "info/MB/num_closids", text);
    EXPECT_GE(seen(host)->max_groups, 0);
  }
  for (const auto& text : test::malformed_texts()) {
    host.file(kDir + "schemata", text);
    EXPECT_FALSE(seen(host)) << text.substr(0, 40);
  }
}

struct ResctrlSense : testing::Test {
  ResctrlSense() {
    sampled.fake.machine({.cpus = 4}).v2().kubepods();
    intel(sampled.fake);
    sampled.start();
  }
  void monitor(const std::string& group, const char* occupancy, const char* total) {
    const auto data = kDir + group + "mon_data/mon_L3_01/";
    sampled.fake.file(data + "llc_occupancy", occupancy).file(data + "mbm_total_bytes", total);
  }
  SampledNode sampled;
};

TEST_F(ResctrlSense, IsReadAgainOnlyWhenItChanges) {
  const auto first = sampled.tick().resctrl;
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(sampled.tick().resctrl, first) << "the same value";
  sampled.fake.dir(kDir + "database");
  EXPECT_EQ(sampled.tick().resctrl->other_groups, 1);
  sampled.fake.file(kDir + "schemata", "    MB:0=100\n    L3:0=7ff\n");
  EXPECT_EQ(sampled.tick().resctrl->resources[1].domains.size(), 1U) << "a socket went offline";
  sampled.fake.remove("sys/fs/resctrl");
  EXPECT_EQ(sampled.tick().resctrl, nullptr);
  intel(sampled.fake);
  for (int i = 0; i < 70; ++i) sampled.tick();
  EXPECT_NE(sampled.node.resctrl, nullptr) << "mounted again";
}

TEST_F(ResctrlSense, AGroupAddedByUsAndOneRemovedByOthersIsAChange) {
  sampled.fake.dir(kDir + "database");
  EXPECT_EQ(sampled.tick().resctrl->other_groups, 1);
  sampled.fake.remove(kDir + "database").dir(kDir + "evenkeel-be");
  EXPECT_EQ(sampled.tick().resctrl->other_groups, 0);
}

TEST_F(ResctrlSense, OurGroupsAndTheRestAreMeasuredEveryTenSeconds) {
  EXPECT_TRUE(sampled.tick().resctrl_use.empty()) << "nothing is managed";
  monitor("", "5000\n", "900000\n");
  monitor("evenkeel-be/", "3000\n", "Unavailable\n");
  monitor("database/", "1\n", "1\n");
  const auto& use = sampled.tick().resctrl_use;
  ASSERT_EQ(use.size(), 2U);
  EXPECT_EQ(use[0].group, "");
  EXPECT_EQ(use[0].total_traffic, Bytes(900000));
  EXPECT_EQ(use[0].local_traffic, std::nullopt) << "no such event";
  EXPECT_EQ(use[1].group, "evenkeel-be");
  EXPECT_EQ(use[1].domain, 1);
  EXPECT_EQ(use[1].occupancy, Bytes(3000));
  EXPECT_EQ(use[1].total_traffic, std::nullopt) << "never zero";
  monitor("evenkeel-be/", "4000\n", "17\n");
  EXPECT_EQ(sampled.tick().resctrl_use[1].occupancy, Bytes(3000));
  EXPECT_EQ(sampled.tick(std::chrono::seconds(9)).resctrl_use[1].total_traffic, Bytes(17));
}

TEST_F(ResctrlSense, ASteadyTickAllocatesNothing) {
  monitor("", "5000\n", "900000\n");
  monitor("evenkeel-be/", "3000\n", "5\n");
  for (int i = 0; i < 30; ++i) sampled.tick();
  const test::AllocGuard guard;
  for (int i = 0; i < 20; ++i) sampled.tick();
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel
