// Builds a node snapshot in one expression, for tests of policies:
// node().cpus(64).uses(30500_mcpu).pod("a").ls().uses(18250_mcpu).container("main").limit(2000_mcpu).build()
// `uses`, `quota`, `unlimited`, `burst`, … apply to the last named item: the node, a pod, a container or a
// host application. The BestEffort directory exists and is unlimited unless said otherwise.
#pragma once

#include <string>
#include <vector>

#include "qos/model/snapshot.h"
#include "tests/support/scenes/intents.h"

namespace evenkeel::test {

class SnapshotBuilder {
 public:
  SnapshotBuilder();

  // The node.
  SnapshotBuilder& cpus(int count);  ///< capacity and a flat topology, one NUMA node, no SMT
  SnapshotBuilder& topology(std::vector<CpuInfo> infos);  ///< capacity follows
  SnapshotBuilder& no_use();
  SnapshotBuilder& object(const NodeObject& object);
  SnapshotBuilder& pods_unknown();
  SnapshotBuilder& v2();
  SnapshotBuilder& without_besteffort();
  SnapshotBuilder& besteffort();  ///< the next settings are for the BestEffort directory

  // What is on it.
  SnapshotBuilder& pod(std::string name);
  SnapshotBuilder& container(std::string name);
  SnapshotBuilder& host_app(QosClass qos, HostAppBase base);

  // Settings of the last named pod.
  SnapshotBuilder& be();  ///< labelled, and below the BestEffort directory
  SnapshotBuilder& ls() { return label(QosClass::ls); }
  SnapshotBuilder& lsr() { return label(QosClass::lsr); }
  SnapshotBuilder& lse() { return label(QosClass::lse); }
  SnapshotBuilder& label(QosClass qos);
  SnapshotBuilder& kube(KubeQos qos);
  SnapshotBuilder& phase(PodPhase phase);
  SnapshotBuilder& cgroup_only();
  SnapshotBuilder& hands_off();
  SnapshotBuilder& allocated(const char* cpu_list);
  SnapshotBuilder& overrides(const CpuBurstOverride& fields);
  SnapshotBuilder& identity(std::int64_t own);
  SnapshotBuilder& memory_qos(const MemoryQosOverride& own);
  SnapshotBuilder& blocks(std::vector<Block> blocks, std::vector<PodVolume> volumes = {}) {
    pods_.back().blocks = std::move(blocks);
    pods_.back().volumes = std::move(volumes);
    return *this;
  }
  SnapshotBuilder& pod_level_limit(MilliCpu cpu) {
    pods_.back().pod_level_limits.cpu = cpu;
    return *this;
  }
  SnapshotBuilder& pod_level_limit(Bytes memory) {
    pods_.back().pod_level_limits.memory = memory;
    return *this;
  }
  SnapshotBuilder& network(PodNetwork own) {
    pods_.back().network = std::move(own);
    return *this;
  }
  SnapshotBuilder& without_cgroup();

  // Settings of the last named container.
  SnapshotBuilder& limit(MilliCpu cpu);
  SnapshotBuilder& request(MilliCpu cpu);
  SnapshotBuilder& memory(std::optional<Bytes> request, std::optional<Bytes> limit = {});
  SnapshotBuilder& batch_memory(std::optional<Bytes> request, std::optional<Bytes> limit = {});
  SnapshotBuilder& batch_cpu(std::optional<MilliCpu> request, std::optional<MilliCpu> limit = {});
  SnapshotBuilder& waiting();  ///< not running
  SnapshotBuilder& oom_score(int wanted) {
    pods_.back().containers.back().oom_score_adj = wanted;
    return *this;
  }

  /// What crun makes in the last named container; the next settings are for it.
  SnapshotBuilder& subgroup() {
    add(CgroupKind::subgroup, node_.containers.back().cgroup);
    return *this;
  }

  // Settings of the last named item.
  SnapshotBuilder& uses(MilliCpu cpu);
  SnapshotBuilder& quota(std::int64_t microseconds, Duration period = std::chrono::milliseconds(100));
  SnapshotBuilder& unlimited(Duration period = std::chrono::milliseconds(100));
  SnapshotBuilder& no_quota_file();
  SnapshotBuilder& burst(std::int64_t microseconds);
  SnapshotBuilder& throttled(std::int64_t periods_throttled, std::int64_t periods = 10);
  SnapshotBuilder& cpuset(const char* cpu_list);
  SnapshotBuilder& effective(const char* cpu_list);
  SnapshotBuilder& idle(std::int64_t value);
  SnapshotBuilder& bvt(std::int64_t value);
  SnapshotBuilder& shares(std::int64_t value);

  [[nodiscard]] NodeSnapshot build() const;

 private:
  CgroupSample& sample() { return node_.cgroups[cursor_]; }
  std::size_t add(CgroupKind kind, CgroupIndex parent);

  NodeSnapshot node_{};
  std::vector<Pod> pods_{};
  std::vector<HostApplication> apps_{};
  std::vector<CgroupIndex> app_cgroups_{};
  std::size_t cursor_ = 0;
  bool at_node_ = true;
};

inline SnapshotBuilder node() { return {}; }

/// The CPUs of a list in the kernel's format; aborts on a malformed one.
CpuSet cpu_list(const char* text);
/// `count` CPUs with the given core, NUMA node and socket per CPU.
std::vector<CpuInfo> cpu_infos(int count, int (*core)(int), int (*numa)(int), int (*socket)(int));

}  // namespace evenkeel::test
