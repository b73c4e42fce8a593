// A service and a best-effort pod that share a disk of their own, for live tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/null_disk.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {

inline constexpr const char* kBatch = "kubepods/besteffort/podeeeeeeee-0000-0000-0000-000000000001/c1";
inline constexpr const char* kServicePod = "kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000002";
inline constexpr std::chrono::milliseconds kEachOrder{4};

class DiskNeighbours : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    cgroups_.make(kBatch);
    cgroups_.make(service());
  }
  static std::string service() { return std::string(kServicePod) + "/c1"; }
  [[nodiscard]] bool v2() const { return cgroups_.layout().v2(Controller::blkio); }
  [[nodiscard]] std::string file(const std::string& cgroup, const char* name) const {
    return cgroups_.file(Controller::blkio, cgroup, name);
  }
  [[nodiscard]] std::string procs(const std::string& cgroup) const { return file(cgroup, "cgroup.procs"); }
  static std::string block(const NullDisk& disk, const std::string& io) {
    return "{enable: true, blocks: [{name: " + disk.path() + ", type: device, ioCfg: {" + io + "}}]}";
  }
  void configure(const std::string& strategy) const {
    std::ofstream(dir_.path + "/nodeslo.yaml") << "resourceQOSStrategy: {" << strategy << "}\n";
  }
  /// Arguments of an agent with this configuration that takes pods from their cgroups.
  [[nodiscard]] std::vector<std::string> agent_args() const {
    return live_args(cgroups_, dir_, "200ms", kPodsByCgroup);
  }

  LiveCgroups cgroups_{};
  StateDir dir_{};
};

}  // namespace evenkeel::test
