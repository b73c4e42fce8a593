#include "tests/support/fakes/fake_host_texts.h"

#include "qos/model/knob.h"

namespace evenkeel::test {
namespace {

constexpr const char* kUnlimitedV1 = "9223372036854771712\n";
constexpr const char* kNoPressure =
    "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";

/// The plain levers that mainline has, as a fresh cgroup holds them.
FakeFiles plain_files(Controller controller, bool v2) {
  FakeFiles out;
  for (const auto& lever : knob_table()) {
    const bool plain = is_plain(lever.knob) && lever.node_dir.empty() && !has_disk_lines(lever.knob);
    if (!plain || lever.controller != controller || !lever.in_mainline(v2)) continue;
    const bool unlimited = lever.values.kind == ValueKind::bytes && lever.values.initial == kPlainMax;
    const std::string word = v2 ? "max\n" : kUnlimitedV1;
    out.emplace_back(lever.file(v2), unlimited ? word : std::to_string(lever.values.initial) + "\n");
  }
  return out;
}

void append(FakeFiles& to, FakeFiles more) {
  for (auto& file : more) to.push_back(std::move(file));
}

FakeFiles v1_cpu(bool besteffort) {
  return {{"cpu.shares", besteffort ? "2\n" : "1024\n"},
          {"cpu.cfs_quota_us", "-1\n"},
          {"cpu.cfs_period_us", "100000\n"},
          {"cpu.cfs_burst_us", "0\n"},
          {"cpu.idle", "0\n"},
          {"cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\nnr_bursts 0\nburst_time 0\n"}};
}

FakeFiles v1_cpuacct(int cpus) {
  std::string per_cpu;
  for (int cpu = 0; cpu < cpus; ++cpu) per_cpu += "0 ";
  return {{"cpuacct.usage", "0\n"},
          {"cpuacct.usage_percpu", per_cpu + "\n"},
          {"cpuacct.stat", "user 0\nsystem 0\n"}};
}

FakeFiles v1_cpuset(int cpus) {
  const auto list = cpu_list_text(cpus);
  return {{"cpuset.cpus", list},           {"cpuset.effective_cpus", list},
          {"cpuset.mems", "0\n"},          {"cpuset.effective_mems", "0\n"},
          {"cpuset.cpu_exclusive", "0\n"}, {"cpuset.sched_load_balance", "1\n"}};
}

FakeFiles v1_memory() {
  std::string stat;
  for (const char* prefix : {"", "total_"}) {
    for (const char* key :
         {"cache", "rss", "rss_huge", "shmem", "mapped_file", "dirty", "writeback", "workingset_refault_anon",
          "workingset_refault_file", "swap", "pgpgin", "pgpgout", "pgfault", "pgmajfault", "inactive_anon",
          "active_anon", "inactive_file", "active_file", "unevictable"})
      stat += std::string(prefix) + key + " 0\n";
    if (*prefix == '\0') stat += "hierarchical_memory_limit 9223372036854771712\n";
  }
  FakeFiles files = plain_files(Controller::memory, false);
  append(files, {{"memory.soft_limit_in_bytes", kUnlimitedV1},
                 {"memory.usage_in_bytes", "0\n"},
                 {"memory.max_usage_in_bytes", "0\n"},
                 {"memory.failcnt", "0\n"},
                 {"memory.stat", stat},
                 {"memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n"},
                 {"memory.swappiness", "60\n"}});
  return files;
}

FakeFiles v1_blkio() {
  return {{"blkio.throttle.read_bps_device", ""},
          {"blkio.throttle.write_bps_device", ""},
          {"blkio.throttle.read_iops_device", ""},
          {"blkio.throttle.write_iops_device", ""}};
}

FakeFiles v2_core(bool controllers, bool is_root) {
  const char* names = controllers ? "cpuset cpu io memory hugetlb pids rdma misc\n" : "\n";
  FakeFiles files{{"cgroup.controllers", names}, {"cgroup.subtree_control", names},
                  {"cgroup.procs", ""},          {"cgroup.threads", ""},
                  {"cpu.pressure", kNoPressure}, {"memory.pressure", kNoPressure},
                  {"io.pressure", kNoPressure}};
  if (!is_root) append(files, {{"cgroup.events", "populated 0\nfrozen 0\n"}, {"cgroup.type", "domain\n"}});
  return files;
}

FakeFiles v2_cpu(int cpus, bool besteffort) {
  return {{"cpu.weight", besteffort ? "1\n" : "100\n"},
          {"cpu.max", "max 100000\n"},
          {"cpu.max.burst", "0\n"},
          {"cpu.idle", "0\n"},
          {"cpuset.cpus", "\n"},
          {"cpuset.cpus.effective", cpu_list_text(cpus)},
          {"cpuset.mems", "\n"},
          {"cpuset.mems.effective", "0\n"}};
}

FakeFiles v2_memory_and_io() {
  std::string stat;
  for (const char* key : {"anon",
                          "file",
                          "kernel",
                          "kernel_stack",
                          "pagetables",
                          "sock",
                          "shmem",
                          "file_mapped",
                          "file_dirty",
                          "file_writeback",
                          "anon_thp",
                          "inactive_anon",
                          "active_anon",
                          "inactive_file",
                          "active_file",
                          "unevictable",
                          "slab_reclaimable",
                          "slab",
                          "workingset_refault_anon",
                          "workingset_refault_file",
                          "pgfault",
                          "pgmajfault"})
    stat += std::string(key) + " 0\n";
  FakeFiles files = plain_files(Controller::memory, true);
  append(files, {{"memory.current", "0\n"},
                 {"memory.swap.current", "0\n"},
                 {"memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n"},
                 {"memory.reclaim", ""},
                 {"memory.stat", stat},
                 {"io.max", ""},
                 {"io.stat", ""},
                 {"io.weight", "default 100\n"}});
  return files;
}

FakeFiles proc_files(const FakeMachine& machine) {
  std::string stat = "cpu  0 0 0 0 0 0 0 0 0 0\n", cpuinfo;
  for (int cpu = 0; cpu < machine.cpus; ++cpu) {
    const auto id = std::to_string(cpu);
    stat += "cpu" + id + " 0 0 0 0 0 0 0 0 0 0\n";
    cpuinfo +=
        "processor\t: " + id + "\nvendor_id\t: FakeVendor\nphysical id\t: 0\ncore id\t\t: " + id + "\n\n";
  }
  stat += "intr 0\nctxt 0\nbtime 1700000000\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n";
  const auto kib = [](std::int64_t value) { return std::to_string(value) + " kB\n"; };
  return {{"proc/stat", stat},
          {"proc/cpuinfo", cpuinfo},
          {"proc/meminfo", "MemTotal:       " + kib(machine.memory_kib) + "MemFree:        " +
                               kib(machine.available_kib) + "MemAvailable:   " + kib(machine.available_kib) +
                               "Active(anon):   0 kB\nInactive(anon): 0 kB\nActive(file):   0 kB\n"
                               "Inactive(file): 0 kB\nHugePages_Total:       0\nHugePages_Free:        0\n"
                               "Hugepagesize:       2048 kB\nHugetlb:               0 kB\n"},
          {"proc/pressure/cpu", kNoPressure},
          {"proc/pressure/memory", kNoPressure},
          {"proc/pressure/io", kNoPressure},
          {"proc/sys/vm/min_free_kbytes", "67584\n"},
          {"proc/sys/vm/watermark_scale_factor", "10\n"},
          {"proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555\n"}};
}

}  // namespace

std::string cpu_list_text(int cpus) {
  if (cpus <= 0) return "\n";
  return cpus == 1 ? "0\n" : "0-" + std::to_string(cpus - 1) + "\n";
}

FakeFiles fake_v1_files(Controller controller, int cpus, bool besteffort) {
  FakeFiles files{{"cgroup.procs", ""}, {"tasks", ""}};
  if (controller == Controller::cpu) append(files, v1_cpu(besteffort));
  if (controller == Controller::cpuacct) append(files, v1_cpuacct(cpus));
  if (controller == Controller::cpuset) append(files, v1_cpuset(cpus));
  if (controller == Controller::memory) append(files, v1_memory());
  if (controller == Controller::blkio) append(files, v1_blkio());
  return files;
}

FakeFiles fake_v2_files(bool controllers, int cpus, bool besteffort, bool is_root) {
  auto files = v2_core(controllers, is_root);
  std::string stat = "usage_usec 0\nuser_usec 0\nsystem_usec 0\n";
  if (controllers && !is_root) {
    // The throttling lines belong to the cpu controller: without it cpu.stat has only the first three lines.
    stat += "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\nnr_bursts 0\nburst_usec 0\n";
    append(files, v2_cpu(cpus, besteffort));
    append(files, v2_memory_and_io());
  }
  if (controllers && is_root)
    append(files, {{"cpuset.cpus.effective", cpu_list_text(cpus)}, {"io.stat", ""}});
  append(files, {{"cpu.stat", stat}});
  return files;
}

FakeFiles fake_machine_files(const FakeMachine& machine) {
  auto files = proc_files(machine);
  const auto list = cpu_list_text(machine.cpus);
  const std::string cpu_dir = "sys/devices/system/cpu/";
  append(files, {{cpu_dir + "online", list},
                 {cpu_dir + "possible", list},
                 {cpu_dir + "present", list},
                 {"sys/devices/system/node/online", "0\n"},
                 {"sys/devices/system/node/node0/cpulist", list}});
  for (int cpu = 0; cpu < machine.cpus; ++cpu) {
    const auto id = std::to_string(cpu);
    const auto dir = cpu_dir + "cpu" + id + "/";
    append(files, {{dir + "topology/physical_package_id", "0\n"},
                   {dir + "topology/core_id", id + "\n"},
                   {dir + "topology/thread_siblings_list", id + "\n"},
                   {dir + "cache/index3/level", "3\n"},
                   {dir + "cache/index3/type", "Unified\n"},
                   {dir + "cache/index3/id", "0\n"},
                   {dir + "cache/index3/shared_cpu_list", list}});
  }
  return files;
}

}  // namespace evenkeel::test
