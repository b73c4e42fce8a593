#include "tests/support/agents/owned_node.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "collectors/per_cgroup/roster.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using std::chrono::seconds;

constexpr const char* kBurstable = "kubepods.slice/kubepods-burstable.slice";
constexpr const char* kSandboxScope =
    "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podweb.slice/cri-containerd-sandbox.scope";
constexpr const char* kBesideSlice =
    "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podbeside.slice";

// In a minute, in one file. Burst moves a quota each second; the rest is what resets make necessary.
constexpr std::size_t kMostWritesOfBurst = 80, kMostOtherWrites = 30;

// A contested value is written after a minute. Best effort's memory.high has grown away within that time.
constexpr Duration kComesToRest = seconds(70);
constexpr int kLeftAlone = 130;

constexpr std::size_t kCpus = 8;

constexpr DiskNumber kDisk = (8U << 20U) | 16U;
constexpr const char* kDiskText = "8:16";
constexpr Bytes kReadLimit = 10_MiB;

bool is_bursts(const std::string& path) {
  const auto has = [&](const char* part) { return path.find(part) != std::string::npos; };
  return (has("podweb") || has("podpinned")) && (has("cpu.max") || has("cpu.cfs_"));
}

Pod pod_of(const char* uid, KubeQos kube, QosClass label) {
  Pod pod{.uid = uid, .namespace_ = "a", .name = uid, .kube_qos = kube, .label_qos = label};
  pod.phase = PodPhase::running;
  return pod;
}

Block block_of(const BlockIoConfig& io) { return {"/dev/sdb", BlockType::device, io}; }

}  // namespace

OwnedNode::OwnedNode(bool v2, Told told, unsigned seed)
    : ExecutorNode(v2, {}, false, true),
      v2_(v2),
      told_(told),
      by_cpuset_(seed % 2 == 1),
      normalized_(seed % 3 == 1),
      random_(seed),
      others_(seed + 1000),
      busy_(!normalized_) {
  kernel.disks.devices = {kDiskText};
  disks_ = std::make_shared<const DiskMap>(DiskMap{.devices = {{"sdb", {kDisk}}}});
  add_best_effort(kLentSlice, "lent");
  add_best_effort(kBesideSlice, "beside");
  for (const char* path : {kWebSlice, kSandboxScope, kPinnedSlice, kPinnedScope}) add(path);
  limit_ = asked_ = seen_by_kubelet_ = 2000_mcpu;
  for (const char* path : {kWebSlice, kPinnedSlice, kPinnedScope}) set_limit(path, limit_);
  add_pods();
  configure();
  for (const char* path : {"kubepods.slice", kBeSlice, kBurstable, kPodSlice, kCtrScope, kWebSlice,
                           kSandboxScope, kPinnedSlice, kPinnedScope})
    own(path);
  for (const auto& [slice, name] : {std::pair(kLentSlice, "lent"), std::pair(kBesideSlice, "beside")}) {
    own(slice);
    own(std::string(slice) + "/cri-containerd-" + name + ".scope");
  }
  EXPECT_TRUE(make_container());
  list();
}

void OwnedNode::add_best_effort(const std::string& pod, const std::string& container) {
  add(pod);
  kernel.other(pod, shares_file(), v2_ ? "1" : "2");  // as the kubelet does
  add(pod + "/cri-containerd-" + container + ".scope");
}

void OwnedNode::add_pods() {
  pods_ = {pod_of("lent", KubeQos::besteffort, QosClass::be), pod_of("1", KubeQos::besteffort, QosClass::be),
           pod_of("beside", KubeQos::besteffort, QosClass::ls),
           pod_of("web", KubeQos::burstable, QosClass::ls),
           pod_of("pinned", KubeQos::guaranteed, QosClass::lsr)};
  pods_[0].containers = {{.name = "lent", .id = "lent", .running = true}};
  pods_[0].containers[0].requests.batch_cpu = 2000_mcpu;
  pods_[0].containers[0].limits.batch_memory = 512_MiB;
  pods_[0].blocks = {block_of({.write_iops = 500})};
  pods_[1].containers = {{.name = "ctr", .id = "ctr", .running = true}};
  pods_[2].containers = {{.name = "beside", .id = "beside", .running = true}};
  pods_[4].containers = {{.name = "pinned", .id = "pinned", .running = true}};
  pods_[4].containers[0].limits.cpu = limit_;
  pods_[4].allocated_cpus = CpuSet::range(2, 3);
}

void OwnedNode::configure() {
  slo_->threshold.enable = true;
  slo_->threshold.cpu_suppress_policy = by_cpuset_ ? SuppressPolicy::cpuset : SuppressPolicy::cfs_quota;
  slo_->cpu_burst.policy = BurstPolicy::automatic;
  slo_->qos.be.cpu.enable = true;
  slo_->qos.be.blkio = BlkioQos{.enable = true, .blocks = {block_of({.read_bps = kReadLimit})}};
  slo_->qos.ls.memory = MemoryQos{.enable = true,
                                  .min_limit_percent = Percent(20),
                                  .low_limit_percent = Percent(50),
                                  .throttling_percent = Percent(80)};
  slo_->evenkeel.memory_push_back.enable = true;
}

void OwnedNode::pass() {
  now += seconds(1);
  const NodeSnapshot node = observed();
  decide::Intents intents;
  decide::decide_all(node, *slo_, state_, intents);
  decide::arbitrate(node, *slo_, intents, plan);
  const auto report = running_->apply(plan, node, seen);
  seen.clear();
  for (const auto& write : report.writes) writes_[write.path].push_back(now);
}

void OwnedNode::crash() {
  executor::restore_from_journal(kernel, journal);
  expect_all_is_the_owners("after kill -9 and restore");
  start_again();
}

void OwnedNode::stop() {
  running_->restore_all(now);
  expect_all_is_the_owners("after a stop");
  start_again();
}

void OwnedNode::expect_best_effort_is_limited() {
  const auto when = [this] { return "at " + std::to_string(now.time_since_epoch() / seconds(1)) + " s"; };
  if (!by_cpuset_) {
    EXPECT_NE(quota(kBeSlice), v2_ ? "max" : "-1") << when();
    return;
  }
  const CpuSet cpus = kernel.at(kBeSlice).cpus;
  EXPECT_TRUE(!cpus.empty() && cpus.size() < kCpus) << when() << " it has '" << cpus.text() << "'";
}

void OwnedNode::expect_few_writes() const {
  for (const auto& [path, times] : writes_) {
    const std::size_t most = is_bursts(path) ? kMostWritesOfBurst : kMostOtherWrites;
    for (std::size_t i = most; i < times.size(); ++i)
      ASSERT_GT(times[i] - times[i - most], seconds(60)) << path;
  }
}

void OwnedNode::expect_rest_when_left_alone() {
  const MonoTime at_rest = now + kComesToRest;
  for (int second = 0; second < kLeftAlone; ++second) pass();
  for (const auto& [path, times] : writes_)
    EXPECT_TRUE(is_bursts(path) || times.back() <= at_rest) << path << " is written again and again";
}

void OwnedNode::expect_all_policies_act() {
  const auto reads = reads_text(kReadLimit.count());
  EXPECT_EQ(kernel.text(kBeSlice, reads_file()), reads);
  EXPECT_EQ(kernel.text(kCtrScope, reads_file()), v2_ ? "" : reads) << "v1 is flat";
  if (v2_) {
    EXPECT_NE(kernel.text(kBeSlice, "memory.high"), "max");
  }
  if (told_ == Told::nothing) return;  // then no other policy knows a pod, but for burst
  EXPECT_EQ(kernel.text(kPodSlice, "cpu.idle"), "1");
  EXPECT_EQ(kernel.text(kLentSlice, shares_file()), v2_ ? "79" : "2048") << "for two CPUs";
  EXPECT_EQ(kernel.text(container_, "cpuset.cpus"), "0-1,4-7") << "without those of the pinned one";
  EXPECT_EQ(kernel.text(kPinnedScope, "cpuset.cpus"), "2-3");
  EXPECT_EQ(quota(kPinnedScope), v2_ ? "max" : "-1");
  if (normalized_) {
    EXPECT_EQ(kernel.text(container_, quota_file()), text_of(1600_mcpu));
  }
  if (!v2_) return;
  EXPECT_EQ(kernel.text(kLentSlice, "io.max"), "8:16 rbps=max wbps=max riops=max wiops=500");
  EXPECT_EQ(kernel.text(kWebSlice, "memory.low"), std::to_string((256_MiB).count()));
  EXPECT_NE(kernel.text(container_, "memory.high"), "max");
}

std::string OwnedNode::reads_text(std::int64_t limit) const {
  if (limit == 0) return "";
  const auto number = std::to_string(limit);
  return v2_ ? "8:16 rbps=" + number + " wbps=max riops=max wiops=max" : "8:16 " + number;
}

std::string OwnedNode::text_of(MilliCpu limit) const {
  return std::to_string(quota_for(limit, kPeriod).count()) + (v2_ ? " 100000" : "");
}

std::string OwnedNode::quota(const std::string& path) {
  const auto text = kernel.text(path, quota_file());
  return text.substr(0, text.find(' '));
}

int OwnedNode::set_limit(const std::string& path, MilliCpu limit) {
  return kernel.other(path, quota_file(), text_of(limit));
}

/// The list says what the kubelet has carried out, and what it is still asked for.
void OwnedNode::list() {
  if (told_ != Told::nothing) list_web();
  pod_list_ = std::make_shared<const std::vector<Pod>>(told_ == Told::nothing ? std::vector<Pod>{} : pods_);
}

void OwnedNode::list_web() {
  Pod& pod = pods_[3];
  if (told_ == Told::containers_limit) {
    pod.containers[0].limits.cpu = limit_;
    pod.containers[0].pending_cpu_limit = asked_ == limit_ ? std::nullopt : std::optional(asked_);
    return;
  }
  const bool pending = deferred_ > 0 || (asked_ != limit_ && asked_ > seen_by_kubelet_);
  pod.pod_level_limits.cpu = pending ? std::min(asked_, seen_by_kubelet_) : asked_;
  pod.pending_pod_level_cpu = pending ? std::optional(asked_) : std::nullopt;
}

NodeSnapshot OwnedNode::observed() {
  NodeSnapshot node = observe();
  node.since_previous = seconds(1);
  per_cgroup::build_roster(tree(), pod_list_, slo_, node);
  node.disks = disks_;
  if (normalized_) node.object.cpu_normalization_ratio = kRatio;
  node.node.cpu_capacity = 8000_mcpu;
  node.node.cpu_use = 3000_mcpu;
  node.node.memory = NodeMemory{.total = 16384_MiB, .available = short_of_memory_ ? 512_MiB : 8192_MiB};
  for (CpuId cpu = 0; cpu < static_cast<CpuId>(kCpus); ++cpu)
    node.topology.cpus.push_back({.id = cpu, .core = cpu});
  for (auto& sample : node.cgroups) {
    sample.cpu_use = 500_mcpu;
    sample.memory.current = 128_MiB;
    sample.memory.anonymous = 110_MiB;
    sample.throttling = Throttling{.periods = 10, .throttled_periods = busy_ ? 3 : 0};
    if (v2_)
      sample.applied.cpus_effective =
          CpuSet::parse(kernel.text(std::string(sample.path), "cpuset.cpus.effective"));
  }
  return node;
}

/// A second or two for one that the list tells; without a list it is told by nobody (docs/levers.md).
int OwnedNode::longest_wait() const { return told_ == Told::nothing ? 3600 + 60 : 2; }

void OwnedNode::expect_all_is_the_owners(const char* when) {
  for (const Owned& one : owned_)
    EXPECT_EQ(kernel.text(one.path, one.file), one.text) << when << ": " << one.path << "/" << one.file;
  for (const std::string& path : {std::string(kWebSlice), container_}) {
    if (!kernel.has(path)) continue;
    // A smaller limit of the whole pod counts from the spec on.
    const bool shrinks = told_ == Told::pods_limit && asked_ < limit_;
    const auto text = kernel.text(path, quota_file());
    EXPECT_TRUE(text == text_of(limit_) || (shrinks && text == text_of(asked_)))
        << when << ": " << path << " has " << text << ", not " << text_of(limit_);
  }
  EXPECT_EQ(journal.size(), 0U) << when;
}

void OwnedNode::start_again() {
  running_holder_.emplace(tree(), kernel, journal, executor::ExecutorOptions{});
  running_ = &*running_holder_;
  state_ = {};
}

}  // namespace evenkeel::test
