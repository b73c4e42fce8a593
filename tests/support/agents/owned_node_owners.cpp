// What the owners of the files do: one table of files with the texts that their owners gave them, and the
// processes that write them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "qos/cpu/burst/burst.h"
#include "tests/support/agents/owned_node.h"

namespace evenkeel::test {
namespace {

using namespace literals;

tree::Writer systemd() { return {1, "systemd"}; }
tree::Writer kubelet() { return {77, "kubelet"}; }
tree::Writer runc() { return {78, "runc"}; }

/// Best effort never gets exactly these, and nobody gets them from the policy "cpusets".
constexpr std::array kCpuSets{"5", "6", "5-6", "1,5"};
/// The agent sets other limits. 0: none.
constexpr std::array<std::int64_t, 3> kReadLimits{1048576, 2097152, 0};
constexpr std::array kMemoryHighs{"734003200", "1048576000", "max"};

template <class T, std::size_t kSize>
const T& one_of(const std::array<T, kSize>& all, std::mt19937& random) {
  return all[random() % kSize];
}

/// systemd sets these for a unit, those of memory and CPU sets only on v2, and a CPU set only if it has one:
/// the kernel refuses to empty that of a group with processes.
bool is_property(const std::string& file, const std::string& text, bool v2) {
  if (file == "cpuset.cpus") return v2 && !text.empty();
  return file == "cpu.idle" || file == "cpu.weight" || file == "cpu.shares" ||
         (v2 && file.starts_with("memory."));
}

}  // namespace

void OwnedNode::owners_act() {
  others_act();
  if (!web_runs() && !make_container()) {
    ADD_FAILURE() << "the kernel refuses the new container its quota, again";
    return;
  }
  if (chance(10)) systemd_resets_quota(kBeSlice);
  if (chance(3)) daemon_reload();
  if (asked_ == limit_ && chance(4)) ask_for_another_limit();
  resize_if_asked();
  // The kubelet makes a container anew with the limit that is asked for: no resize is left then.
  if (chance(2) && (asked_ == limit_ || told_ == Told::nothing)) restart_container();
  if (chance(5)) busy_ = below(100) < 50;
  if (chance(30)) seen_by_kubelet_ = MilliCpu(std::stoll(quota(kWebSlice)) / 100);
  list();
}

/// With dice of their own.
void OwnedNode::others_act() {
  const auto happens = [this](unsigned percent) { return others_() % 100 < percent; };
  if (happens(3)) write_cpus(kPinnedScope);
  if (happens(3) && web_runs()) write_cpus(container_);
  if (happens(3) && v2_) write_cpus(kCtrScope);  // on v1 its pod may have become smaller
  for (const char* path : {kBeSlice, kLentSlice, kCtrScope})
    if (happens(2)) write_reads(path);
  if (happens(3) && v2_ && web_runs()) write_memory_high();
  // A runtime writes all limits of a container again when one of them changes.
  if (told_ != Told::nothing && happens(1))
    write_as_runc(kPinnedScope, quota_file(), text_of(2000_mcpu), text_of(2000_mcpu));
  if (happens(2)) restart_batch_container();
  if (happens(5)) short_of_memory_ = happens(50);
}

/// From now on what the files hold, without quotas of "web", is the owner's.
void OwnedNode::own(const std::string& path) {
  for (const char* file :
       {"cpu.idle", shares_file(), quota_file(), v2_ ? "cpu.max.burst" : "cpu.cfs_burst_us", "memory.min",
        "memory.low", "memory.high", v2_ ? "memory.max" : "memory.limit_in_bytes", "cpuset.cpus",
        reads_file(), "blkio.throttle.write_iops_device"}) {
    const bool resized = path.starts_with(kWebSlice) && std::string_view(file) == quota_file();
    const bool copied =
        !v2_ && std::string_view(file) == "cpuset.cpus";  // from what the agent may hold narrow
    const auto text = copied ? "0-7" : kernel.text(path, file);
    if (!resized && text != "<missing>") owned_.push_back({path, file, text});
  }
}

void OwnedNode::disown(const std::string& path) {
  std::erase_if(owned_, [&](const Owned& one) { return one.path == path; });
}

/// Another process writes an order, after which the file holds the owner's text. One that the file holds
/// already tells the agent nothing, and one that the kernel refuses does not count.
void OwnedNode::write_as_runc(const std::string& path, const char* file, const std::string& order,
                              const std::string& text) {
  const auto one = std::ranges::find_if(
      owned_, [&](const Owned& owned) { return owned.path == path && owned.file == file; });
  if (one == owned_.end() || kernel.text(path, file) == text || kernel.other(path, file, order) != 0) return;
  one->text = text;
  seen.push_back({id(path), file, runc()});
}

void OwnedNode::write_cpus(const std::string& path) {
  const char* const cpus = one_of(kCpuSets, others_);
  write_as_runc(path, "cpuset.cpus", cpus, cpus);
}

void OwnedNode::write_reads(const std::string& path) {
  const auto limit = one_of(kReadLimits, others_);
  const auto number = v2_ && limit == 0 ? std::string("max") : std::to_string(limit);
  write_as_runc(path, reads_file(), (v2_ ? "8:16 rbps=" : "8:16 ") + number, reads_text(limit));
}

void OwnedNode::write_memory_high() {
  const char* const high = one_of(kMemoryHighs, others_);
  write_as_runc(container_, "memory.high", high, high);
}

/// False: the kernel refuses the quota, and the runtime takes the directory away again. On v1 a pod may have
/// less at this moment than the container's limit.
bool OwnedNode::make_container() {
  const std::string name = "web" + std::to_string(containers_++);
  container_ = kWebSlice;
  container_ += "/cri-containerd-" + name + ".scope";
  add(container_);
  if (set_limit(container_, limit_) != 0) {
    remove(container_);
    return false;
  }
  own(container_);
  Container web{.name = "web", .id = name, .running = true};
  web.requests.memory = 512_MiB;
  web.limits.memory = 1024_MiB;
  pods_[3].containers = {web};
  return true;
}

void OwnedNode::restart_container() {
  disown(container_);
  remove(container_);
  make_container();
}

/// On v1 its CPU set is a copy of its pod's, which the agent may hold narrow.
void OwnedNode::restart_batch_container() {
  disown(kCtrScope);
  remove(kCtrScope);
  add(kCtrScope);
  own(kCtrScope);
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
  // On v1 the kernel refuses one between the divided limit and the whole one (docs/policies.md).
  const bool above_divided = told_ == Told::pods_limit && !v2_ && normalized_ && asked_ < limit_ &&
                             quota_for(asked_, kPeriod) > burst::divided(quota_for(limit_, kPeriod), kRatio);
  if (above_divided) asked_ = 100_mcpu;
  if (told_ == Told::pods_limit && asked_ > limit_) deferred_ = below(30);
}

/// systemd writes what its unit says: the kubelet's quota for a pod, none for the BestEffort slice.
void OwnedNode::systemd_resets_quota(const std::string& unit) {
  if (unit.starts_with(kWebSlice)) {
    if (!kernel.has(unit) || set_limit(unit, limit_) != 0) return;  // v1: a container may have more now
  } else {
    for (const Owned& one : owned_)
      if (one.path == unit && one.file == quota_file() && kernel.other(unit, quota_file(), one.text) != 0)
        return;
  }
  seen.push_back({id(unit), quota_file(), systemd()});
}

/// And the other properties of its groups.
void OwnedNode::systemd_resets(const std::string& unit) {
  systemd_resets_quota(unit);
  for (const Owned& one : owned_) {
    if (one.path != unit || !is_property(one.file, one.text, v2_)) continue;
    kernel.other(unit, one.file, one.text);  // cpu.idle first: an idle group takes no weight
    seen.push_back({id(unit), one.file, systemd()});
  }
}

void OwnedNode::daemon_reload() {
  for (const std::string& unit : {std::string(kBeSlice), std::string(kPodSlice), std::string(kLentSlice),
                                  std::string(kWebSlice), container_})
    systemd_resets(unit);
  if (told_ == Told::nothing) return;  // then burst guards the quota of "pinned" as that of "web"
  for (const char* unit : {kPinnedSlice, kPinnedScope}) systemd_resets(unit);
}

void OwnedNode::resize_if_asked() {
  deferred_ = std::max(0, deferred_ - 1);
  // Where no list tells, the kubelet's pause between two attempts counts.
  const bool attempts = deferred_ == 0 && (told_ != Told::nothing || waiting_ % 60 == 0);
  if (asked_ != limit_ && attempts) resize();
  waiting_ = asked_ == limit_ || deferred_ > 0 ? 0 : waiting_ + 1;
  EXPECT_LE(waiting_, longest_wait()) << "the kubelet's resize is refused for so many seconds";
}

/// The kubelet's order: up, the pod first; down, the container first. What the kernel refuses is repeated.
void OwnedNode::resize() {
  const bool up = asked_ > limit_;
  for (const std::string& path : up ? std::array<std::string, 2>{kWebSlice, container_}
                                    : std::array<std::string, 2>{container_, kWebSlice}) {
    if (set_limit(path, asked_) != 0) return;
    seen.push_back({id(path), quota_file(), path == container_ ? runc() : kubelet()});
  }
  limit_ = seen_by_kubelet_ = asked_;
  ++resizes_;
}

}  // namespace evenkeel::test
