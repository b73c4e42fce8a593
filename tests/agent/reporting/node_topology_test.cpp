// Tests the NodeResourceTopology: its annotations and zones, and what a patch keeps of others.
#include "agent/reporting/node_topology.h"

#include <gtest/gtest.h>

#include "agent/document/document.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;

CpuSet set(const char* text) { return CpuSet::parse(text).value(); }

struct NodeTopologyTest : testing::Test {
  CpuTopology cpus{};
  NodeObject object{};
  std::vector<Pod> pods{};
  pods::KubeletCpus kubelet{.policy = "none"};
  std::vector<node::NumaMemory> memory{{.ordinary = 8192_MiB}, {.ordinary = 4096_MiB}};
  std::optional<lending::ZoneLendables> lendable{};
  std::optional<pods::KubeletSettings> settings{};
  std::uint64_t l3_ways = 0;

  /// Two sockets with a NUMA node each, of one core with two threads.
  NodeTopologyTest() {
    for (int id = 0; id < 4; ++id)
      cpus.cpus.push_back({.id = id, .core = id / 2, .socket = id / 2, .numa = id / 2});
  }
  [[nodiscard]] std::optional<reporting::NodeTopology> topology() const {
    return reporting::node_topology(
        {cpus, object, pods, kubelet, memory, lendable, settings ? &*settings : nullptr, l3_ways});
  }
  [[nodiscard]] std::string annotation(const std::string& name) const {
    return topology().value().annotations.at(name).value_or("(absent)");
  }
  [[nodiscard]] std::string created() const {
    return reporting::topology_object(topology().value(), "n1", "u-1");
  }
  [[nodiscard]] std::string patch(const std::string& standing, double steady = 0) const {
    return reporting::topology_patch(topology().value(), standing, steady).value_or("(absent)");
  }
  /// What the server holds after `created`, with members of others added to the first zone.
  [[nodiscard]] std::string standing(const std::string& resource = {}, const std::string& zone = {}) const {
    auto text = created();
    text.insert(text.find("{\"name\":\"cpu\""), resource);
    text.insert(text.size() - 2, zone);
    return text.insert(text.find("\"name\":\"n1\""), "\"resourceVersion\":\"7\",");
  }
  Pod& pod(const std::string& uid, QosClass qos, const char* allocated) {
    Pod pod{.uid = uid, .namespace_ = "shop", .name = "web", .label_qos = qos};
    if (*allocated != 0) pod.allocated_cpus = set(allocated);
    pods.push_back(std::move(pod));
    return pods.back();
  }
  void lend(std::int64_t batch_cpu, std::int64_t batch_memory) {
    lendable.emplace();
    for (int zone = 0; zone < 2; ++zone)
      lendable->zones.push_back({.batch_cpu = MilliCpu(batch_cpu), .batch_memory = Bytes(batch_memory)});
  }
};

/// The object that koordlet writes for a machine of two CPUs, with kubelet policy "none": the same
/// annotations and members, of the same form.
TEST_F(NodeTopologyTest, IsWhatTheSchedulerReads) {
  cpus.cpus.resize(2);
  cpus.cpus[1].core = 1;
  cpus.model = "AMD EPYC";
  cpus.vendor = "AuthenticAMD";
  memory = {{.ordinary = 8192_MiB}};
  lend(1157, 6259767800);
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-basic-info"),
            R"({"cpuModel":"AMD EPYC","vendorID":"AuthenticAMD"})");
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-topology"),
            R"({"detail":[{"id":0,"core":0,"socket":0,"node":0},{"id":1,"core":1,"socket":0,"node":0}]})");
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-shared-pools"), R"([{"socket":0,"node":0,"cpuset":"0-1"}])");
  EXPECT_EQ(annotation("node.koordinator.sh/be-cpu-shared-pools"),
            R"([{"socket":0,"node":0,"cpuset":"0-1"}])");
  EXPECT_EQ(annotation("kubelet.koordinator.sh/cpu-manager-policy"), R"({"policy":"none"})");
  EXPECT_EQ(annotation("node.koordinator.sh/pod-cpu-allocs"), "[]");
  const auto parsed = document::parse_json(created(), "object");
  ASSERT_TRUE(parsed.problems.empty()) << created();
  const auto& root = parsed.root;
  EXPECT_EQ(root.text("apiVersion"), "topology.node.k8s.io/v1alpha1");
  EXPECT_EQ(root.text("kind"), "NodeResourceTopology");
  EXPECT_EQ(document::text_at(root, {"metadata", "name"}), "n1");
  const auto owners = document::list_at(root, {"metadata", "ownerReferences"}).value();
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(owners[0].text("kind") + owners[0].text("name") + owners[0].text("uid"), "Noden1u-1");
  EXPECT_NE(created().find(R"("topologyPolicies":["None"])"), std::string::npos);
  EXPECT_NE(
      created().find(
          R"("zones":[{"name":"node-0","type":"Node","resources":[)"
          R"({"name":"cpu","capacity":"2","allocatable":"2","available":"2"},)"
          R"({"name":"memory","capacity":"8589934592","allocatable":"8589934592","available":"8589934592"},)"
          R"({"name":"hugepages-1Gi","capacity":"0","allocatable":"0","available":"0"},)"
          R"({"name":"hugepages-2Mi","capacity":"0","allocatable":"0","available":"0"},)"
          R"({"name":"kubernetes.io/batch-cpu","capacity":"1157","allocatable":"1157","available":"1157"},)"
          R"({"name":"kubernetes.io/batch-memory","capacity":"6259767800","allocatable":"6259767800",)"
          R"("available":"6259767800"}]}])"),
      std::string::npos)
      << created();
  EXPECT_EQ(created().find("null"), std::string::npos) << "a new object needs nothing taken off";
}

TEST_F(NodeTopologyTest, HugePagesAreOfTheirZone) {
  const auto old = standing();
  memory[1] = {.ordinary = 2048_MiB, .pages_of_1gib = 1024_MiB, .pages_of_2mib = 512_MiB};
  const auto changed = patch(old);
  EXPECT_NE(changed.find(R"({"name":"hugepages-1Gi","capacity":"1073741824")"), std::string::npos) << changed;
  EXPECT_NE(changed.find(R"({"name":"hugepages-2Mi","capacity":"536870912")"), std::string::npos) << changed;
  EXPECT_LT(changed.find(R"("hugepages-1Gi","capacity":"0")"), changed.find("node-1")) << "node 0 has none";
}

TEST_F(NodeTopologyTest, BasicsAreWhatTheManagerComparesCpusBy) {
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-basic-info"), "(absent)") << "of a model that is not known";
  cpus.model = "Some(R) CPU";
  cpus.turbo = true;
  l3_ways = 0x7ff;
  EXPECT_EQ(
      annotation("node.koordinator.sh/cpu-basic-info"),
      R"({"cpuModel":"Some(R) CPU","hyperThreadEnabled":true,"turboEnabled":true,"catL3CbmMask":"7ff"})");
}

TEST_F(NodeTopologyTest, PoolsAreTheCpusThatNoPodWasGiven) {
  pod("a", QosClass::lsr, "1");
  pod("b", QosClass::lse, "2");
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-shared-pools"),
            R"([{"socket":0,"node":0,"cpuset":"0"},{"socket":1,"node":1,"cpuset":"3"}])");
  EXPECT_EQ(annotation("node.koordinator.sh/be-cpu-shared-pools"),
            R"([{"socket":0,"node":0,"cpuset":"0-1"},{"socket":1,"node":1,"cpuset":"3"}])");
}

TEST_F(NodeTopologyTest, ReservedCpusAreInNoPoolAndSaid) {
  object.reserved_cpus = set("0");
  object.system_qos_cpus = set("1");
  const std::string rest = R"([{"socket":1,"node":1,"cpuset":"2-3"}])";
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-shared-pools"), rest);
  EXPECT_EQ(annotation("node.koordinator.sh/be-cpu-shared-pools"), rest);
  EXPECT_EQ(annotation("node.koordinator.sh/reservation"), R"({"reservedCPUs":"0"})");
  EXPECT_EQ(annotation("node.koordinator.sh/system-qos-resource"),
            R"({"cpuset":"1","cpusetExclusive":true})");
  object.system_qos_cpus_shared = true;
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-shared-pools"),
            R"([{"socket":0,"node":0,"cpuset":"1"},{"socket":1,"node":1,"cpuset":"2-3"}])");
}

TEST_F(NodeTopologyTest, CpusReservedByTheirNumberAreTheFirst) {
  object.reserved_cpu = 1500_mcpu;
  const std::string rest = R"([{"socket":1,"node":1,"cpuset":"2-3"}])";
  EXPECT_EQ(annotation("node.koordinator.sh/reservation"), R"({"reservedCPUs":"0-1"})");
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-shared-pools"), rest);
  EXPECT_EQ(annotation("node.koordinator.sh/be-cpu-shared-pools"), rest);
  object = {};
  kubelet.policy = "static";
  settings = {.reserved_cpu = 500_mcpu, .topology_policy = "None"};
  EXPECT_EQ(annotation("kubelet.koordinator.sh/cpu-manager-policy"),
            R"({"policy":"static","reservedCPUs":"0"})");
  EXPECT_EQ(annotation("node.koordinator.sh/cpu-shared-pools"),
            R"([{"socket":0,"node":0,"cpuset":"0-1"},{"socket":1,"node":1,"cpuset":"2-3"}])")
      << "pods without CPUs of their own may use them";
  settings->options["strict-cpu-reservation"] = "true";
  EXPECT_EQ(annotation("node.koordinator.sh/be-cpu-shared-pools"),
            R"([{"socket":0,"node":0,"cpuset":"1"},{"socket":1,"node":1,"cpuset":"2-3"}])")
      << "but not with this option";
  settings->options.clear();
  kubelet.policy = "none";
  EXPECT_EQ(annotation("kubelet.koordinator.sh/cpu-manager-policy"), R"({"policy":"none"})");
}

TEST_F(NodeTopologyTest, TheKubeletsAllocationsAreListedAndTaken) {
  kubelet = {
      .policy = "static", .of = {{"a", set("1")}, {"b", set("2")}, {"gone", set("3")}}, .all = set("1-3")};
  pod("a", QosClass::lsr, "").label_qos.reset();
  pod("b", QosClass::lsr, "2");  // Koordinator assigned these
  EXPECT_EQ(annotation("node.koordinator.sh/pod-cpu-allocs"),
            R"([{"namespace":"shop","name":"web","uid":"a","cpuset":"1","managedByKubelet":true},)"
            R"({"uid":"gone","cpuset":"3","managedByKubelet":true}])");
  EXPECT_EQ(annotation("node.koordinator.sh/be-cpu-shared-pools"),
            R"([{"socket":0,"node":0,"cpuset":"0"},{"socket":1,"node":1,"cpuset":"2"}])");
  kubelet = {.policy = "static", .all = set("3")};  // a kubelet that names containers only
  EXPECT_EQ(annotation("node.koordinator.sh/pod-cpu-allocs"), "[]");
  EXPECT_EQ(annotation("node.koordinator.sh/be-cpu-shared-pools"),
            R"([{"socket":0,"node":0,"cpuset":"0-1"},{"socket":1,"node":1,"cpuset":"2"}])");
}

TEST_F(NodeTopologyTest, WhatTheKubeletSaysOfItsManagers) {
  const auto old = standing();
  kubelet.policy = "static";
  settings = {.options = {{"full-pcpus-only", "true"}}, .reserved = set("0-1"), .topology_policy = "None"};
  EXPECT_EQ(annotation("kubelet.koordinator.sh/cpu-manager-policy"),
            R"({"policy":"static","options":{"full-pcpus-only":"true"},"reservedCPUs":"0-1"})");
  EXPECT_EQ(patch(old).find("topologyPolicies"), std::string::npos) << "it stands";
  settings->topology_policy = "RestrictedPodLevel";
  EXPECT_NE(patch(old).find(R"("topologyPolicies":["RestrictedPodLevel"])"), std::string::npos) << patch(old);
  EXPECT_NE(created().find(R"("topologyPolicies":["RestrictedPodLevel"])"), std::string::npos);
  kubelet.policy = "none";
  EXPECT_EQ(annotation("kubelet.koordinator.sh/cpu-manager-policy"),
            R"({"policy":"none","options":{"full-pcpus-only":"true"}})");
}

TEST_F(NodeTopologyTest, NothingIsSaidOfANodeThatIsNotFullyKnown) {
  memory.resize(1);
  EXPECT_FALSE(topology()) << "a CPU is in none of the zones";
  cpus.cpus.resize(2);
  EXPECT_TRUE(topology());
  cpus = {};
  EXPECT_FALSE(topology());
}

TEST_F(NodeTopologyTest, NoPatchWhereNothingDiffers) {
  EXPECT_EQ(patch(standing()), "");
  lend(1000, 1000);
  EXPECT_EQ(patch(standing()), "");
  EXPECT_EQ(patch(standing(R"({"name":"nvidia.com/gpu","capacity":"1","allocatable":"1","available":"1"},)")),
            "")
      << "in another order";
  EXPECT_EQ(patch(R"({"kind":"Node"})"), "(absent)");
  EXPECT_EQ(patch("<html>"), "(absent)");
}

TEST_F(NodeTopologyTest, APatchKeepsWhatOthersWrote) {
  const auto old =
      standing(R"({"name":"nvidia.com/gpu","capacity":"1","allocatable":1,"available":"1"},)"
               R"({"name":"kubernetes.io/batch-cpu","capacity":"5","allocatable":"5","available":"5"},)",
               R"(,{"name":"card","type":"GPU","costs":[{"name":"node-0","value":10}]})");
  pod("a", QosClass::lsr, "1");
  memory[0].ordinary = 7168_MiB;
  const auto text = patch(old);
  const auto root = document::parse_json(text, "patch").root;
  EXPECT_EQ(document::text_at(root, {"metadata", "resourceVersion"}), "7") << text;
  EXPECT_EQ(root.find("topologyPolicies"), nullptr);
  EXPECT_NE(text.find(R"({"name":"nvidia.com/gpu","capacity":"1","allocatable":1,"available":"1"})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("kubernetes.io/batch-cpu","capacity":"5")"), std::string::npos) << "a manager's";
  EXPECT_NE(text.find(R"({"name":"card","type":"GPU","costs":[{"name":"node-0","value":10}]})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("capacity":"7516192768")"), std::string::npos);
  for (const char* name : {"reservation", "cpu-basic-info"})
    EXPECT_NE(text.find(std::string("\"node.koordinator.sh/") + name + "\":null"), std::string::npos)
        << "what an earlier reporter left goes: " << name;
}

TEST_F(NodeTopologyTest, AmountsToLendAreSteadyAndUnknownOnesAreTakenOut) {
  lend(1000, 1000);
  const auto old = standing();
  lend(1050, 1000);
  EXPECT_EQ(patch(old, 0.1), "");
  EXPECT_NE(patch(old, 0).find(R"("allocatable":"1050")"), std::string::npos);
  lend(1200, 1000);
  EXPECT_NE(patch(old, 0.1).find(R"("allocatable":"1200")"), std::string::npos);
  lendable = lending::ZoneLendables{};
  const auto without = patch(old, 0.1);
  EXPECT_NE(without, "");
  EXPECT_EQ(without.find("batch"), std::string::npos) << without;
  lendable.reset();
  EXPECT_EQ(patch(old, 0.1), "") << "another lends: its amounts stay";
}

}  // namespace
}  // namespace evenkeel::test
