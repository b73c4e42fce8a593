// Tests inputs delivered by servers: the last valid value, its age, and what counts as a change.
#include <gtest/gtest.h>

#include "agent/inputs/inputs.h"
#include "agent/tick/observer.h"
#include "tests/support/fakes/kubelet_texts.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;
using Kind = inputs::PodsSource::Kind;

MonoTime at(int second) { return MonoTime(seconds(second)); }
pods::PodList list_of(const std::vector<PodText>& pods) {
  return pods::parse_pod_list(pod_list_json(pods), "f", pods::Source::server);
}
inputs::Inputs inputs_with(Kind kind) {
  return inputs::Inputs({.nodeslo_optional = true,
                         .pods = {kind, "https://k/pods"},
                         .node_url = "https://a/n",
                         .by_text = true});
}

TEST(PodsSourceText, IsParsed) {
  EXPECT_EQ(inputs::parse_pods_source("kubelet").source.kind, Kind::kubelet);
  EXPECT_EQ(inputs::parse_pods_source("auto").source.kind, Kind::automatic);
  EXPECT_EQ(inputs::parse_pods_source("api").source.kind, Kind::api);
  EXPECT_EQ(inputs::parse_pods_source("cgroup").source.kind, Kind::cgroup);
  EXPECT_EQ(inputs::parse_pods_source("file:a").source.path, "a");
  for (const char* bad : {"", "file:", "kubelet:x", "Auto"})
    EXPECT_NE(inputs::parse_pods_source(bad).error, "") << bad;
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

TEST(DeliveredInputs, AnEqualListRefreshesTheAgeOnly) {
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

TEST(DeliveredInputs, ARepeatedFailureIsOnlyCounted) {
  auto inputs = inputs_with(Kind::kubelet);
  inputs.refresh(at(0));
  inputs.trouble(inputs::Inputs::kPods, "Connection refused");
  EXPECT_EQ(inputs.refresh(at(1)).problems, std::vector<std::string>{"https://k/pods: Connection refused"});
  inputs.trouble(inputs::Inputs::kPods, "Connection refused");
  EXPECT_TRUE(inputs.refresh(at(2)).problems.empty());
  inputs.trouble(inputs::Inputs::kPods, "401 Unauthorized");
  EXPECT_EQ(inputs.refresh(at(3)).problems.size(), 1U);
  EXPECT_EQ(inputs.states()[1].failures, 3U);
  inputs.deliver(list_of({}), at(4));
  EXPECT_EQ(inputs.refresh(at(4)).recovered, std::vector<std::string>{"pods"});
  inputs.trouble(inputs::Inputs::kPods, "401 Unauthorized");
  EXPECT_EQ(inputs.refresh(at(5)).problems.size(), 1U) << "it was good in between";
}

TEST(DeliveredInputs, AnUnusableListIsAFailure) {
  auto inputs = inputs_with(Kind::kubelet);
  inputs.deliver(list_of({{.uid = "a", .container_ids = {"1"}}}), at(1));
  inputs.refresh(at(1));
  inputs.deliver(pods::parse_pod_list("{}", "answer", pods::Source::server), at(2));
  EXPECT_EQ(inputs.refresh(at(2)).problems.size(), 1U);
  EXPECT_EQ(inputs.pods()->size(), 1U);
  EXPECT_EQ(inputs.states()[1].loaded, at(1));
}

TEST(DeliveredInputs, AnOldListIsStale) {
  auto inputs = inputs_with(Kind::kubelet);
  EXPECT_FALSE(inputs.is_stale(inputs::Inputs::kPods, at(1000))) << "no list is another matter";
  inputs.deliver(list_of({}), at(10));
  EXPECT_FALSE(inputs.is_stale(inputs::Inputs::kPods, at(40)));
  EXPECT_TRUE(inputs.is_stale(inputs::Inputs::kPods, at(41)));
  inputs::Inputs tree({.nodeslo_optional = true, .pods = {Kind::cgroup, {}}});
  EXPECT_FALSE(tree.is_stale(inputs::Inputs::kPods, at(1000)));
}

TEST(DeliveredInputs, OnlyAutoFallsBackToTheCgroupTree) {
  auto strict = inputs_with(Kind::kubelet);
  strict.trouble(inputs::Inputs::kPods, "gone");
  strict.refresh(at(1));
  EXPECT_EQ(strict.pods(), nullptr);
  auto automatic = inputs_with(Kind::automatic);
  automatic.trouble(inputs::Inputs::kPods, "gone");
  EXPECT_TRUE(automatic.refresh(at(1)).pods);
  ASSERT_NE(automatic.pods(), nullptr);
  EXPECT_TRUE(automatic.pods()->empty());
  EXPECT_EQ(automatic.states()[1].fallback, "the cgroup tree");
  automatic.deliver(list_of({}), at(2));
  EXPECT_EQ(automatic.states()[1].fallback, "");
}

inputs::Inputs chained() {
  return inputs::Inputs(
      {.nodeslo_optional = true, .pods = {Kind::automatic, "https://k/pods", "https://a/pods"}});
}

TEST(DeliveredInputs, AutoFallsBackToTheCgroupTreeAfterTheLastServer) {
  auto inputs = chained();
  inputs.trouble(inputs::Inputs::kPods, "untrusted");
  inputs.refresh(at(1));
  EXPECT_EQ(inputs.pods(), nullptr) << "the API server may know";
  inputs.pods_from("https://a/pods", "of the kubelet");
  EXPECT_EQ(inputs.refresh(at(2)).moved,
            std::vector<std::string>{"pods: from now on https://a/pods, since of the kubelet"});
  EXPECT_EQ(inputs.states()[1].path, "https://a/pods");
  inputs.trouble(inputs::Inputs::kPods, "403");
  const auto changed = inputs.refresh(at(3));
  EXPECT_TRUE(changed.pods);
  EXPECT_EQ(changed.moved,
            std::vector<std::string>{"pods: from now on the cgroup tree, since https://a/pods: 403"});
  EXPECT_EQ(inputs.states()[1].fallback, "the cgroup tree");
}

TEST(DeliveredInputs, AWatchedListIsStaleLaterThanAPolledOne) {
  auto inputs = chained();
  inputs.pods_from("https://a/pods", "of the kubelet");
  inputs.deliver(list_of({}), at(10));
  inputs.refresh(at(10));
  const auto stale = [&](int second) { return inputs.is_stale(inputs::Inputs::kPods, at(second)); };
  EXPECT_FALSE(stale(190)) << "an API server confirms about once a minute";
  EXPECT_TRUE(stale(191));
  inputs.confirmed(inputs::Inputs::kPods, at(100));
  EXPECT_FALSE(stale(280));
  inputs.trouble(inputs::Inputs::kPods, "Connection refused");
  EXPECT_FALSE(stale(130));
  EXPECT_TRUE(stale(131)) << "the watch has ended";
  inputs.confirmed(inputs::Inputs::kPods, at(140));
  EXPECT_FALSE(stale(320));
  EXPECT_EQ(inputs.refresh(at(140)).recovered, std::vector<std::string>{"pods"});
}

TEST(DeliveredInputs, TheNodeObjectBehavesAlike) {
  auto inputs = inputs_with(Kind::cgroup);
  inputs.deliver(pods::parse_node(real_node(), "answer", pods::Source::server), at(1));
  EXPECT_TRUE(inputs.refresh(at(1)).node);
  EXPECT_EQ(inputs.node().name, "127.0.0.1");
  inputs.deliver(pods::parse_node(real_node(), "answer", pods::Source::server), at(2));
  EXPECT_FALSE(inputs.refresh(at(2)).node);
  inputs.trouble(inputs::Inputs::kNode, "503");
  EXPECT_EQ(inputs.refresh(at(3)).problems, std::vector<std::string>{"https://a/n: 503"});
  EXPECT_EQ(inputs.node().name, "127.0.0.1");
}

// --- the NodeSLO object

inputs::Inputs watched() {
  return inputs::Inputs({.nodeslo_object = "nodeslos/n", .pods = {Kind::cgroup, {}}, .by_text = true});
}
config::NodeSloConfig slo(const std::string& spec) {
  const auto parsed =
      document::parse_json(R"({"kind":"NodeSLO","metadata":{"name":"n"},"spec":)" + spec + "}", "f");
  return config::read_nodeslo(parsed.root, "nodeslos/n");
}
const std::string kBurst = R"({"cpuBurstStrategy":{"policy":"auto"}})";
const std::string kBad = R"({"cpuBurstStrategy":{"policy":"sometimes"}})";
const std::string kBadSays =
    "nodeslos/n: spec.cpuBurstStrategy.policy: found the text \"sometimes\"; legal: none, cpuBurstOnly, "
    "cfsQuotaBurstOnly, auto";
bool bursts(const inputs::Inputs& inputs) { return inputs.slo()->cpu_burst.policy == BurstPolicy::automatic; }

TEST(DeliveredNodeSlo, IsUnknownUntilDelivered) {
  auto inputs = watched();
  EXPECT_FALSE(inputs.refresh(at(0)).any());
  EXPECT_FALSE(inputs.state(inputs::Inputs::kNodeSlo).loaded.has_value());
  ASSERT_NE(inputs.slo(), nullptr);
  EXPECT_FALSE(bursts(inputs)) << "everything is off";
  inputs.confirmed(inputs::Inputs::kNodeSlo, at(1));
  EXPECT_FALSE(inputs.state(inputs::Inputs::kNodeSlo).loaded.has_value())
      << "no NodeSLO was delivered that could be confirmed";
  inputs.deliver(slo(kBurst), at(2));
  EXPECT_TRUE(inputs.refresh(at(2)).nodeslo);
  EXPECT_TRUE(bursts(inputs));
  EXPECT_EQ(inputs.states()[0].loaded, at(2));
  EXPECT_TRUE(inputs.states()[0].delivered);
  inputs.confirmed(inputs::Inputs::kNodeSlo, at(9));
  EXPECT_FALSE(inputs.refresh(at(9)).any());
  EXPECT_EQ(inputs.states()[0].loaded, at(9));
}

TEST(DeliveredNodeSlo, AnInvalidObjectKeepsTheLastInForce) {
  auto inputs = watched();
  inputs.deliver(slo(kBurst), at(1));
  inputs.refresh(at(1));
  inputs.deliver(slo(kBad), at(2));
  EXPECT_EQ(inputs.refresh(at(2)).problems, std::vector<std::string>{kBadSays});
  EXPECT_TRUE(bursts(inputs));
  EXPECT_EQ(inputs.states()[0].loaded, at(1));
  inputs.trouble(inputs::Inputs::kNodeSlo, "Connection refused");
  EXPECT_EQ(inputs.refresh(at(3)).problems, std::vector<std::string>{"nodeslos/n: Connection refused"});
  inputs.confirmed(inputs::Inputs::kNodeSlo, at(4));
  EXPECT_EQ(inputs.states()[0].error, kBadSays) << "that is what is in the way now";
  EXPECT_FALSE(inputs.states()[0].usable);
  EXPECT_EQ(inputs.states()[0].loaded, at(1));
  EXPECT_TRUE(inputs.refresh(at(4)).problems.empty()) << "it was said";
  inputs.deliver(slo("{}"), at(5));
  EXPECT_EQ(inputs.refresh(at(5)).recovered, std::vector<std::string>{"nodeslo"});
  EXPECT_FALSE(bursts(inputs));
}

TEST(DeliveredNodeSlo, AnUnreachableServerChangesOnlyTheAge) {
  auto inputs = watched();
  inputs.deliver(slo(kBurst), at(1));
  inputs.refresh(at(1));
  inputs.trouble(inputs::Inputs::kNodeSlo, "Connection refused");
  EXPECT_EQ(inputs.refresh(at(2)).problems.size(), 1U);
  inputs.trouble(inputs::Inputs::kNodeSlo, "Connection refused");
  EXPECT_TRUE(inputs.refresh(at(3600)).problems.empty());
  EXPECT_TRUE(bursts(inputs));
  EXPECT_EQ(inputs.states()[0].loaded, at(1));
  inputs.confirmed(inputs::Inputs::kNodeSlo, at(3601));
  EXPECT_EQ(inputs.refresh(at(3601)).recovered, std::vector<std::string>{"nodeslo"});
  EXPECT_EQ(inputs.states()[0].loaded, at(3601));
}

TEST(DeliveredNodeSlo, AMissingObjectTurnsEverythingOff) {
  auto inputs = watched();
  inputs.nodeslo_absent(at(1));
  const std::string says = "nodeslos/n does not exist: the defaults apply until it appears";
  EXPECT_EQ(inputs.refresh(at(1)).gone, std::vector<std::string>{says});
  EXPECT_TRUE(inputs.state(inputs::Inputs::kNodeSlo).loaded.has_value());
  EXPECT_TRUE(inputs.states()[0].usable);
  EXPECT_EQ(inputs.states()[0].notices, std::vector<std::string>{says});
  inputs.nodeslo_absent(at(2));
  EXPECT_TRUE(inputs.refresh(at(100)).gone.empty()) << "it was said";
  inputs.deliver(slo(kBurst), at(101));
  EXPECT_EQ(inputs.refresh(at(101)).recovered, std::vector<std::string>{"nodeslo"});
  EXPECT_TRUE(bursts(inputs));
  EXPECT_TRUE(inputs.states()[0].notices.empty());
}

TEST(DeliveredNodeSlo, ADeletedObjectStaysInForceForHalfAMinute) {
  auto inputs = watched();
  inputs.deliver(slo(kBurst), at(1));
  inputs.refresh(at(1));
  inputs.nodeslo_absent(at(10));
  EXPECT_EQ(inputs.refresh(at(10)).gone,
            std::vector<std::string>{"nodeslos/n was deleted: its settings stay in force for 30 s"});
  EXPECT_FALSE(inputs.refresh(at(39)).any());
  EXPECT_TRUE(bursts(inputs));
  const auto changed = inputs.refresh(at(40));
  EXPECT_TRUE(changed.nodeslo);
  EXPECT_EQ(changed.gone,
            std::vector<std::string>{"nodeslos/n does not exist: the defaults apply until it appears"});
  EXPECT_FALSE(bursts(inputs));
  EXPECT_FALSE(inputs.refresh(at(80)).any());
}

TEST(DeliveredNodeSlo, AForcedReplacementIsNotADeletion) {
  auto inputs = watched();
  inputs.deliver(slo(kBurst), at(1));
  inputs.nodeslo_absent(at(10));
  inputs.refresh(at(10));
  inputs.deliver(slo(kBurst), at(11));
  EXPECT_EQ(inputs.refresh(at(11)).recovered, std::vector<std::string>{"nodeslo"});
  EXPECT_FALSE(inputs.refresh(at(100)).any());
  EXPECT_TRUE(bursts(inputs));
}

TEST(DeliveredNodeSlo, KeysOfAnotherVersionAreIgnoredAndNamed) {
  const auto config = slo(R"({"cpuBurstStrategy":{"policy":"auto","burstier":1},"newStrategy":{"a":[{}]},)"
                          R"("hostApplications":[{"name":"x","qos":"BE","colour":"red"}],)"
                          R"("extensions":{"somebody":{"a":1},"evenkeel":{"suppressDwel":"1s"}}})");
  EXPECT_TRUE(config.problems.empty()) << config.problems.front().text();
  EXPECT_EQ(config.slo.cpu_burst.policy, BurstPolicy::automatic);
  const auto named = [&](const std::string& what) {
    for (const auto& notice : config.notices)
      if (notice.find(what) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(named("newStrategy is an unknown key and is ignored"));
  EXPECT_TRUE(named("cpuBurstStrategy.burstier is an unknown key and is ignored"));
  EXPECT_TRUE(named("hostApplications[0].colour is an unknown key"));
  EXPECT_TRUE(named("did you mean suppressDwell?"));
  EXPECT_FALSE(named("somebody"));
}

}  // namespace
}  // namespace evenkeel::test
