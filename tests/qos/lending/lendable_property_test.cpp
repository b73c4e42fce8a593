// Thousands of random nodes: what the two implementations of the sum make of them must be the same to the
// thousandth of a CPU and to the byte, and known where the other one knows it.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/scenes/lending.h"
#include "tests/support/scenes/naive_lending.h"

namespace evenkeel {
namespace {

using test::LendingNode;

class RandomNode {
 public:
  explicit RandomNode(std::uint64_t seed) : random_(seed) {}

  LendingNode make() {
    LendingNode out;
    fill_node(out);
    fill_strategy(out.strategy);
    for (int count = number(0, 8); count > 0; --count) add_pod(out);
    for (int count = number(0, 3); count > 0; --count)
      out.usage.pods.push_back({"gone-" + std::to_string(count), priority(), usage(20'000, 20'000'000'007)});
    for (int count = number(0, 3); count > 0; --count)
      out.usage.host_applications.push_back({"app", priority(), usage(9'000, 9'000'000'001)});
    return out;
  }

  std::vector<lending::Zone> zones() {
    std::vector<lending::Zone> out(static_cast<std::size_t>(number(0, 4)));
    for (auto& zone : out) zone = {MilliCpu(number(0, 64'000)), Bytes(number(0, 99'000'000'019))};
    return out;
  }

 private:
  std::int64_t wide(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  int number(std::int64_t low, std::int64_t high) { return static_cast<int>(wide(low, high)); }
  bool chance(int percent) { return wide(0, 99) < percent; }
  template <class T, std::size_t N>
  T any(const T (&of)[N]) {
    return of[wide(0, N - 1)];
  }
  template <class Q>
  std::optional<Q> maybe(int percent, std::int64_t high) {
    return chance(percent) ? std::optional<Q>(wide(0, high)) : std::nullopt;
  }
  Usage usage(std::int64_t cpu, std::int64_t memory) {
    return {maybe<MilliCpu>(95, cpu), maybe<Bytes>(95, memory)};
  }
  PriorityClass priority() {
    return any({PriorityClass::none, PriorityClass::prod, PriorityClass::mid, PriorityClass::batch,
                PriorityClass::free});
  }

  void fill_node(LendingNode& out) {
    out.object.cpu_capacity = maybe<MilliCpu>(80, 128'000);
    out.object.cpu_allocatable = maybe<MilliCpu>(60, 128'000);
    out.object.cpu_raw_allocatable = maybe<MilliCpu>(10, 128'000);
    out.object.memory_capacity = maybe<Bytes>(80, 300'000'000'007);
    out.object.memory_allocatable = maybe<Bytes>(60, 300'000'000'007);
    out.object.memory_raw_allocatable = maybe<Bytes>(10, 300'000'000'007);
    out.object.reserved_cpu = maybe<MilliCpu>(30, 30'000);
    out.object.reserved_memory = maybe<Bytes>(30, 30'000'000'007);
    out.node.cpu_capacity = MilliCpu(chance(10) ? 0 : wide(1, 128'000));
    out.node.memory = NodeMemory{.total = Bytes(wide(1, 300'000'000'007))};
    if (chance(20)) out.node.memory->hugepages = Bytes(wide(0, 20'000'000'000));
    if (chance(3)) out.node.memory.reset();
    out.usage.node = usage(128'000, 300'000'000'007);
    out.usage.system = usage(20'000, 20'000'000'007);
    if (chance(80)) out.prod_reclaimable = usage(60'000, 99'000'000'011);
    out.pods_known = !chance(3);
  }

  void fill_strategy(ColocationStrategy& out) {
    out.cpu_reclaim_threshold_percent = Percent(wide(0, 180));
    out.memory_reclaim_threshold_percent = Percent(wide(0, 180));
    out.cpu_calculate_policy = any({"usage", "request", "maxUsageRequest"});
    out.memory_calculate_policy = any({"usage", "request", "maxUsageRequest"});
    out.batch_cpu_threshold_percent = maybe<Percent>(30, 150);
    out.batch_memory_threshold_percent = maybe<Percent>(30, 150);
    out.mid_cpu_threshold_percent = Percent(wide(0, 150));
    out.mid_memory_threshold_percent = Percent(wide(0, 150));
    out.mid_unallocated_percent = Percent(chance(50) ? 0 : wide(1, 150));
    out.mid_reclaim_mode = chance(20) ? "static" : "";
    out.mid_static_cpu_reserved_percent = Percent(wide(0, 100));
    out.mid_static_memory_reserved_percent = Percent(wide(0, 100));
  }

  void add_pod(LendingNode& out) {
    Pod pod;
    pod.uid = "pod-" + std::to_string(out.pods.size());
    pod.kube_qos = any({KubeQos::guaranteed, KubeQos::burstable, KubeQos::besteffort});
    if (chance(60))
      pod.label_qos = any({QosClass::lse, QosClass::lsr, QosClass::ls, QosClass::be, QosClass::system});
    if (chance(40)) pod.priority_class = priority();
    pod.phase = chance(70)
                    ? PodPhase::running
                    : any({PodPhase::pending, PodPhase::succeeded, PodPhase::failed, PodPhase::unknown});
    pod.from_cgroup_only = chance(3);
    pod.containers.resize(static_cast<std::size_t>(number(0, 3)));
    for (auto& container : pod.containers) {
      container.requests.cpu = maybe<MilliCpu>(80, 20'000);
      container.requests.memory = maybe<Bytes>(80, 20'000'000'009);
    }
    if (pod.from_cgroup_only) pod.containers.clear();
    for (int count = number(0, 2); count > 0; --count) pod.numa_nodes.push_back(number(-1, 4));
    if (chance(75))
      out.usage.pods.push_back({pod.uid, default_priority_class(pod), usage(20'000, 20'000'000'007)});
    out.pods.push_back(std::move(pod));
  }

  std::mt19937_64 random_;
};

template <class Q>
test::NaiveAmount count_of(const std::optional<Q>& value) {
  return value ? test::NaiveAmount(value->count()) : std::nullopt;
}

TEST(LendableProperty, TwoImplementationsAgree) {
  int known = 0;
  int positive = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    RandomNode random(seed);
    const auto node = random.make();
    const auto zones = random.zones();
    const auto lend = node.lend();
    const auto of_zones = node.lend_zones(zones);
    const auto naive = test::naive_lending(node.input(), zones);
    ASSERT_EQ(count_of(lend.batch_cpu), naive.batch[0]) << seed;
    ASSERT_EQ(count_of(lend.batch_memory), naive.batch[1]) << seed;
    ASSERT_EQ(count_of(lend.mid_cpu), naive.mid[0]) << seed;
    ASSERT_EQ(count_of(lend.mid_memory), naive.mid[1]) << seed;
    ASSERT_EQ(of_zones.zones.size(), zones.size()) << seed;
    for (std::size_t zone = 0; zone < zones.size(); ++zone) {
      ASSERT_EQ(count_of(of_zones.zones[zone].batch_cpu), naive.zones[zone][0]) << seed << " zone " << zone;
      ASSERT_EQ(count_of(of_zones.zones[zone].batch_memory), naive.zones[zone][1])
          << seed << " zone " << zone;
    }
    const bool all = lend.batch_cpu && lend.batch_memory && lend.mid_cpu && lend.mid_memory;
    ASSERT_EQ(all, lend.unknown_reason.empty()) << seed;
    known += all ? 1 : 0;
    positive += all && lend.batch_cpu->count() > 0 && lend.batch_memory->count() > 0 ? 1 : 0;
  }
  EXPECT_GT(known, 5'000) << "the nodes must not all be unknown";
  EXPECT_GT(positive, 1'000) << "nor full";
}

}  // namespace
}  // namespace evenkeel
