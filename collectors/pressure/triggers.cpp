#include "collectors/pressure/triggers.h"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "cgroup/reclaim/pressure_trigger.h"
#include "collectors/per_cgroup/files.h"

namespace evenkeel::pressure {

std::vector<CgroupIndex> latency_sensitive(const NodeSnapshot& node) {
  std::vector<CgroupIndex> all;
  for (const auto& pod : node.pods)
    if (pod.cgroup != kNoCgroup && !is_best_effort(*pod.spec)) all.push_back(pod.cgroup);
  for (const auto& app : node.host_applications)
    if (app.cgroup != kNoCgroup && app.spec->qos != QosClass::be) all.push_back(app.cgroup);
  return all;
}

namespace {

// A cgroup's directories appear one hierarchy after the other; after this many ticks its file counts as
// missing.
constexpr int kMostTries = 8;

struct Resource {
  Contended what;
  std::string_view cgroup_file;
  const char* node_file;
};
constexpr Resource kResources[] = {{Contended::cpu, "cpu.pressure", "proc/pressure/cpu"},
                                   {Contended::memory, "memory.pressure", "proc/pressure/memory"}};

/// The path that the sampler reads; empty: this machine has no pressure files.
std::string pressure_file(std::string_view name, const tree::CgroupTree& tree, const tree::Cgroup& cgroup) {
  for (const auto& row : per_cgroup::cgroup_files()) {
    if (row.where != per_cgroup::Where::pressure || row.name != name) continue;
    const auto path = per_cgroup::file_path(row, tree, cgroup);
    if (path.there) return path.hierarchy(tree.layout()) + '/' + cgroup.path + '/' + std::string(name);
  }
  return {};
}

bool same(const BrakeSettings& a, const BrakeSettings& b) {
  return a.enable == b.enable && a.window == b.window && a.cpu_pressure_percent == b.cpu_pressure_percent &&
         a.memory_pressure_percent == b.memory_pressure_percent;
}

}  // namespace

PressureTriggers::~PressureTriggers() { close_all(); }

void PressureTriggers::close_all() {
  for (auto& trigger : triggers_) close(trigger);
  triggers_.clear();
}

void PressureTriggers::set_alarm_source(collectors::AlarmDescriptors waiting) {
  close_all();
  settings_ = {};
  alarm_source_ = std::move(waiting);
}

Duration PressureTriggers::stall(Contended what) const {
  const Percent percent =
      what == Contended::cpu ? settings_.cpu_pressure_percent : settings_.memory_pressure_percent;
  return Duration(scaled(window_.count(), percent.count(), 100));
}

std::vector<PressureTriggers::Trigger> PressureTriggers::wanted(const tree::CgroupTree& tree,
                                                                const NodeSnapshot& node, std::size_t most) {
  std::vector<Trigger> all;
  left_out_ = 0;
  if (window_ == Duration::zero()) return all;
  for (const auto& resource : kResources)
    all.push_back({.resource = resource.what, .file = resource.node_file});
  for (const CgroupIndex service : latency_sensitive(node)) {
    const CgroupId id = node.cgroup(service)->id;
    const tree::Cgroup* cgroup = tree.find(id);
    for (const auto& resource : kResources) {
      auto file = cgroup != nullptr ? pressure_file(resource.cgroup_file, tree, *cgroup) : std::string();
      if (file.empty()) continue;
      if (all.size() < most)
        all.push_back({.victim = id, .resource = resource.what, .file = std::move(file)});
      else
        ++left_out_;
    }
  }
  return all;
}

void PressureTriggers::follow(const tree::CgroupTree& tree, const NodeSnapshot& node,
                              const BrakeSettings& settings, std::size_t most) {
  if (!same(settings, settings_)) {
    close_all();
    settings_ = settings;
    window_ = {};
    if (settings.enable && alarm_source_.add)
      window_ = reclaim::shortest_window(host_, settings.window).value_or(Duration{});
  }
  auto next = wanted(tree, node, std::min(most, kMaxTriggers));
  for (auto& trigger : next) {
    const auto known = std::ranges::find_if(triggers_, [&](const Trigger& old) {
      return old.victim == trigger.victim && old.resource == trigger.resource && old.file == trigger.file;
    });
    if (known == triggers_.end()) continue;
    trigger.fd = std::move(known->fd);
    trigger.error = known->error;
    trigger.attempts = known->attempts;
  }
  // Close before opening new ones, which may reuse the numbers.
  for (auto& old : triggers_) close(old);
  triggers_ = std::move(next);
  retry();
}

void PressureTriggers::retry() {
  for (auto& trigger : triggers_)
    if (!trigger.fd && trigger.attempts < kMostTries) open(trigger);
}

void PressureTriggers::open(Trigger& trigger) {
  ++trigger.attempts;
  auto fd = reclaim::open_pressure_trigger(host_, trigger.file, stall(trigger.resource), window_);
  trigger.error = fd ? 0 : fd.error().code;
  if (!fd) return;
  const int number = fd->get();
  if (!alarm_source_.add(number, EPOLLPRI, [this, number](std::uint32_t events) { ready(number, events); }))
    return;
  trigger.fd = std::move(*fd);
  trigger.attempts = 0;
  ++opened_;
}

void PressureTriggers::close(Trigger& trigger) {
  if (!trigger.fd) return;
  alarm_source_.remove(trigger.fd.get());
  trigger.fd = Fd();
}

void PressureTriggers::ready(int fd, std::uint32_t events) {
  const auto found = std::ranges::find_if(triggers_, [fd](const Trigger& t) { return t.fd.get() == fd; });
  if (found == triggers_.end()) return;
  // A dead trigger would stay ready forever. If its cgroup still exists (pressure was switched off and on),
  // the next tick reopens it.
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return close(*found);
  if ((events & EPOLLPRI) != 0)
    alarm_source_.on_alarm(
        {.what = found->resource, .victim = found->victim, .waited = stall(found->resource)});
}

TriggerHealth PressureTriggers::health() const {
  TriggerHealth out{.window = window_, .left_out = left_out_, .opened = opened_};
  for (const auto& trigger : triggers_) {
    if (trigger.fd) {
      ++out.open;
      continue;
    }
    ++out.missing;
    if (trigger.error != 0) out.why_missing = trigger.file + ": " + errno_name(trigger.error);
  }
  return out;
}

}  // namespace evenkeel::pressure
