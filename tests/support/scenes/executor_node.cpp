#include "tests/support/scenes/executor_node.h"

#include <algorithm>

#include "cgroup/kernel/knob_files.h"

namespace evenkeel::test {

ExecutorNode::ExecutorNode(bool v2, executor::ExecutorOptions options, bool vendor, bool systemd)
    : v2_(v2), kernel(v2, 8, vendor), executor(build(options, systemd)) {}

executor::Executor& ExecutorNode::build(executor::ExecutorOptions options, bool systemd) {
  if (v2_) {
    host_.v2();
  } else {
    host_.v1();
  }
  if (systemd) host_.systemd();
  host_.bare().kubepods();
  root_.emplace(std::move(*Host::open(host_.root())));
  tree_.emplace(*root_, *tree::detect_layout(*root_, ""));
  using Paths = std::vector<const char*>;
  const Paths plain{"kubepods", kBe, "kubepods/burstable"};
  const Paths slices{"kubepods.slice", kBeSlice, "kubepods.slice/kubepods-burstable.slice"};
  for (const char* path : systemd ? slices : plain) kernel.make(path);
  add(systemd ? kPodSlice : kPod);
  add(systemd ? kCtrScope : kCtr);
  return executor_holder.emplace(*tree_, kernel, journal, options);
}

void ExecutorNode::add(const std::string& path) {
  host_.cgroup(path);
  kernel.make(path);
  tree_->scan();
}

void ExecutorNode::remove(const std::string& path) {
  host_.remove_cgroup(path);
  if (kernel.has(path)) kernel.remove(path);
  tree_->scan();
}

CgroupId ExecutorNode::id(const std::string& path) const {
  const auto* cgroup = tree_->find_path(path);
  return cgroup ? cgroup->id : CgroupId{};
}

void ExecutorNode::want(const std::string& path, Knob knob, const KnobValue& value) {
  plan.push_back({id(path), knob, value, false, 1, because("the test wants it")});
  sort_plan();
}

void ExecutorNode::want_on(const std::string& path, std::uint32_t disk, Knob knob, const KnobValue& value) {
  plan.push_back({{id(path).value, disk}, knob, value, false, 1, because("the test wants it")});
  sort_plan();
}

void ExecutorNode::hold(const std::string& path, Knob knob) {
  plan.push_back({id(path), knob, {}, true, 1, because("the test does not know")});
  sort_plan();
}

void ExecutorNode::sort_plan() {
  std::ranges::sort(plan, {},
                    [](const decide::Intent& intent) { return std::pair(intent.target, intent.knob); });
}

void ExecutorNode::observe_disks(const CgroupSample& sample, NodeSnapshot& node) {
  if (kernel.disks.devices.empty()) return;
  DiskReading reading{.cgroup = sample.id};
  for (const auto& lever : knob_table()) {
    const auto name = is_of_disk(lever.knob) ? kernel::file_name(lever.knob, tree_->layout()) : "";
    if (!name.empty() && kernel.disks.has(file_part(name)))
      kernel::parse_disk_values(lever.knob, name,
                                kernel.disks.read(std::string(sample.path), file_part(name)), reading);
  }
  node.disk_readings.push_back(reading);
}

NodeSnapshot ExecutorNode::observe() {
  NodeSnapshot node;
  node.at = now;
  node.v2_cpu = node.v2_io = v2_;
  node.topology.online = CpuSet::range(0, 7);
  const auto& all = tree_->all();
  for (const auto* cgroup : all) {
    CgroupSample sample{.id = cgroup->id, .kind = cgroup->kind, .path = cgroup->path};
    const auto parent = std::ranges::find(all, cgroup->parent, [](const tree::Cgroup* c) { return c->id; });
    if (cgroup->parent) sample.parent = static_cast<CgroupIndex>(parent - all.begin());
    sample.hands_off = hands_off.count(cgroup->path) != 0;
    if (kernel.has(cgroup->path)) {
      const auto& group = kernel.at(cgroup->path);
      CpuLimit limit{.period = std::chrono::microseconds(group.period_us)};
      if (group.quota_us >= 0) limit.quota = QuotaTime(group.quota_us);
      sample.applied = {.cpu_limit = limit, .cpu_burst = QuotaTime(group.burst_us), .cpu_idle = group.idle};
      sample.applied.cpu_shares = std::stoll(kernel.text(cgroup->path, v2_ ? "cpu.weight" : "cpu.shares"));
      sample.applied.cpus = group.cpus;
      for (const auto& lever : knob_table())
        if (is_plain(lever.knob) && (kernel.plain() & knob_bit(lever.knob)) != 0 && !is_of_node(lever.knob) &&
            !is_of_disk(lever.knob) && !kernel::file_name(lever.knob, tree().layout()).empty())
          sample.applied.plain.set(lever.knob, group.plain[plain_index(lever.knob)]);
    }
    observe_disks(sample, node);
    node.cgroups.push_back(sample);
  }
  for (const auto& lever : knob_table()) {
    const auto file = kernel.node_files.find(std::string(lever.node_dir) + '/' + std::string(lever.v1_file));
    if (file != kernel.node_files.end()) node.node.settings.set(lever.knob, std::stoll(file->second));
  }
  return node;
}

executor::Report ExecutorNode::tick() {
  now += std::chrono::seconds(1);
  auto report = executor.apply(plan, observe(), seen);
  seen.clear();
  return report;
}

}  // namespace evenkeel::test
