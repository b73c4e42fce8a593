#include "collectors/sampler.h"

#include <algorithm>
#include <array>
#include <optional>

#include "collectors/devices/disk_settings.h"
#include "collectors/per_cgroup/files.h"
#include "collectors/per_cgroup/slots.h"

namespace evenkeel::collectors {
namespace {

// /proc/stat is the longest file: 60 bytes per CPU and up to 11 per interrupt. Unused pages are never
// touched.
constexpr std::size_t kBufferSize = std::size_t{256} * 1024;

/// Why none of a collector's files exist; empty when one does.
std::string why_off(const Host& host, const CollectorSpec& spec) {
  std::string why;
  for (const auto file : spec.files) {
    const auto opened = host.open_read(std::string(file));
    if (opened) return {};
    if (!why.empty()) continue;
    why.append(spec.name).append(": ").append(file).append(" ").append(errno_name(opened.error().code));
  }
  return why;
}

}  // namespace

struct Sampler::Impl {
  Impl(const Host& on, SamplerOptions with) : host(on), options(with), slots(with), disks(with) {
    limit =
        options.descriptor_limit != 0 ? options.descriptor_limit : per_cgroup::descriptor_limit_of_process();
    for (const auto* spec : node_collectors()) {
      collectors.push_back(spec->make(host));
      node_descriptors += spec->descriptors(host);
    }
    refresh_health();
  }

  void refresh_health() {
    health = SamplerHealth{.descriptors_needed = node_descriptors, .descriptors_kept = node_descriptors};
    for (const auto* spec : node_collectors())
      if (auto why = why_off(host, *spec); !why.empty()) health.disabled.push_back(std::move(why));
  }

  std::optional<Duration> usual_interval(std::optional<Duration> newest) {
    if (newest) intervals[tick % intervals.size()] = *newest;
    std::optional<Duration> shortest;
    for (const Duration each : intervals)
      if (each > Duration::zero()) shortest = std::min(shortest.value_or(each), each);
    return shortest;
  }

  const Host& host;
  SamplerOptions options;
  std::size_t limit = 0;
  std::size_t node_descriptors = 0;
  std::vector<std::unique_ptr<Collector>> collectors{};
  per_cgroup::CgroupSlots slots;
  devices::DiskSettings disks;
  SamplerHealth health{};
  std::optional<MonoTime> previous{};
  std::array<Duration, 8> intervals{};  ///< ring of the last ones; zero: not known yet
  std::uint64_t tick = 0;
  std::unique_ptr<char[]> buffer{new char[kBufferSize]};  // not make_unique: it would touch every page
};

Sampler::Sampler(const Host& host, SamplerOptions options) : impl_(std::make_unique<Impl>(host, options)) {}
Sampler::~Sampler() = default;

void Sampler::follow(const tree::CgroupTree& tree) {
  impl_->refresh_health();
  const auto left = impl_->limit - std::min(impl_->limit, impl_->node_descriptors);
  impl_->slots.follow(tree, left, impl_->health);
  impl_->disks.follow(tree);
  for (auto& collector : impl_->collectors) collector->follow(tree);
}

void Sampler::settings_changed(CgroupId cgroup) {
  impl_->slots.settings_changed(cgroup);
  impl_->disks.settings_changed(cgroup);
}

void Sampler::set_alarm_source(const AlarmDescriptors& waiting) {
  for (auto& collector : impl_->collectors) collector->set_alarm_source(waiting);
}

void Sampler::collect(NodeSnapshot& node, MonoTime now) {
  auto& impl = *impl_;
  node.at = now;
  node.since_previous.reset();
  if (impl.previous) node.since_previous = now - *impl.previous;
  impl.previous = now;
  node.usual_interval = impl.usual_interval(node.since_previous);
  node.measured = true;
  const std::span<char> buffer(impl.buffer.get(), kBufferSize);
  Tick tick{impl.host, buffer, node};
  for (auto& collector : impl.collectors) collector->collect(tick);
  impl.disks.collect(impl.host, buffer, impl.tick, node);
  impl.slots.collect(impl.host, buffer, impl.tick++, node);
}

bool Sampler::read_new_settings(NodeSnapshot& node, MonoTime now) {
  node.since_previous = now - node.at;
  node.at = now;
  node.measured = false;
  const std::span<char> buffer(impl_->buffer.get(), kBufferSize);
  const bool changed = impl_->slots.read_new_settings(impl_->host, buffer, node);
  impl_->disks.read_new_settings(impl_->host, buffer, node);
  return changed;
}

RecentUse Sampler::recent_use(CgroupId cgroup) {
  return impl_->slots.recent_use(impl_->host, std::span<char>(impl_->buffer.get(), kBufferSize), cgroup);
}

std::vector<SamplerRead> Sampler::reads() const {
  auto all = impl_->slots.reads();
  for (const auto* spec : node_collectors())
    for (const auto file : spec->files)
      if (impl_->host.exists(std::string(file))) all.push_back({std::string(file), 1});
  return all;
}

const SamplerHealth& Sampler::health() const { return impl_->health; }

}  // namespace evenkeel::collectors
