// cgroup v1 is flat: the processes are in the containers, and the kernel counts for each of them.
#include <gtest/gtest.h>

#include "tests/qos/io/disk_suppress_scene.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

struct V1Scene : DiskScene {
  explicit V1Scene(const SnapshotBuilder& builder) : DiskScene(builder) { node.v2_io = false; }
};

TEST(DiskSuppressOnV1, DividesTheLimitAmongContainers) {
  V1Scene scene(usual().pod("more").be().container("reader"));
  scene.pass(seconds(30));
  EXPECT_EQ(scene.limit_mib(), 10);
  for (const auto& container : scene.node.containers) {
    const bool of_service = scene.node.pods[static_cast<std::size_t>(container.pod)].spec->name == "db";
    const auto bytes =
        intended(scene.out, {scene.node.cgroup(container.cgroup)->id.value, kVda}, Knob::io_write_bps);
    EXPECT_EQ(bytes < 0 ? -1 : bytes >> 20, of_service ? -1 : 10);
  }
}

// The sandbox of a pod has a directory beside those of its containers, and its process (pause) uses no disk.
TEST(DiskSuppressOnV1, KeepsNoPartForSandboxes) {
  V1Scene scene(usual().container("pause"));
  auto& sandbox = scene.node.containers.back();
  sandbox.spec = nullptr;
  scene.pass(seconds(30));
  EXPECT_EQ(scene.limit_mib(), 20);
  const CgroupId of_sandbox{scene.node.cgroup(sandbox.cgroup)->id.value, kVda};
  EXPECT_EQ(intended(scene.out, of_sandbox, Knob::io_write_bps) >> 20, 20);
}

// A pod that no list names yet: each of its directories may be a container's.
TEST(DiskSuppressOnV1, DividesTheLimitAmongUnknownContainersToo) {
  V1Scene scene(usual().container("reader"));
  for (auto& container : scene.node.containers) container.spec = nullptr;
  scene.pass(seconds(30));
  EXPECT_EQ(scene.limit_mib(), 10);
}

}  // namespace
}  // namespace evenkeel::test
