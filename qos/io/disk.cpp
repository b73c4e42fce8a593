#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "qos/io/policies.h"

namespace evenkeel::io {
namespace {

constexpr Duration kMountedBy = std::chrono::seconds(30);
constexpr const char* kWhyUnknown = "it is not known to which disk this name resolves now";
constexpr const char* kWhyCut =
    "best effort has {} of its limit of {} a second on this disk: a service missed its target and waited for "
    "disks";

/// A limit of a block; 0 and absent are "none".
struct Limit {
  Knob knob;
  std::optional<std::int64_t> (*number)(const BlockIoConfig&);
  const char* of_class;
  const char* of_pod;
  bool is_bytes;
};
template <auto Member>
std::optional<std::int64_t> bytes(const BlockIoConfig& io) {
  return io.*Member ? std::optional((io.*Member)->count()) : std::nullopt;
}
template <auto Member>
std::optional<std::int64_t> plain(const BlockIoConfig& io) {
  return io.*Member;
}
using Io = BlockIoConfig;
constexpr std::array<Limit, 4> kLimits = {{
    {Knob::io_read_bps, bytes<&Io::read_bps>, "best effort may read {} a second from this disk",
     "the pod's annotation lets it read {} a second from this disk", true},
    {Knob::io_write_bps, bytes<&Io::write_bps>, "best effort may write {} a second to this disk",
     "the pod's annotation lets it write {} a second to this disk", true},
    {Knob::io_read_iops, plain<&Io::read_iops>, "best effort may read {} times a second from this disk",
     "the pod's annotation lets it read {} times a second from this disk", false},
    {Knob::io_write_iops, plain<&Io::write_iops>, "best effort may write {} times a second to this disk",
     "the pod's annotation lets it write {} times a second to this disk", false},
}};
constexpr std::array<Knob, 6> kKnobs = {Knob::io_read_bps,   Knob::io_write_bps, Knob::io_read_iops,
                                        Knob::io_write_iops, Knob::io_weight,    Knob::io_bfq_weight};

/// One tick.
class Round {
 public:
  /// `share`: of its limits that best effort may have.
  Round(const NodeSnapshot& node, Percent share, BlkioState& state, decide::Intents& out)
      : node_(node), share_(share), state_(state), out_(out) {
    ++state_.round;
  }

  void decide(const NodeSlo& slo) {
    const auto &blkio = slo.qos.be.blkio, &root = slo.qos.cgroup_root_blkio;
    if (blkio && blkio->enable) serve(node_.cgroup(node_.besteffort), blkio->blocks, nullptr);
    if (root && root->enable && !slo.evenkeel.hands_off)
      for (const auto& block : root->blocks) keep_cost(block);
    for (const auto& pod : node_.pods)
      if (is_active(*pod.spec)) {
        serve(node_.cgroup(pod.cgroup), pod.spec->blocks, pod.spec);
        protect(pod, latency_blocks(*pod.spec, slo));
      }
    std::erase_if(state_.blocks, [&](const BlkioState::Known& k) { return k.round != state_.round; });
  }

 private:
  void serve(const CgroupSample* cgroup, const std::vector<Block>& blocks, const Pod* pod) {
    if (cgroup == nullptr || cgroup->hands_off) return;
    for (const auto& block : blocks) serve(*cgroup, block, pod);
  }

  void serve(const CgroupSample& cgroup, const Block& block, const Pod* pod) {
    const auto& known = resolved(cgroup.id, block, pod);
    const bool unknown = known.unresolved || node_.disks == nullptr;
    for_each_bound(node_, cgroup, [&](const CgroupSample& bound) {
      if (unknown) return hold(bound.id, known.disks);
      for (const auto disk : known.disks) want(bound, disk, block.io, pod != nullptr);
    });
  }

  /// io.latency throttles a cgroup's siblings only: so every cgroup from the pod up to the children of
  /// kubepods has the target, and the shortest counts where several have one.
  void protect(const PodSample& pod, std::span<const Block> blocks) {
    const auto* own = node_.cgroup(pod.cgroup);
    if (own == nullptr || own->hands_off) return;
    for (const auto& block : blocks) {
      if (!has_target(block)) continue;
      const bool of_pod = blocks.data() == pod.spec->blocks.data();
      const auto& known = of_pod ? resolved(own->id, block, pod.spec) : resolved(kNodeItself, block, nullptr);
      const bool unknown = known.unresolved || node_.disks == nullptr;
      for (auto at = pod.cgroup; at != kNoCgroup && at != node_.kubepods; at = node_.cgroup(at)->parent)
        for (const auto disk : known.disks)
          keep_latency(*node_.cgroup(at), disk, *block.io.latency_target_us, unknown);
    }
  }

  void keep_latency(const CgroupSample& cgroup, DiskNumber disk, std::int64_t target_us, bool unknown) {
    if (cgroup.hands_off || !has(cgroup.id, Knob::io_latency)) return;
    const CgroupId target{cgroup.id.value, disk};
    if (unknown) return out_.hold(target, Knob::io_latency, because(kWhyUnknown));
    out_.want(target, Knob::io_latency, target_us,
              because("requests of services to this disk should take at most {} us: cgroups with a longer "
                      "target or none are throttled",
                      target_us));
  }

  /// The io.cost parameters of this disk.
  void keep_cost(const Block& block) {
    const auto& known = resolved(kNodeItself, block, nullptr);
    const bool unknown = known.unresolved || node_.disks == nullptr;
    for (const auto disk : known.disks) {
      const auto& settings = out_.costs().settings();
      const bool named = std::ranges::any_of(settings, [&](const auto& w) { return w.cost.disk == disk; });
      if (named) continue;  // the first block that names a disk is the one that counts
      if (unknown) {
        out_.costs().hold(disk);
      } else {
        out_.costs().want(
            cost_of(disk, block.io),
            because("cgroupRoot: the cost model shares this disk by weight and keeps to its targets"));
      }
    }
  }

  static decide::DiskCost cost_of(DiskNumber disk, const BlockIoConfig& io) {
    decide::DiskCost out{.disk = disk};
    if (io.read_latency_percent) out.read_percent = io.read_latency_percent->count();
    if (io.write_latency_percent) out.write_percent = io.write_latency_percent->count();
    out.read_latency_us = io.read_latency_us.value_or(out.read_latency_us);
    out.write_latency_us = io.write_latency_us.value_or(out.write_latency_us);
    out.own_model = io.enable_user_model.value_or(false);
    if (!out.own_model) return out;
    out.model = {io.model_read_bps.value_or(Bytes{}).count(), io.model_read_seq_iops.value_or(0),
                 io.model_read_rand_iops.value_or(0),         io.model_write_bps.value_or(Bytes{}).count(),
                 io.model_write_seq_iops.value_or(0),         io.model_write_rand_iops.value_or(0)};
    return out;
  }

  /// The disks of the block's name now; the earlier ones while that is unknown.
  const BlkioState::Known& resolved(CgroupId cgroup, const Block& block, const Pod* pod) {
    auto& known = remembered(cgroup, block);
    known.round = state_.round;
    if (node_.disks == nullptr) return known;
    const auto disks = node_.disks->disks_of(block, pod);
    if (disks.empty()) {
      if (!known.unresolved) known.unresolved = node_.at;
      return known;
    }
    known.unresolved.reset();
    known.reported = false;
    if (!std::ranges::equal(known.disks, disks)) known.disks.assign(disks.begin(), disks.end());
    return known;
  }

  /// Blocks come in the order of the tick before, so mostly it is the next one: thousands of them, which pods
  /// may have, cost no search each.
  BlkioState::Known& remembered(CgroupId cgroup, const Block& block) {
    auto& blocks = state_.blocks;
    for (std::size_t step = 0; step < blocks.size(); ++step) {
      const std::size_t place = (next_ + step) % blocks.size();
      BlkioState::Known& k = blocks[place];
      if (k.cgroup != cgroup || k.type != block.type || k.name != block.name) continue;
      next_ = place + 1;
      return k;
    }
    return blocks.emplace_back(BlkioState::Known{.cgroup = cgroup, .name = block.name, .type = block.type});
  }

  /// Limits on these disks stay as they are: the name may resolve to them again.
  void hold(CgroupId cgroup, std::span<const DiskNumber> disks) {
    for (const auto disk : disks)
      for (const auto knob : kKnobs) out_.hold({cgroup.value, disk}, knob, because(kWhyUnknown));
  }

  void want(const CgroupSample& cgroup, DiskNumber disk, const BlockIoConfig& io, bool of_pod) {
    const CgroupId target{cgroup.id.value, disk};
    for (const auto& limit : kLimits) {
      const auto number = limit.number(io);
      if (!number || *number == 0) continue;
      const Reason::Number per_second =
          limit.is_bytes ? Reason::Number(Bytes(*number)) : Reason::Number(*number);
      if (of_pod || share_ == Percent(100)) {
        out_.want(target, limit.knob, *number, because(of_pod ? limit.of_pod : limit.of_class, per_second));
      } else {
        const auto cut = std::max<std::int64_t>(scaled(*number, share_.count(), 100), 1);
        out_.want(target, limit.knob, cut, because(kWhyCut, share_, per_second));
      }
    }
    const auto weight = node_.disks->has_bfq(disk) ? Knob::io_bfq_weight : Knob::io_weight;
    if (io.io_weight_percent && has(cgroup.id, weight))
      out_.want(target, weight, *io.io_weight_percent,
                because(of_pod ? "the pod's annotation gives it a share of {} where others have 100"
                               : "best effort has a share of {} where others have 100",
                        *io.io_weight_percent));
  }

  [[nodiscard]] bool has(CgroupId cgroup, Knob knob) const {
    const auto reading = std::ranges::find(node_.disk_readings, cgroup, &DiskReading::cgroup);
    return reading != node_.disk_readings.end() && (reading->known & knob_bit(knob)) != 0;
  }

  const NodeSnapshot& node_;
  Percent share_;
  BlkioState& state_;
  decide::Intents& out_;
  std::size_t next_ = 0;  ///< in state_.blocks, behind the last one that was found
};

/// A pod may have limits of its own, whatever the classes say.
bool enabled(const NodeSlo& /*slo*/) { return true; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, BlkioState& state, BlkioPolicy::Facts facts,
            decide::Intents& out) {
  out.costs().by = out.policy();
  const auto& objectives = facts.read<decide::ServiceObjectives>();
  Round(node, objectives.in_force ? objectives.besteffort_disks : Percent(100), state, out).decide(slo);
}

}  // namespace

std::span<const Block> latency_blocks(const Pod& pod, const NodeSlo& slo) {
  const auto qos = default_qos(pod);
  if (qos == QosClass::be || qos == QosClass::system || pod.kube_qos == KubeQos::besteffort) return {};
  if (std::ranges::any_of(pod.blocks, has_target)) return pod.blocks;
  const auto& of_class = strategy_of(slo.qos, qos).blkio;
  if (!of_class || !of_class->enable) return {};
  return of_class->blocks;
}

std::size_t unresolved_blocks(const BlkioState& state) {
  return static_cast<std::size_t>(std::ranges::count_if(
      state.blocks, [](const BlkioState::Known& known) { return known.unresolved.has_value(); }));
}

bool should_report(const BlkioState::Known& block, MonoTime now) {
  if (!block.unresolved || block.reported) return false;
  return block.type != BlockType::pod_volume || now - *block.unresolved >= kMountedBy;
}

const BlkioState::Known* take_unreported(BlkioState& state, MonoTime now) {
  const auto next = std::ranges::find_if(
      state.blocks, [now](const BlkioState::Known& block) { return should_report(block, now); });
  if (next == state.blocks.end()) return nullptr;
  next->reported = true;
  return &*next;
}

const char* unresolved_reason(const BlkioState::Known& block) {
  switch (block.type) {
    case BlockType::device:
      if (std::string_view(block.name).starts_with("/dev/disk/"))
        return "no link of this name below /dev/disk resolves to a disk (udev creates them; a container sees "
               "them where the host's /dev/disk is mounted): this block alone is left out";
      return "no disk or partition has this name: this block alone is left out";
    case BlockType::volume_group:
      return "no volume group of this name has a logical volume: this block alone is left out";
    case BlockType::pod_volume:
      return "no mounted volume of the pod with this name is on a disk: this block alone is left out";
  }
  return "";
}

constinit const BlkioPolicy blkio_policy{
    {"blkio", "what best effort and annotated pods may read and write on a disk", enabled}, decide};

}  // namespace evenkeel::io
