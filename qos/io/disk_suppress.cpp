#include "qos/io/disk_suppress.h"

#include <algorithm>

#include "qos/io/policies.h"

namespace evenkeel::io {
namespace {

using Limit = DiskSuppressState::Limit;
using Useless = DiskSuppressState::Useless;

constexpr std::int64_t kWhole = 1000;
constexpr Duration kWindow = std::chrono::seconds(10);
/// After a change, until all stalls that a window begins with were read after it.
constexpr Duration kSettle = std::chrono::seconds(6);
constexpr Duration kLongestPause = std::chrono::minutes(16);
/// A service waits for a CPU for so much of the time. Where only CPU time is contended it does as well, but
/// then no disk is busy.
constexpr std::int64_t kServiceWaitsForCpu = 40;
/// Best effort waits for disks itself for so much of the time, and the disk is busy for so much.
constexpr std::int64_t kBesteffortWaits = 100, kDiskBusy = 500;
/// Of what the disk moves, where that is known: with less, best effort is not the reason.
constexpr std::int64_t kBesteffortPart = 300;
/// A service that waits for no more than this part of what it waited is relieved. One that waits for a CPU
/// only must gain more for what the limit costs best effort: where the CPUs have other work as well, a limit
/// that took 40 to 60 % of such waits away made no request faster (docs/measured-levers.md).
constexpr std::int64_t kRelieved = 700, kRelievedOfCpu = 333;
/// It waits longer if it waits for so much of the time more, and a quarter of what it waited.
constexpr std::int64_t kLonger = 5;
/// The limit grows by half, until it is so far above what the disk carried that it binds no longer: then it
/// is lifted. Lifted before, it would come back after another window in which services wait.
constexpr std::int64_t kLifted = 1500;
// Best effort always gets on.
constexpr Bytes kLeast{4 << 20}, kLeastOfOne{1 << 20};
constexpr std::int64_t kLeastRequests = 50, kLeastRequestsOfOne = 10;

/// The disk on which best effort is limited next. `moved`: by what it is chosen.
struct Candidate {
  Limit limit{};
  std::int64_t moved = 0;
};

/// Absent: it was not busy, or best effort hardly used it.
std::optional<Candidate> judge(const DiskUse& before, const DiskUse& now, Duration time) {
  const Bytes moved = now.moved - before.moved;
  const std::int64_t requests = now.requests - before.requests;
  if (moved <= Bytes{} || requests <= 0 || part_of_time(now.busy - before.busy, time) < kDiskBusy)
    return std::nullopt;
  Candidate out{.moved = moved.count()};
  if (now.besteffort_moved && before.besteffort_moved) {
    out.moved = (*now.besteffort_moved - *before.besteffort_moved).count();
    if (out.moved < scaled(moved.count(), kBesteffortPart, kWhole)) return std::nullopt;
  }
  const auto in_a_second = [&](std::int64_t done) { return scaled(done, std::nano::den, time.count()); };
  out.limit.disk = now.disk;
  out.limit.carried = Bytes(in_a_second(moved.count()));
  out.limit.carried_requests = in_a_second(requests);
  return out;
}

/// One tick with measurements.
class Round {
 public:
  Round(const NodeSnapshot& node, const DiskSuppressSettings& settings, DiskSuppressState& state)
      : node_(node), settings_(settings), state_(state) {}

  void watch() {
    if (!state_.measures) return begin_window();
    if (node_.at - state_.window.began < kWindow) return;
    stalls_of_services(node_, state_.now);
    if (!state_.limit)
      consider();
    else if (!state_.limit->has_helped)
      check();
    else
      adjust();
    begin_window();
  }

 private:
  void begin_window() {
    state_.measures = node_.at >= state_.next_window;
    if (!state_.measures) return;
    auto& window = state_.window;
    window.began = node_.at;
    stalls_of_services(node_, window.services);
    window.besteffort = stall_of(node_.cgroup(node_.besteffort));
    window.disks = node_.disk_use;
    window.disks_read = node_.disk_use_read.value_or(MonoTime{});
  }
  /// A change shows in a window that begins after it.
  void settle() { state_.next_window = node_.at + kSettle; }

  [[nodiscard]] std::optional<Waits> waited_by(CgroupId service) const {
    return waited(find(state_.window.services, service), find(state_.now, service));
  }

  void consider() {
    const auto besteffort = waited(state_.window.besteffort, stall_of(node_.cgroup(node_.besteffort)));
    if (!besteffort || besteffort->disks < kBesteffortWaits) return;
    state_.services.clear();
    std::int64_t most = 0;
    for (const ServiceStall& now : state_.now) {
      const auto waits = waited_by(now.cgroup);
      if (!waits) continue;
      const bool for_disks = waits->disks >= settings_.stall_percent.count() * 10;
      if (!for_disks && waits->cpu < kServiceWaitsForCpu) continue;
      RelievedService service{.cgroup = now.cgroup, .for_disks = for_disks};
      service.enough = scaled(service.part(*waits), for_disks ? kRelieved : kRelievedOfCpu, kWhole);
      state_.services.push_back(service);
      most = std::max(most, service.part(*waits));
    }
    if (state_.services.empty()) return;
    state_.limit = limit_on_busiest_disk();
    if (!state_.limit) return;
    state_.limit->share = settings_.first_percent.count() * 10;
    state_.limit->waited = Percent(most / 10);
    settle();
  }

  [[nodiscard]] std::optional<Limit> limit_on_busiest_disk() const {
    const Duration time = node_.disk_use_read.value_or(MonoTime{}) - state_.window.disks_read;
    if (!node_.disk_use_read || time < kShortestMeasure) return std::nullopt;
    std::optional<Candidate> best;
    for (const DiskUse& before : state_.window.disks) {
      const auto* useless = was_useless(before.disk);
      if (useless != nullptr && node_.at < useless->until) continue;
      const auto now = std::ranges::find(node_.disk_use, before.disk, &DiskUse::disk);
      const auto found = now == node_.disk_use.end() ? std::nullopt : judge(before, *now, time);
      if (found && (!best || found->moved > best->moved)) best = found;
    }
    return best ? std::optional(best->limit) : std::nullopt;
  }

  [[nodiscard]] static bool is_relieved(const RelievedService& service) {
    return service.relieved <= service.enough;
  }

  /// The first window with the limit: whom has it relieved?
  void check() {
    bool known = false;
    std::erase_if(state_.services, [&](RelievedService& service) {
      const auto waits = waited_by(service.cgroup);
      if (!waits) return true;
      known = true;
      service.relieved = service.part(*waits);
      return !is_relieved(service);
    });
    if (!state_.services.empty()) {
      state_.limit->has_helped = true;
      std::erase_if(state_.useless, [&](const Useless& u) { return u.disk == state_.limit->disk; });
      return;
    }
    // Where the services have gone it says nothing.
    if (known) leave_alone(state_.limit->disk);
    lift();
  }

  [[nodiscard]] Useless* was_useless(DiskNumber disk) const {
    const auto found = std::ranges::find(state_.useless, disk, &Useless::disk);
    return found == state_.useless.end() ? nullptr : &*found;
  }
  /// For some time, and the next time for longer.
  void leave_alone(DiskNumber disk) {
    if (auto* before = was_useless(disk)) {
      before->rest = std::min(2 * before->rest, Useless::kLongest);
      before->until = node_.at + before->rest;
      return;
    }
    std::erase_if(state_.useless, [&](const Useless& u) { return u.until + Useless::kLongest < node_.at; });
    state_.useless.push_back({.disk = disk, .until = node_.at + Useless::kShortest});
  }

  void adjust() {
    Limit& limit = *state_.limit;
    const std::int64_t first = settings_.first_percent.count() * 10;
    bool longer = false, known = false;
    for (RelievedService& service : state_.services) {
      const auto waits = waited_by(service.cgroup);
      if (!waits) continue;
      known = true;
      const std::int64_t part = service.part(*waits);
      if (limit.share <= first) service.relieved = part;  // its own load may have changed
      longer |= part > service.relieved + service.relieved / 4 + kLonger;
    }
    if (!known) return lift();
    // Whatever they wait for now, it is not this: looked at anew.
    if (limit.share <= first && std::ranges::none_of(state_.services, is_relieved)) return lift();
    if (longer) return shrink(first);
    if (node_.at < limit.next_step) return;
    limit.share += limit.share / 2;
    if (limit.share >= kLifted) return lift();
    settle();
  }

  void shrink(std::int64_t first) {
    Limit& limit = *state_.limit;
    limit.share = std::max(limit.share * 2 / 3, first);
    limit.next_step = node_.at + limit.pause;
    limit.pause = std::min(2 * limit.pause, kLongestPause);
    settle();
  }

  void lift() {
    state_.limit.reset();
    state_.services.clear();
    settle();
  }

  const NodeSnapshot& node_;
  const DiskSuppressSettings& settings_;
  DiskSuppressState& state_;
};

constexpr const char* kWhy =
    "best effort has {} of what this disk carried, in bytes and in requests: a service waited for disks or a "
    "CPU {} of the time beside it";

/// Directories of pods beside those of their containers. The process in one (`pause`) uses no disk. Pods of
/// which no listed container has a directory are left out: each of their directories may be a container's.
std::int64_t sandboxes_of_besteffort(const NodeSnapshot& node) {
  std::int64_t found = 0;
  for (const PodSample& pod : node.pods) {
    if (!node.is_within(pod.cgroup, node.besteffort)) continue;
    std::int64_t unlisted = 0, listed = 0;
    for (const ContainerSample& container : node.containers_of(pod)) {
      if (container.cgroup == kNoCgroup) continue;
      ++(container.spec == nullptr ? unlisted : listed);
    }
    if (listed > 0) found += unlisted;
  }
  return found;
}

/// Among how many cgroups the limit is divided: on v1 the kernel counts for each container by itself.
std::int64_t sharing(const NodeSnapshot& node, const CgroupSample& besteffort) {
  if (node.v2_io) return 1;
  std::int64_t containers = 0;
  for_each_bound(node, besteffort,
                 [&](const CgroupSample& cgroup) { containers += is_leaf(cgroup.kind) ? 1 : 0; });
  return std::max<std::int64_t>(containers - sandboxes_of_besteffort(node), 1);
}

void limit_besteffort(const NodeSnapshot& node, const CgroupSample& besteffort, const Limit& limit,
                      decide::Intents& out) {
  const std::int64_t parts = sharing(node, besteffort);
  const auto of_one = [&](std::int64_t carried, std::int64_t least, std::int64_t least_of_one) {
    return std::max(std::max(scaled(carried, limit.share, kWhole), least) / parts, least_of_one);
  };
  const std::int64_t bytes = of_one(limit.carried.count(), kLeast.count(), kLeastOfOne.count());
  const std::int64_t requests = of_one(limit.carried_requests, kLeastRequests, kLeastRequestsOfOne);
  const Reason why = because(kWhy, Percent(limit.share / 10), limit.waited);
  for_each_bound(node, besteffort, [&](const CgroupSample& cgroup) {
    const CgroupId target{cgroup.id.value, limit.disk};
    out.want(target, Knob::io_read_bps, bytes, why);
    out.want(target, Knob::io_write_bps, bytes, why);
    out.want(target, Knob::io_read_iops, requests, why);
    out.want(target, Knob::io_write_iops, requests, why);
  });
}

bool enabled(const NodeSlo& slo) { return slo.evenkeel.disk_suppress.enable; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, DiskSuppressState& state,
            DiskSuppressPolicy::Facts facts, decide::Intents& out) {
  const auto* besteffort = node.cgroup(node.besteffort);
  if (besteffort == nullptr || besteffort->hands_off) {
    state = {};
    return;
  }
  if (facts.read<decide::LeversOnTrial>().disk_suppression) {
    state.measures = false;
    state.next_window = node.at + kSettle;
  } else if (node.measured) {
    Round(node, slo.evenkeel.disk_suppress, state).watch();
  }
  if (state.limit) limit_besteffort(node, *besteffort, *state.limit, out);
}

}  // namespace

constinit const DiskSuppressPolicy disk_suppress_policy{
    {"disk-suppress", "what best effort may do on a disk for which services wait", enabled}, decide};

}  // namespace evenkeel::io
