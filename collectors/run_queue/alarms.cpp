#include "collectors/run_queue/alarms.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "collectors/bpf/tables_shared.h"
#include "collectors/pressure/triggers.h"

namespace evenkeel::run_queue {
namespace {

/// Divides the PSI window: PSI estimates within it, whereas here each wait is counted when it ends.
constexpr std::uint64_t kShareOfWindow = 2;

template <class T>
void put(T& place, std::type_identity_t<T> value) {
  if (place != value) __atomic_store_n(&place, value, __ATOMIC_RELAXED);  // the kernel reads concurrently
}

template <class Row>
std::span<Row> rows(const bpf::BpfProgram& program, const char* table) {
  const auto memory = program.mapped(table);
  return {reinterpret_cast<Row*>(memory.data()), memory.size() / sizeof(Row)};
}

}  // namespace

std::vector<std::uint32_t> brake_sides(const NodeSnapshot& node, const bpf::WatchedSlots& slots) {
  std::vector<std::uint32_t> of_cgroup(node.cgroups.size()), of_slot(kMostSlots);
  const auto slot = [&](CgroupIndex index) {
    return slots.find(node.cgroup(index)->id).value_or(bpf::WatchSlot{kNoSlot});
  };
  for (const CgroupIndex service : pressure::latency_sensitive(node))
    of_cgroup[static_cast<std::size_t>(service)] = slot(service);
  if (node.besteffort != kNoCgroup) of_cgroup[static_cast<std::size_t>(node.besteffort)] = kBesteffortSide;
  for (std::size_t i = 0; i < node.cgroups.size(); ++i) {
    const CgroupIndex parent = node.cgroups[i].parent;  // comes first, so its side is known
    const auto above = parent == kNoCgroup ? 0 : of_cgroup[static_cast<std::size_t>(parent)];
    if (of_cgroup[i] == 0 || above == kBesteffortSide) of_cgroup[i] = above;
    of_slot[slot(static_cast<CgroupIndex>(i))] = of_cgroup[i];
  }
  of_slot[kNoSlot] = 0;
  return of_slot;
}

RunQueueAlarms::RunQueueAlarms(const bpf::BpfProgram& program, const bpf::WatchedSlots& slots,
                               const collectors::AlarmDescriptors& waiting)
    : slots_(slots),
      alarm_source_(waiting),
      terms_(rows<BrakeThresholds>(program, "brake_terms").front()),
      sides_(rows<BrakeSide>(program, "brake_sides")) {}

Result<std::unique_ptr<RunQueueAlarms>> RunQueueAlarms::start(const bpf::BpfProgram& program,
                                                              const bpf::WatchedSlots& slots,
                                                              const collectors::AlarmDescriptors& waiting) {
  if (program.mapped("brake_terms").empty() || program.mapped("brake_sides").empty())
    return fail(ENOENT, Op::map, "brake");
  std::unique_ptr<RunQueueAlarms> out(new RunQueueAlarms(program, slots, waiting));
  auto* self = out.get();
  auto ring =
      bpf::BpfRing::open(program.descriptor("brake_calls"), [self](auto record) { self->drain(record); });
  if (!ring) return tl::unexpected(ring.error());
  out->ring_.emplace(std::move(*ring));
  if (!waiting.add(out->ring_->fd(), EPOLLIN, [self](std::uint32_t) { self->ring_->read(); }))
    return fail(EIO, Op::watch, "ring buffer");
  out->registered_fd_ = true;
  return out;
}

RunQueueAlarms::~RunQueueAlarms() {
  if (registered_fd_) alarm_source_.remove(ring_->fd());
}

void RunQueueAlarms::follow(const NodeSnapshot& node, bool moved) {
  const BrakeSettings& settings = node.slo->evenkeel.brake;
  const auto window = static_cast<std::uint64_t>(settings.window.count()) / kShareOfWindow;
  put(terms_.window_ns, window);
  put(terms_.threshold_ns, window * static_cast<std::uint64_t>(settings.cpu_pressure_percent.count()) / 100);
  if (!moved && pods_ == node.pod_specs && slo_ == node.slo) return;
  pods_ = node.pod_specs;
  slo_ = node.slo;
  const auto sides = brake_sides(node, slots_);
  for (std::size_t i = 0; i < std::min(sides.size(), sides_.size()); ++i) put(sides_[i].side, sides[i]);
}

void RunQueueAlarms::drain(std::span<const std::byte> record) const {
  BrakeCall call{};
  if (record.size() < sizeof call) return;
  std::memcpy(&call, record.data(), sizeof call);
  if (!slots_.alive(call.slot)) return;
  alarm_source_.on_alarm({.what = Contended::cpu,
                          .source = AlarmSource::run_queue,
                          .victim = slots_.owner(call.slot),
                          .waited = Duration(static_cast<std::int64_t>(call.waited_ns)),
                          .raised = MonoTime(Duration(static_cast<std::int64_t>(call.at_ns)))});
}

}  // namespace evenkeel::run_queue
