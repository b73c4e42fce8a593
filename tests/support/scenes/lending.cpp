#include "tests/support/scenes/lending.h"

namespace evenkeel::test {

LendingNode& LendingNode::capacity(double cpu, double memory) {
  object.cpu_capacity = cpus(cpu);
  object.memory_capacity = gb(memory);
  return allocatable(cpu, memory);
}

LendingNode& LendingNode::allocatable(double cpu, double memory) {
  object.cpu_allocatable = cpus(cpu);
  object.memory_allocatable = gb(memory);
  return *this;
}

LendingNode& LendingNode::reserves(double cpu, double memory) {
  object.reserved_cpu = cpus(cpu);
  object.reserved_memory = gb(memory);
  return *this;
}

LendingNode& LendingNode::system(double cpu, double memory) {
  usage.system = {cpus(cpu), gb(memory)};
  return *this;
}

LendingNode& LendingNode::uses_in_all(double cpu, double memory) {
  usage.node = {cpus(cpu), gb(memory)};
  return *this;
}

LendingNode& LendingNode::reclaimable(double cpu, double memory) {
  prod_reclaimable = Usage{cpus(cpu), gb(memory)};
  return *this;
}

LendingNode& LendingNode::host_application(PriorityClass priority, double cpu, double memory) {
  usage.host_applications.push_back({"app", priority, {cpus(cpu), gb(memory)}});
  return *this;
}

LendingNode& LendingNode::gone(PriorityClass priority, double cpu, double memory) {
  usage.pods.push_back({"gone-" + std::to_string(usage.pods.size()), priority, {cpus(cpu), gb(memory)}});
  return *this;
}

LendingNode& LendingNode::thresholds(std::int64_t cpu, std::int64_t memory) {
  strategy.cpu_reclaim_threshold_percent = Percent(cpu);
  strategy.memory_reclaim_threshold_percent = Percent(memory);
  return *this;
}

LendingNode& LendingNode::policies(const char* cpu, const char* memory) {
  strategy.cpu_calculate_policy = cpu;
  strategy.memory_calculate_policy = memory;
  return *this;
}

LendingNode& LendingNode::pod(const std::string& uid) {
  Pod pod;
  pod.uid = uid;
  pod.phase = PodPhase::running;
  pod.kube_qos = KubeQos::burstable;
  pod.containers.resize(1);
  pods.push_back(std::move(pod));
  return *this;
}

LendingNode& LendingNode::qos(QosClass qos) {
  pods.back().label_qos = qos;
  return *this;
}

LendingNode& LendingNode::priority(PriorityClass priority) {
  pods.back().priority_class = priority;
  return *this;
}

LendingNode& LendingNode::phase(PodPhase phase) {
  pods.back().phase = phase;
  return *this;
}

LendingNode& LendingNode::requests(double cpu, double memory) {
  pods.back().containers[0].requests.cpu = cpus(cpu);
  pods.back().containers[0].requests.memory = gb(memory);
  return *this;
}

LendingNode& LendingNode::uses(double cpu, double memory) {
  const auto& pod = pods.back();
  usage.pods.push_back({pod.uid, default_priority_class(pod), {cpus(cpu), gb(memory)}});
  return *this;
}

LendingNode& LendingNode::on_numa(std::vector<int> nodes) {
  pods.back().numa_nodes = std::move(nodes);
  return *this;
}

lending::LendInput LendingNode::input() const {
  return {object, node, pods, usage, strategy, prod_reclaimable, pods_known};
}

LendingNode worked_example() {
  return LendingNode()
      .capacity(100, 120)
      .system(7, 12)
      .thresholds(65, 65)
      .pod("a")
      .qos(QosClass::ls)
      .requests(20, 20)
      .uses(11, 11)
      .pod("b")
      .qos(QosClass::be)
      .requests(10, 10)
      .uses(10, 10)
      .pod("c")
      .requests(20, 40)
      .uses(22, 22);
}

}  // namespace evenkeel::test
