// Inputs that servers deliver: the last good word, its age, and what is news.
#include <gtest/gtest.h>

#include "agent/core/inputs.h"
#include "agent/core/survivors.h"
#include "tests/support/kubelet_texts.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;
using Kind = PodsSource::Kind;

MonoTime at(int second) { return MonoTime(seconds(second)); }
PodList list_of(const std::vector<PodText>& pods) {
  return parse_pod_list(pod_list_json(pods), "f", Source::server);
}
Inputs inputs_with(Kind kind) {
  return Inputs({.nodeslo_optional = true,
                 .pods = {kind, "https://k/pods"},
                 .node_url = "https://a/n",
                 .by_text = true});
}

TEST(PodsSourceText, IsAWord) {
  EXPECT_EQ(parse_pods_source("kubelet").source.kind, Kind::kubelet);
  EXPECT_EQ(parse_pods_source("auto").source.kind, Kind::automatic);
  EXPECT_EQ(parse_pods_source("cgroup").source.kind, Kind::cgroup);
  EXPECT_EQ(parse_pods_source("file:a").source.path, "a");
  for (const char* bad : {"", "file:", "kubelet:x", "Auto"})
    EXPECT_NE(parse_pods_source(bad).error, "") << bad;
}

TEST(DeliveredInputs, TakeEffectAtTheNextRefresh) {
  auto inputs = inputs_with(Kind::kubelet);
  inputs.refresh(at(0));
  EXPECT_EQ(inputs.pods(), nullptr);
  inputs.deliver(list_of({{.uid = "a", .container_ids = {"1"}}}), at(1));
  EXPECT_TRUE(inputs.refresh(at(1)).pods);
  ASSERT_NE(inputs.pods(), nullptr);
  EXPECT_EQ(inputs.pods()->size(), 1U);
  EXPECT_FALSE(inputs.refresh(at(2)).any());
}

TEST(DeliveredInputs, TheSameListAgainIsNoNewsButNew) {
  auto inputs = inputs_with(Kind::kubelet);
  const std::vector<PodText> pods = {{.uid = "a", .container_ids = {"1"}},
                                     {.uid = "b", .container_ids = {"2"}}};
  inputs.deliver(list_of(pods), at(1));
  inputs.refresh(at(1));
  const auto before = inputs.pods();
  inputs.deliver(list_of({pods[1], pods[0]}), at(9));
  EXPECT_FALSE(inputs.refresh(at(9)).pods) << "in another order";
  EXPECT_EQ(inputs.pods(), before);
  EXPECT_EQ(inputs.states()[1].loaded, at(9));
}

TEST(DeliveredInputs, TheSameTroubleAgainIsCountedOnly) {
  auto inputs = inputs_with(Kind::kubelet);
  inputs.refresh(at(0));
  inputs.pods_trouble("Connection refused");
  EXPECT_EQ(inputs.refresh(at(1)).problems, std::vector<std::string>{"https://k/pods: Connection refused"});
  inputs.pods_trouble("Connection refused");
  EXPECT_TRUE(inputs.refresh(at(2)).problems.empty());
  inputs.pods_trouble("401 Unauthorized");
  EXPECT_EQ(inputs.refresh(at(3)).problems.size(), 1U);
  EXPECT_EQ(inputs.states()[1].failures, 3U);
  inputs.deliver(list_of({}), at(4));
  EXPECT_EQ(inputs.refresh(at(4)).recovered, std::vector<std::string>{"pods"});
  inputs.pods_trouble("401 Unauthorized");
  EXPECT_EQ(inputs.refresh(at(5)).problems.size(), 1U) << "it was good in between";
}

TEST(DeliveredInputs, AListThatCannotBeUsedIsTrouble) {
  auto inputs = inputs_with(Kind::kubelet);
  inputs.deliver(list_of({{.uid = "a", .container_ids = {"1"}}}), at(1));
  inputs.refresh(at(1));
  inputs.deliver(parse_pod_list("{}", "answer", Source::server), at(2));
  EXPECT_EQ(inputs.refresh(at(2)).problems.size(), 1U);
  EXPECT_EQ(inputs.pods()->size(), 1U);
  EXPECT_EQ(inputs.states()[1].loaded, at(1));
}

TEST(DeliveredInputs, OnAnOldListNothingIrreversibleMayRest) {
  auto inputs = inputs_with(Kind::kubelet);
  EXPECT_FALSE(inputs.pods_stale(at(1000))) << "no list is another matter";
  inputs.deliver(list_of({}), at(10));
  EXPECT_FALSE(inputs.pods_stale(at(40)));
  EXPECT_TRUE(inputs.pods_stale(at(41)));
  Inputs tree({.nodeslo_optional = true, .pods = {Kind::cgroup, {}}});
  EXPECT_FALSE(tree.pods_stale(at(1000)));
}

TEST(DeliveredInputs, OnlyAutomaticallyTheTreeStandsIn) {
  auto strict = inputs_with(Kind::kubelet);
  strict.pods_trouble("gone");
  strict.refresh(at(1));
  EXPECT_EQ(strict.pods(), nullptr);
  auto automatic = inputs_with(Kind::automatic);
  automatic.pods_trouble("gone");
  EXPECT_TRUE(automatic.refresh(at(1)).pods);
  ASSERT_NE(automatic.pods(), nullptr);
  EXPECT_TRUE(automatic.pods()->empty());
  EXPECT_EQ(automatic.states()[1].stand_in, "the cgroup tree");
  automatic.deliver(list_of({}), at(2));
  EXPECT_EQ(automatic.states()[1].stand_in, "");
}

TEST(DeliveredInputs, TheNodeObjectToo) {
  auto inputs = inputs_with(Kind::cgroup);
  inputs.deliver(parse_node(real_node(), "answer", Source::server), at(1));
  EXPECT_TRUE(inputs.refresh(at(1)).node);
  EXPECT_EQ(inputs.node().name, "127.0.0.1");
  inputs.deliver(parse_node(real_node(), "answer", Source::server), at(2));
  EXPECT_FALSE(inputs.refresh(at(2)).node);
  inputs.node_trouble("503");
  EXPECT_EQ(inputs.refresh(at(3)).problems, std::vector<std::string>{"https://a/n: 503"});
  EXPECT_EQ(inputs.node().name, "127.0.0.1");
}

}  // namespace
}  // namespace evenkeel::test
