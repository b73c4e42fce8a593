#include "tests/support/scenes/snapshot_builder.h"

#include <cstdlib>
#include <utility>

namespace evenkeel::test {

using std::chrono::seconds;

SnapshotBuilder::SnapshotBuilder() {
  node_.at = MonoTime(seconds(1000));
  node_.since_previous = seconds(1);
  node_.pods_known = true;
  node_.kubepods = static_cast<CgroupIndex>(add(CgroupKind::kubepods, kNoCgroup));
  node_.burstable = static_cast<CgroupIndex>(add(CgroupKind::qos_dir, node_.kubepods));
  node_.besteffort = static_cast<CgroupIndex>(add(CgroupKind::qos_dir, node_.kubepods));
  unlimited();
  at_node_ = true;
}

std::size_t SnapshotBuilder::add(CgroupKind kind, CgroupIndex parent) {
  CgroupSample sample;
  sample.id = CgroupId{static_cast<std::uint32_t>(node_.cgroups.size() + 1)};
  sample.kind = kind;
  sample.parent = parent;
  node_.cgroups.push_back(sample);
  at_node_ = false;
  return cursor_ = node_.cgroups.size() - 1;
}

SnapshotBuilder& SnapshotBuilder::cpus(int count) {
  const auto self = [](int cpu) { return cpu; };
  const auto zero = [](int) { return 0; };
  return topology(cpu_infos(count, self, zero, zero));
}

SnapshotBuilder& SnapshotBuilder::topology(std::vector<CpuInfo> infos) {
  for (const CpuInfo& info : infos) node_.topology.online.add(info.id);
  node_.node.cpu_capacity = MilliCpu(static_cast<std::int64_t>(infos.size()) * 1000);
  node_.topology.cpus = std::move(infos);
  return *this;
}

SnapshotBuilder& SnapshotBuilder::no_use() {
  node_.node.cpu_use.reset();
  return *this;
}

SnapshotBuilder& SnapshotBuilder::object(const NodeObject& object) {
  node_.object = object;
  node_.reserved_cpus = object.reserved_cpus.value_or(CpuSet{});
  return *this;
}

SnapshotBuilder& SnapshotBuilder::pods_unknown() {
  node_.pods_known = false;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::v2() {
  node_.v2_cpu = node_.v2_io = true;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::without_besteffort() {
  node_.besteffort = kNoCgroup;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::besteffort() {
  cursor_ = static_cast<std::size_t>(node_.besteffort);
  at_node_ = false;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::pod(std::string name) {
  Pod pod;
  pod.uid = pod.name = std::move(name);
  pod.kube_qos = KubeQos::burstable;
  pod.phase = PodPhase::running;
  pods_.push_back(std::move(pod));
  PodSample sample;
  sample.cgroup = static_cast<CgroupIndex>(add(CgroupKind::pod, node_.burstable));
  sample.first_container = static_cast<std::int32_t>(node_.containers.size());
  node_.pods.push_back(sample);
  return *this;
}

SnapshotBuilder& SnapshotBuilder::container(std::string name) {
  Container spec;
  spec.id = name + "-id";
  spec.name = std::move(name);
  spec.running = true;
  pods_.back().containers.push_back(std::move(spec));
  PodSample& pod = node_.pods.back();
  ContainerSample sample;
  sample.cgroup = static_cast<CgroupIndex>(add(CgroupKind::container, pod.cgroup));
  sample.pod = static_cast<std::int32_t>(node_.pods.size() - 1);
  node_.containers.push_back(sample);
  ++pod.container_count;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::host_app(QosClass qos, HostAppBase base) {
  HostApplication app;
  app.name = "app-" + std::to_string(apps_.size());
  app.qos = qos;
  app.base = base;
  apps_.push_back(std::move(app));
  const CgroupIndex parent = base == HostAppBase::kubepods_besteffort ? node_.besteffort : kNoCgroup;
  app_cgroups_.push_back(static_cast<CgroupIndex>(add(CgroupKind::host_application, parent)));
  return *this;
}

SnapshotBuilder& SnapshotBuilder::be() { return label(QosClass::be).kube(KubeQos::besteffort); }

SnapshotBuilder& SnapshotBuilder::label(QosClass qos) {
  pods_.back().label_qos = qos;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::kube(KubeQos qos) {
  pods_.back().kube_qos = qos;
  CgroupIndex parent = node_.burstable;
  if (qos == KubeQos::besteffort) parent = node_.besteffort;
  if (qos == KubeQos::guaranteed) parent = node_.kubepods;
  node_.cgroups[static_cast<std::size_t>(node_.pods.back().cgroup)].parent = parent;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::phase(PodPhase phase) {
  pods_.back().phase = phase;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::cgroup_only() {
  pods_.back().from_cgroup_only = true;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::hands_off() {
  pods_.back().hands_off = true;
  sample().hands_off = true;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::allocated(const char* list) {
  pods_.back().allocated_cpus = cpu_list(list);
  return *this;
}

SnapshotBuilder& SnapshotBuilder::overrides(const CpuBurstOverride& fields) {
  pods_.back().cpu_burst = fields;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::identity(std::int64_t own) {
  pods_.back().group_identity = own;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::memory_qos(const MemoryQosOverride& own) {
  pods_.back().memory_qos = own;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::memory(std::optional<Bytes> request, std::optional<Bytes> limit) {
  pods_.back().containers.back().requests.memory = request;
  pods_.back().containers.back().limits.memory = limit;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::batch_cpu(std::optional<MilliCpu> request, std::optional<MilliCpu> limit) {
  pods_.back().containers.back().requests.batch_cpu = request;
  pods_.back().containers.back().limits.batch_cpu = limit;
  return *this;
}
SnapshotBuilder& SnapshotBuilder::batch_memory(std::optional<Bytes> request, std::optional<Bytes> limit) {
  pods_.back().containers.back().requests.batch_memory = request;
  pods_.back().containers.back().limits.batch_memory = limit;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::without_cgroup() {
  if (node_.cgroups[cursor_].kind == CgroupKind::container)
    node_.containers.back().cgroup = kNoCgroup;
  else
    node_.pods.back().cgroup = kNoCgroup;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::limit(MilliCpu cpu) {
  pods_.back().containers.back().limits.cpu = cpu;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::request(MilliCpu cpu) {
  pods_.back().containers.back().requests.cpu = cpu;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::waiting() {
  pods_.back().containers.back().running = false;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::uses(MilliCpu cpu) {
  if (at_node_)
    node_.node.cpu_use = cpu;
  else
    sample().cpu_use = cpu;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::quota(std::int64_t microseconds, Duration period) {
  sample().applied.cpu_limit = CpuLimit{QuotaTime(microseconds), period};
  return *this;
}

SnapshotBuilder& SnapshotBuilder::unlimited(Duration period) {
  sample().applied.cpu_limit = CpuLimit{std::nullopt, period};
  return *this;
}

SnapshotBuilder& SnapshotBuilder::no_quota_file() {
  sample().applied.cpu_limit.reset();
  return *this;
}

SnapshotBuilder& SnapshotBuilder::burst(std::int64_t microseconds) {
  sample().applied.cpu_burst = QuotaTime(microseconds);
  return *this;
}

SnapshotBuilder& SnapshotBuilder::throttled(std::int64_t periods_throttled, std::int64_t periods) {
  sample().throttling = Throttling{.periods = periods, .throttled_periods = periods_throttled};
  return *this;
}

SnapshotBuilder& SnapshotBuilder::cpuset(const char* list) {
  sample().applied.cpus = cpu_list(list);
  sample().applied.cpus_effective = cpu_list(list);
  return *this;
}

SnapshotBuilder& SnapshotBuilder::effective(const char* list) {
  sample().applied.cpus_effective = cpu_list(list);
  return *this;
}

SnapshotBuilder& SnapshotBuilder::idle(std::int64_t value) {
  sample().applied.cpu_idle = value;
  return *this;
}

SnapshotBuilder& SnapshotBuilder::bvt(std::int64_t value) {
  sample().applied.plain.set(Knob::cpu_bvt, value);
  return *this;
}

SnapshotBuilder& SnapshotBuilder::shares(std::int64_t value) {
  sample().applied.cpu_shares = value;
  return *this;
}

NodeSnapshot SnapshotBuilder::build() const {
  NodeSnapshot built = node_;
  auto specs = std::make_shared<std::vector<Pod>>(pods_);
  auto slo = std::make_shared<NodeSlo>();
  slo->host_applications = apps_;
  for (std::size_t i = 0; i < built.pods.size(); ++i) {
    PodSample& pod = built.pods[i];
    pod.spec = &(*specs)[i];
    for (std::int32_t c = 0; c < pod.container_count; ++c)
      built.containers[static_cast<std::size_t>(pod.first_container + c)].spec =
          &pod.spec->containers[static_cast<std::size_t>(c)];
  }
  for (std::size_t i = 0; i < apps_.size(); ++i)
    built.host_applications.push_back({&slo->host_applications[i], app_cgroups_[i]});
  built.pod_specs = std::move(specs);
  built.slo = std::move(slo);
  return built;
}

CpuSet cpu_list(const char* text) {
  const auto set = CpuSet::parse(text);
  if (!set) std::abort();
  return *set;
}

std::vector<CpuInfo> cpu_infos(int count, int (*core)(int), int (*numa)(int), int (*socket)(int)) {
  std::vector<CpuInfo> infos;
  for (int cpu = 0; cpu < count; ++cpu) infos.push_back({cpu, core(cpu), socket(cpu), numa(cpu), numa(cpu)});
  return infos;
}

}  // namespace evenkeel::test
