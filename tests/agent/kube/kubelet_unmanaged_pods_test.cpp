// Tests that /readyz names directories of pods that the agent does not manage, as soon as the kubelet makes
// one: without a scan in every tick.
#include <gtest/gtest.h>

#include <string>

#include "agent/record/unmanaged_pods.h"
#include "tests/support/agents/kubelet_node.h"

namespace evenkeel::test {
namespace {

TEST(KubeletUnmanagedPods, AreNamedByTheReadyPageWhileTheyAreThere) {
  KubeletNode node;
  node.lists({});
  node.start();
  ASSERT_TRUE(node.until([&] { return node.agent().view().node().pods_known; })) << node.log();
  const std::string named = std::string("\npods: kubepods/system: ") + record::kUnmanagedPods + "\n";
  const auto is_named = [&] { return node.page("/readyz").find(named) != std::string::npos; };
  EXPECT_FALSE(is_named()) << node.page("/readyz");

  node.host.cgroup("kubepods/system");
  node.run(std::chrono::milliseconds(100));
  EXPECT_FALSE(is_named()) << "it holds no pods yet";
  node.host.cgroup("kubepods/system/burstable");
  EXPECT_TRUE(node.until(is_named)) << node.page("/readyz");
  EXPECT_TRUE(node.page("/readyz").starts_with("ready\n")) << "the other pods are managed";
  node.run(std::chrono::milliseconds(100));
  EXPECT_EQ(node.logged("event=unmanaged-pods cgroup=kubepods/system "), 1) << node.log();

  node.host.remove_cgroup("kubepods/system");
  EXPECT_TRUE(node.until([&] { return !is_named(); })) << node.page("/readyz");
  node.run(std::chrono::milliseconds(100));
  EXPECT_EQ(node.logged("event=unmanaged-pods-gone cgroup=kubepods/system\n"), 1) << node.log();
}

}  // namespace
}  // namespace evenkeel::test
