#include "tests/support/agents/owned_node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "collectors/per_cgroup/roster.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using std::chrono::seconds;

constexpr const char* kBurstable = "kubepods.slice/kubepods-burstable.slice";
constexpr const char* kWebSlice = "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podweb.slice";
constexpr const char* kLentSlice =
    "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podlent.slice";
constexpr const char* kBesideSlice =
    "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podbeside.slice";

// In a minute, in one file. Burst moves a quota each second; the rest is what resets make necessary.
constexpr std::size_t kMostWritesOfBurst = 80, kMostOtherWrites = 30;

constexpr Duration kPeriod = std::chrono::milliseconds(100);

bool is_bursts(const std::string& path) {
  const auto has = [&](const char* part) { return path.find(part) != std::string::npos; };
  return has("podweb") && (has("cpu.max") || has("cpu.cfs_"));
}

Pod pod_of(const char* uid, KubeQos kube, QosClass label) {
  Pod pod{.uid = uid, .namespace_ = "a", .name = uid, .kube_qos = kube, .label_qos = label};
  pod.phase = PodPhase::running;
  return pod;
}

}  // namespace

OwnedNode::OwnedNode(bool v2, Told told, unsigned seed)
    : ExecutorNode(v2, {}, false, true), v2_(v2), told_(told), random_(seed) {
  add_best_effort(kLentSlice, "lent");
  add_best_effort(kBesideSlice, "beside");
  add(kWebSlice);
  pods_ = {pod_of("lent", KubeQos::besteffort, QosClass::be), pod_of("1", KubeQos::besteffort, QosClass::be),
           pod_of("beside", KubeQos::besteffort, QosClass::ls),
           pod_of("web", KubeQos::burstable, QosClass::ls)};
  pods_[0].containers = {{.name = "lent", .id = "lent", .running = true}};
  pods_[0].containers[0].requests.batch_cpu = 2000_mcpu;
  pods_[0].containers[0].limits.batch_memory = 512_MiB;
  pods_[1].containers = {{.name = "ctr", .id = "ctr", .running = true}};
  pods_[2].containers = {{.name = "beside", .id = "beside", .running = true}};
  slo_->threshold.enable = true;
  slo_->threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
  slo_->cpu_burst.policy = BurstPolicy::automatic;
  slo_->qos.be.cpu.enable = true;
  slo_->qos.ls.memory = MemoryQos{.enable = true,
                                  .min_limit_percent = Percent(20),
                                  .low_limit_percent = Percent(50),
                                  .throttling_percent = Percent(80)};
  for (const char* path : {"kubepods.slice", kBeSlice, kBurstable, kPodSlice, kCtrScope, kWebSlice})
    own(path);
  for (const auto& [slice, name] : {std::pair(kLentSlice, "lent"), std::pair(kBesideSlice, "beside")}) {
    own(slice);
    own(std::string(slice) + "/cri-containerd-" + name + ".scope");
  }
  limit_ = asked_ = seen_by_kubelet_ = 2000_mcpu;
  set_web(kWebSlice, limit_);
  make_container();
  list();
}

void OwnedNode::owners_act() {
  if (chance(10)) systemd_resets_quota(kBeSlice);
  if (chance(3)) daemon_reload();
  if (asked_ == limit_ && chance(4)) ask_for_another_limit();
  deferred_ = std::max(0, deferred_ - 1);
  // Where no list tells, the kubelet's pause between two attempts counts.
  const bool attempts = deferred_ == 0 && (told_ != Told::nothing || waiting_ % 60 == 0);
  if (asked_ != limit_ && attempts) resize();
  waiting_ = asked_ == limit_ || deferred_ > 0 ? 0 : waiting_ + 1;
  EXPECT_LE(waiting_, longest_wait()) << "the kubelet's resize is refused for so many seconds";
  if (chance(2)) restart_container();
  if (chance(5)) busy_ = below(100) < 50;
  if (chance(30)) seen_by_kubelet_ = MilliCpu(std::stoll(quota(kWebSlice)) / 100);
  list();
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
  EXPECT_NE(quota(kBeSlice), v2_ ? "max" : "-1") << "at " << now.time_since_epoch() / seconds(1) << " s";
}

void OwnedNode::expect_few_writes() const {
  for (const auto& [path, times] : writes_) {
    const std::size_t most = is_bursts(path) ? kMostWritesOfBurst : kMostOtherWrites;
    for (std::size_t i = most; i < times.size(); ++i)
      ASSERT_GT(times[i] - times[i - most], seconds(60)) << path;
  }
}

void OwnedNode::expect_all_policies_act() {
  if (told_ == Told::nothing) return;  // then nothing but suppression and burst knows a pod
  EXPECT_EQ(kernel.text(kPodSlice, "cpu.idle"), "1");
  EXPECT_EQ(kernel.text(kLentSlice, shares_file()), v2_ ? "79" : "2048") << "for two CPUs";
  if (!v2_) return;
  EXPECT_EQ(kernel.text(kWebSlice, "memory.low"), std::to_string((256_MiB).count()));
  EXPECT_NE(kernel.text(container_, "memory.high"), "max");
}

std::string OwnedNode::text_of(MilliCpu limit) const {
  return std::to_string(quota_for(limit, kPeriod).count()) + (v2_ ? " 100000" : "");
}

std::string OwnedNode::quota(const std::string& path) {
  const auto text = kernel.text(path, quota_file());
  return text.substr(0, text.find(' '));
}

int OwnedNode::set_web(const std::string& path, MilliCpu limit) {
  return kernel.other(path, quota_file(), text_of(limit));
}

void OwnedNode::add_best_effort(const std::string& pod, const std::string& container) {
  add(pod);
  kernel.other(pod, shares_file(), v2_ ? "1" : "2");  // as the kubelet does
  add(pod + "/cri-containerd-" + container + ".scope");
}

/// From now on what the files hold, without quotas of "web", is the owner's.
void OwnedNode::own(const std::string& path) {
  for (const char* file : {"cpu.idle", shares_file(), quota_file(), "memory.min", "memory.low", "memory.high",
                           v2_ ? "memory.max" : "memory.limit_in_bytes"}) {
    const bool resized = path.starts_with(kWebSlice) && std::string_view(file) == quota_file();
    const auto text = kernel.text(path, file);
    if (!resized && text != "<missing>") owned_.push_back({path, file, text});
  }
}

void OwnedNode::make_container() {
  const std::string name = "web" + std::to_string(containers_++);
  container_ = std::string(kWebSlice) + "/cri-containerd-" + name + ".scope";
  add(container_);
  set_web(container_, limit_);
  own(container_);
  Container web{.name = "web", .id = name, .running = true};
  web.requests.memory = 512_MiB;
  web.limits.memory = 1024_MiB;
  pods_[3].containers = {web};
}

void OwnedNode::restart_container() {
  std::erase_if(owned_, [this](const Owned& one) { return one.path == container_; });
  remove(container_);
  make_container();
}

/// Now and then the new limit happens to be what burst has set. Without a list that cannot be told from
/// burst's own, so there it is below the limit or above all that burst may set.
void OwnedNode::ask_for_another_limit() {
  if (told_ == Told::nothing) {
    const MilliCpu above = MilliCpu(3 * limit_.count() + 100 * (1 + below(10)));
    const bool up = limit_ <= 200_mcpu || (above < 20000_mcpu && chance(50));
    asked_ = up ? above : MilliCpu(100 * (1 + below(static_cast<int>(limit_.count() / 100) - 1)));
    return;
  }
  const MilliCpu some(100 * (1 + below(40)));
  asked_ = chance(50) ? MilliCpu(std::stoll(quota(container_)) / 100) : some;
  // On v1 a pod cannot get a quota below that of its raised container, and no list tells to make room.
  const MilliCpu above(3 * limit_.count() + 100);
  const bool in_range = told_ == Told::pods_limit && !v2_ && asked_ > limit_ && asked_ < above;
  if (in_range) asked_ = above < 20000_mcpu ? above : 100_mcpu;
  if (told_ == Told::pods_limit && asked_ > limit_) deferred_ = below(30);
}

/// systemd writes what its unit says: the kubelet's quota for a pod, none for the BestEffort slice.
void OwnedNode::systemd_resets_quota(const std::string& unit) {
  const bool web = unit.starts_with(kWebSlice);
  if (web && set_web(unit, limit_) != 0) return;  // v1: a container may have more at this moment
  if (!web) kernel.other(unit, quota_file(), v2_ ? "max 100000" : "-1");
  seen.push_back({id(unit), quota_file(), {1, "systemd"}});
}

/// And the other properties of its groups: those of memory only on v2.
void OwnedNode::systemd_resets(const std::string& unit) {
  systemd_resets_quota(unit);
  for (const Owned& one : owned_) {
    const bool memory = one.file.starts_with("memory.");
    if (one.path != unit || one.file == quota_file() || (memory && !v2_)) continue;
    kernel.other(unit, one.file, one.text);  // cpu.idle first: an idle group takes no weight
    seen.push_back({id(unit), one.file, {1, "systemd"}});
  }
}

void OwnedNode::daemon_reload() {
  for (const std::string& unit : {std::string(kBeSlice), std::string(kPodSlice), std::string(kLentSlice),
                                  std::string(kWebSlice), container_})
    systemd_resets(unit);
}

/// The kubelet's order: up, the pod first; down, the container first. What the kernel refuses is repeated.
void OwnedNode::resize() {
  const bool up = asked_ > limit_;
  for (const std::string& path : up ? std::array<std::string, 2>{kWebSlice, container_}
                                    : std::array<std::string, 2>{container_, kWebSlice}) {
    if (set_web(path, asked_) != 0) return;
    seen.push_back({id(path), quota_file(), {77, path == container_ ? "runc" : "kubelet"}});
  }
  limit_ = seen_by_kubelet_ = asked_;
  ++resizes_;
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
  pod.pod_level_limits.cpu = std::min(asked_, seen_by_kubelet_);
  const bool pending = deferred_ > 0 || asked_ > seen_by_kubelet_;
  pod.pending_pod_level_cpu = pending ? std::optional(asked_) : std::nullopt;
}

NodeSnapshot OwnedNode::observed() {
  NodeSnapshot node = observe();
  node.since_previous = seconds(1);
  per_cgroup::build_roster(tree(), pod_list_, slo_, node);
  node.node.cpu_capacity = 8000_mcpu;
  node.node.cpu_use = 3000_mcpu;
  node.node.memory = NodeMemory{.total = 16384_MiB, .available = 8192_MiB};
  for (CpuId cpu = 0; cpu < 8; ++cpu) node.topology.cpus.push_back({.id = cpu, .core = cpu});
  for (auto& sample : node.cgroups) {
    sample.cpu_use = 500_mcpu;
    sample.memory.current = 128_MiB;
    sample.throttling = Throttling{.periods = 10, .throttled_periods = busy_ ? 3 : 0};
  }
  return node;
}

/// A second or two for one that the list tells; without a list it is told by nobody (docs/levers.md).
int OwnedNode::longest_wait() const { return told_ == Told::nothing ? 3600 + 60 : 2; }

void OwnedNode::expect_all_is_the_owners(const char* when) {
  for (const Owned& one : owned_)
    EXPECT_EQ(kernel.text(one.path, one.file), one.text) << when << ": " << one.path << "/" << one.file;
  for (const std::string& path : {std::string(kWebSlice), container_}) {
    // A smaller limit of the whole pod counts from the spec on.
    const bool shrinks = told_ == Told::pods_limit && asked_ < limit_;
    const auto text = kernel.text(path, quota_file());
    EXPECT_TRUE(text == text_of(limit_) || (shrinks && text == text_of(asked_)))
        << when << ": " << path << " has " << text << ", not " << text_of(limit_);
    EXPECT_EQ(kernel.at(path).burst_us, 0) << when << ": " << path;
  }
  EXPECT_EQ(journal.size(), 0U) << when;
}

void OwnedNode::start_again() {
  running_holder_.emplace(tree(), kernel, journal, executor::ExecutorOptions{});
  running_ = &*running_holder_;
  state_ = {};
}

}  // namespace evenkeel::test
