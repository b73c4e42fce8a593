#include "tests/support/scenes/lever_loop.h"

#include "cgroup/base/text.h"
#include "cgroup/kernel/knob_files.h"
#include "collectors/per_cgroup/roster.h"
#include "qos/decide/intent.h"

namespace evenkeel::test {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr const char* kBranches[] = {"kubepods", "kubepods/burstable", kBe};

Container container_of(const std::string& id, QosClass qos, std::int64_t size) {
  Container out{.name = id, .id = id, .running = true};
  const MilliCpu cpu(100 * size);
  const Bytes memory(64 * kMiB * size);
  if (qos == QosClass::be) {
    out.requests.batch_cpu = cpu;
    out.limits.batch_cpu = cpu * 2;
    out.requests.batch_memory = out.limits.batch_memory = memory;
  } else {
    out.requests.cpu = cpu;
    out.limits.cpu = cpu * 2;
    out.requests.memory = memory;
    out.limits.memory = memory * 2;
  }
  return out;
}

}  // namespace

LeverLoop::LeverLoop(bool v2, unsigned seed)
    : ExecutorNode(v2, {}, seed % 2 == 1),
      v2_(v2),
      random_(seed),
      machine_{.max_groups = 2 + static_cast<int>(seed % 6)},
      resctrl_(machine_),
      cache_(tree(), resctrl_, journal, false),
      queues_(tree(), network_, journal, false) {
  remove(kPod);
  kernel.disks.devices = {"8:0", "8:16"};
  kernel.disks.weights = seed % 3 == 0;
  kernel.disks.latencies = seed % 3 != 1;
  kernel.node_files = {{"proc/sys/vm/min_free_kbytes", "67584\n"},
                       {"proc/sys/vm/watermark_scale_factor", "10\n"}};
  born_ = files();
  live();
  configure();
}

/// A limit for one of the two disks, or for a missing one.
Block LeverLoop::block() {
  constexpr const char* kNames[] = {"sda", "/dev/sdb", "nowhere"};
  Block out{.name = kNames[below(3)]};
  if (chance(60)) out.io.read_bps = Bytes(below(1000));
  if (chance(60)) out.io.write_iops = below(1000);
  if (chance(60)) out.io.io_weight_percent = 1 + below(100);
  if (chance(60)) out.io.latency_target_us = below(5000);
  return out;
}

/// For the cache, the bandwidth, or both.
ResctrlPart LeverLoop::part() {
  ResctrlPart out;
  if (chance(30)) out.cache = below(3);  // there are two
  const int start = below(100);
  if (chance(70)) out.start = Percent(start);
  if (out.start) out.end = Percent(start + 1 + below(100 - start));
  if (!out.start || chance(50)) out.bandwidth = Percent(1 + below(100));
  return out;
}

/// For sending and receiving, in percent or in Mbit/s.
NetworkQos LeverLoop::bandwidth() {
  const auto some = [&] {
    return chance(70) ? Bandwidth{below(101), true} : Bandwidth{std::int64_t{1000000} * below(2000), false};
  };
  return {chance(60), some(), some(), some(), some()};
}

/// Creates the directories of a new pod and its containers, as the kubelet and the container runtime leave
/// them.
std::string LeverLoop::born(int number) {
  const auto qos = static_cast<QosClass>(below(4));  // LSE, LSR, LS, BE
  const auto branch = qos == QosClass::be   ? KubeQos::besteffort
                      : qos == QosClass::ls ? KubeQos::burstable
                                            : KubeQos::guaranteed;
  Pod pod{.uid = std::to_string(number), .namespace_ = "a", .name = "p" + std::to_string(number)};
  pod.kube_qos = branch;
  pod.label_qos = qos;
  pod.phase = PodPhase::running;
  if (qos == QosClass::lse || qos == QosClass::lsr) pod.allocated_cpus = CpuSet::range(below(8), 7);
  if (chance(30)) pod.blocks = {block(), block()};
  if (chance(30)) pod.resctrl = {part()};
  pod.network.of_host = chance(20);
  pod.network.addresses = {{.bytes = {10, 0, 0, static_cast<std::uint8_t>(number)}}};
  if (chance(30)) pod.network.limits = {bandwidth().ingress_limit, bandwidth().egress_limit};
  const auto path = std::string(kBranches[static_cast<std::size_t>(branch)]) + "/pod" + pod.uid;
  std::vector<std::string> made{path};
  for (int c = 1 + below(2); c > 0; --c) {
    const auto id = "c" + std::to_string(number) + "x" + std::to_string(c);
    pod.containers.push_back(container_of(id, qos, 1 + below(8)));
    made.push_back(path + "/" + id);
  }
  for (const auto& dir : made) {
    add(dir);
    kernel.other(dir, v2_ ? "cpu.weight" : "cpu.shares", qos == QosClass::be ? "2" : "300");
    add_tasks(dir);
  }
  // Like a kubelet that enforces limits: the pod's first.
  MilliCpu all;
  for (const auto& container : pod.containers) all += container.limits.cpu.value_or(MilliCpu{});
  for (std::size_t i = 0; i < made.size() && number % 2 == 0 && all > MilliCpu{}; ++i)
    kernel.other(made[i], v2_ ? "cpu.max" : "cpu.cfs_quota_us",
                 std::to_string((i == 0 ? all : *pod.containers[i - 1].limits.cpu).count() * 100));
  pods_.push_back(std::move(pod));
  paths_.push_back(path);
  return path;
}

void LeverLoop::add_tasks(const std::string& path) {
  const auto dir = tree().dir(*tree().find_path(path), Controller::cpu);
  for (int i = below(3); i > 0; --i) {
    tasks_[path].push_back(next_task_);
    resctrl_.task(next_task_++, dir + (v2_ ? "/cgroup.threads" : "/tasks"));
  }
}

/// In the cgroup and all its descendants.
void LeverLoop::end_tasks(const std::string& path) {
  for (auto& [cgroup, tasks] : tasks_) {
    if (cgroup != path && !cgroup.starts_with(path + '/')) continue;
    for (const int task : tasks) resctrl_.end(task);
    tasks.clear();
  }
}

void LeverLoop::live() {
  while (!pods_.empty() && chance(30)) {
    const auto which = static_cast<std::size_t>(below(static_cast<int>(pods_.size())));
    end_tasks(paths_[which]);
    remove(paths_[which]);
    pods_.erase(pods_.begin() + static_cast<std::ptrdiff_t>(which));
    paths_.erase(paths_.begin() + static_cast<std::ptrdiff_t>(which));
  }
  const auto known = files();
  std::erase_if(born_, [&](const auto& file) { return known.count(file.first) == 0; });
  while (pods_.size() < 5 && chance(70)) born(next_pod_++);
  // On v1 a new group copies the set of its parent, which evenkeel may have narrowed at this moment.
  const auto original = [&](const std::string& path, const std::string& text) {
    return !v2_ && path.ends_with("cpuset.cpus") ? std::string("0-7") : text;
  };
  for (const auto& [path, text] : files()) born_.emplace(path, original(path, text));
}

void LeverLoop::configure() {
  auto slo = std::make_shared<NodeSlo>();
  slo->threshold.enable = chance(60);
  slo->threshold.cpu_suppress_policy = static_cast<SuppressPolicy>(below(2));
  slo->threshold.cpu_suppress_threshold_percent = Percent(below(101));
  slo->qos.be.cpu.enable = chance(60);
  MemoryQos memory{.enable = chance(60)};
  memory.min_limit_percent = Percent(below(101));
  memory.low_limit_percent = Percent(below(101));
  memory.throttling_percent = Percent(below(101));
  memory.oom_kill_group = below(2);
  const auto low = memory.low_limit_percent->count();
  memory.wmark_ratio = Percent(100 - low);
  memory.wmark_min_adj = low % 76 - 25;
  memory.priority = low % 13;
  memory.priority_enable = low % 2;
  if (low > 50) memory.page_cache_limit_percent = memory.min_limit_percent;
  slo->qos.lsr.memory = slo->qos.ls.memory = slo->qos.be.memory = memory;
  slo->cpu_burst.policy = static_cast<BurstPolicy>(below(4));
  slo->evenkeel.batch_resources = chance(60);
  slo->evenkeel.cpu_normalization = low % 5 != 0;
  ratio_ = low % 3 != 0 ? std::optional(1 + static_cast<double>(low) / 100) : std::nullopt;
  slo->evenkeel.cpusets = chance(60);
  for (auto* one : {&slo->qos.lsr, &slo->qos.ls, &slo->qos.be}) {
    const auto some = part();
    one->resctrl = ResctrlQos{.enable = chance(60),
                              .cat_range_start_percent = some.start.value_or(Percent(0)),
                              .cat_range_end_percent = some.end.value_or(Percent(100)),
                              .mba_percent = some.bandwidth.value_or(Percent(100))};
    one->blkio = BlkioQos{chance(60), {block(), block()}};
    one->network = bandwidth();
  }
  slo->qos.net_qos_policy = static_cast<NetQosPolicy>(below(2));
  if (chance(50)) slo->system.min_free_kbytes_factor = 1 + below(200);
  if (chance(50)) slo->system.watermark_scale_factor = 1 + below(400);
  slo_ = slo;
}

void LeverLoop::everything_off() {
  slo_ = std::make_shared<NodeSlo>();
  slo_->evenkeel.batch_resources = slo_->evenkeel.cpusets = slo_->evenkeel.cpu_normalization = false;
  for (auto& pod : pods_) {  // an annotation enables it by itself
    pod.blocks.clear();
    pod.resctrl.clear();
  }
}

void LeverLoop::measure() {
  snapshot_.node.cpu_capacity = MilliCpu(8000);
  snapshot_.node.cpu_use = MilliCpu(below(8000));
  snapshot_.object.cpu_normalization_ratio = ratio_;
  const Bytes memory(4096 * kMiB);
  DiskMap disks;
  disks.devices = {{"sda", {*parse_device("8:0")}}};
  if (chance(90)) disks.devices.push_back({"sdb", {*parse_device("8:16")}});
  snapshot_.disks = std::make_shared<const DiskMap>(disks);
  snapshot_.resctrl = std::make_shared<const ResctrlSystem>(ResctrlSystem{
      .resources = {{.name = "MB",
                     .unit = ResctrlUnit::percent,
                     .full = 100,
                     .least = machine_.least_bandwidth,
                     .step = machine_.bandwidth_step,
                     .domains = {0, 1}},
                    {.name = "L3", .unit = ResctrlUnit::ways, .full = machine_.mask, .domains = {0, 1}}},
      .max_groups = machine_.max_groups});
  if (snapshot_.network == nullptr || chance(10))  // the uplink changes now and then
    snapshot_.network =
        std::make_shared<const NetworkLink>(chance(80) ? NetworkLink{"eth0", 7, BitRate(1000000000)}
                                                       : NetworkLink{"eth1", 9, BitRate(100000000)});
  snapshot_.network = chance(95) ? link_ : nullptr;
  snapshot_.node.memory = NodeMemory{memory, memory, {}, {}, {}};
  for (CpuId cpu = 0; cpu < 8; ++cpu)
    if (snapshot_.topology.cpus.size() < 8) snapshot_.topology.cpus.push_back({.id = cpu, .core = cpu});
  for (auto& sample : snapshot_.cgroups) {
    if (chance(90)) sample.cpu_use = MilliCpu(below(500));
    sample.throttling = Throttling{.periods = 10, .throttled_periods = below(4)};
    if (chance(90)) sample.memory.current = Bytes(kMiB * below(600));
  }
}

executor::Report LeverLoop::pass() {
  now += std::chrono::seconds(1);
  snapshot_ = observe();
  snapshot_.since_previous = std::chrono::seconds(1);
  per_cgroup::build_roster(tree(), std::make_shared<const std::vector<Pod>>(pods_), slo_, snapshot_);
  measure();
  intents_.clear();
  decide::decide_all(snapshot_, *slo_, state_, intents_);
  decide::arbitrate(snapshot_, *slo_, intents_, plan_);
  auto report = executor.apply(plan_, snapshot_, {});
  cache_.serve(intents_, now, report);
  queues_.serve(intents_, now, report);
  return report;
}

void LeverLoop::restore_all() {
  executor.restore_all(now);
  executor::Report report;
  cache_.restore_all(now, report);
  queues_.restore_all(now, report);
}

void LeverLoop::fail_writes(const std::string& path, int code) {
  kernel.fail_writes(path, code);
  resctrl_.fail_writes(path, code);
}

void LeverLoop::fail_reads(const std::string& path, int code) {
  kernel.fail_reads(path, code);
  resctrl_.fail_reads(path, code);
}

std::map<std::string, std::string> LeverLoop::files() {
  std::map<std::string, std::string> out;
  for (const auto* cgroup : tree().all())
    for (const auto& lever : knob_table()) {
      if (is_of_node(lever.knob) || kernel::file_name(lever.knob, tree().layout()).empty()) continue;
      const auto name = file_part(kernel::file_name(lever.knob, tree().layout()));
      const auto text = kernel.text(cgroup->path, name);
      if (text != "<missing>") out[cgroup->path + '/' + std::string(name)] = text;
    }
  for (const auto& [path, text] : kernel.node_files) out[path] = std::string(trimmed(text));
  out["sys/fs/resctrl"] = resctrl_.everything();
  out["net"] = network_.everything();
  return out;
}

std::map<std::string, std::string> LeverLoop::originals() { return born_; }

}  // namespace evenkeel::test
