#include "agent/demo/stage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <set>

#include "cgroup/base/text.h"
#include "cgroup/sched/request_size_writer.h"
#include "qos/model/knob.h"

namespace evenkeel::demo {
namespace {

constexpr std::array kUsed = {Controller::cpu, Controller::cpuacct, Controller::cpuset, Controller::memory};
constexpr std::array<const char*, 3> kSwitched = {"cpu", "cpuset", "memory"};
constexpr std::int64_t kSharesPerCpu = 1024;
constexpr std::int64_t kLeastShares = 2;
// High shares keep other processes of the machine out of the experiment as far as possible without stopping
// them.
constexpr std::int64_t kTopShares = 16 * kSharesPerCpu;

/// The kubelet's conversion of v1 shares to a v2 weight.
std::int64_t weight_of(std::int64_t shares) { return 1 + (shares - 2) * 9999 / 262142; }

std::string pod_name(char digit) {
  return "pod" + std::string(8, digit) + "-0000-4000-8000-" + std::string(12, digit);
}
std::string container_name(char digit) { return std::string(64, digit); }

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (!one.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

bool has_word(const std::string& list, const std::string& word) {
  return (' ' + std::string(trimmed(list)) + ' ').find(' ' + word + ' ') != std::string::npos;
}

/// Adds the request sizes of the threads in a list.
void add_request_sizes(const Host& host, const std::string& threads, std::set<Duration>& sizes) {
  sched::KernelRequestSizes kernel(host);
  Scanner scan(threads);
  while (!scan.done())
    if (const auto tid = whole_number(scan.line()))
      if (const auto size = kernel.of(static_cast<std::int32_t>(*tid))) sizes.insert(*size);
}

}  // namespace

Stage::Stage(const Host& host, tree::Layout layout) : host_(&host), layout_(std::move(layout)) {
  top_ = "evenkeel-demo-" + std::to_string(::getpid());
  for (const Controller controller : kUsed) add_once(roots_, layout_.root(controller));
  add_once(roots_, layout_.unified);
  const std::string kubepods = top_ + "/kubepods";
  directories_ = {top_, kubepods, kubepods + "/burstable", kubepods + "/besteffort"};
  const auto add_pod = [&](const std::string& branch, char digit) {
    const std::string pod = kubepods + '/' + branch + '/' + pod_name(digit);
    directories_.push_back(pod);
    directories_.push_back(pod + '/' + container_name(digit));
    return directories_.back();
  };
  service_ = add_pod("burstable", 'a');
  batch_ = {add_pod("besteffort", 'b'), add_pod("besteffort", 'c')};
}

std::vector<std::string> Stage::containers() const {
  std::vector<std::string> all = batch_;
  all.push_back(service_);
  return all;
}

Result<Stage> Stage::build(const Host& host, int cpus) {
  auto layout = tree::detect_layout(host, "");
  if (!layout) return tl::unexpected<Error>(layout.error());
  Stage stage(host, std::move(*layout));
  if (!stage.make_directories()) return fail(errno, Op::write, "cgroup");
  stage.give_kubernetes_shares(cpus);
  return stage;
}

bool Stage::write(const std::string& path, const std::string& text) const {
  const Fd file(::open(host_->absolute(path).c_str(), O_WRONLY | O_CLOEXEC));
  return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool Stage::make_directories() {
  for (const auto& root : roots_) {
    if (root == layout_.unified) enable_controllers(root);
    for (const auto& dir : directories_)
      if (!make_directory(root, dir)) return false;
  }
  return true;
}

bool Stage::make_directory(const std::string& root, const std::string& dir) {
  const std::string path = root + '/' + dir;
  if (::mkdir(host_->absolute(path).c_str(), 0755) != 0) return false;
  const auto leaves = containers();
  const bool leaf = std::find(leaves.begin(), leaves.end(), dir) != leaves.end();
  if (root == layout_.unified && !leaf) enable_controllers(path);
  if (root != layout_.root(Controller::cpuset) || layout_.v2(Controller::cpuset)) return true;
  const std::string parent = path.substr(0, path.rfind('/'));
  for (const char* file : {"/cpuset.cpus", "/cpuset.mems"}) {
    const auto inherited = host_->slurp(parent + file);
    if (!inherited || !write(path + file, *inherited)) return false;
  }
  return true;
}

// A missing controller (hybrid hosts keep them on v1) is not an error: the agent reports it.
void Stage::enable_controllers(const std::string& dir) {
  const auto before = host_->slurp(dir + "/cgroup.subtree_control");
  if (!before) return;
  for (const std::string controller : kSwitched) {
    if (has_word(*before, controller)) continue;
    const bool on = write(dir + "/cgroup.subtree_control", '+' + controller);
    if (on && dir == layout_.unified) switched_on_.push_back(controller);
  }
}

void Stage::set_shares(const std::string& dir, std::int64_t shares) {
  const std::string path = layout_.root(Controller::cpu) + '/' + dir;
  if (layout_.v2(Controller::cpu)) {
    (void)write(path + "/cpu.weight", std::to_string(weight_of(shares)));
  } else {
    (void)write(path + "/cpu.shares", std::to_string(shares));
  }
}

// As the kubelet sets them: the service's pod requests the whole node (and uses a part of it), batch pods
// have no native requests.
void Stage::give_kubernetes_shares(int cpus) {
  for (const auto& dir : directories_) {
    const bool batch = dir.find("/besteffort") != std::string::npos;
    if (dir == top_) set_shares(dir, kTopShares);
    if (dir != top_) set_shares(dir, batch ? kLeastShares : kSharesPerCpu * cpus);
  }
}

bool Stage::enter(const std::string& container) const {
  return std::all_of(roots_.begin(), roots_.end(), [&](const std::string& root) {
    return write(root + '/' + container + "/cgroup.procs", "0");
  });
}

bool Stage::limit_batch(std::optional<double> cpus) const {
  constexpr std::int64_t kPeriodUs = 100'000;
  const std::string dir = layout_.root(Controller::cpu) + '/' + top_ + "/kubepods/besteffort";
  const auto quota_us = static_cast<std::int64_t>(cpus.value_or(0) * static_cast<double>(kPeriodUs));
  if (layout_.v2(Controller::cpu))
    return write(dir + "/cpu.max",
                 (cpus ? std::to_string(quota_us) : "max") + ' ' + std::to_string(kPeriodUs));
  return write(dir + "/cpu.cfs_quota_us", cpus ? std::to_string(quota_us) : "-1");
}

const char* Stage::threads_file() const { return layout_.v2(Controller::cpu) ? "/cgroup.threads" : "/tasks"; }

std::string Stage::request_sizes_below(const std::string& dir) const {
  std::set<Duration> sizes;
  for (const auto& container : containers())
    if (container.starts_with(dir))
      if (const auto threads = host_->slurp(layout_.root(Controller::cpu) + '/' + container + threads_file()))
        add_request_sizes(*host_, *threads, sizes);
  std::string text;
  for (const Duration size : sizes) text += (text.empty() ? "" : " ") + std::to_string(size.count()) + " ns";
  return text;
}

ControlValues Stage::controls() const {
  ControlValues values;
  for (const auto& dir : directories_)
    values[layout_.root(Controller::cpu) + '/' + dir + threads_file()] = request_sizes_below(dir);
  for (const auto& row : knob_table()) {
    const auto file = row.file(layout_.v2(row.controller));
    const auto& root = layout_.root(row.controller);
    if (file.empty() || root.empty()) continue;
    for (const auto& dir : directories_) {
      const std::string path = root + '/' + dir + '/' + std::string(file);
      if (auto text = host_->slurp(path)) values[path] = std::move(*text);
    }
  }
  return values;
}

std::optional<CpuTime> Stage::cpu_time(const std::string& branch) const {
  const std::string dir = layout_.root(Controller::cpuacct) + '/' + top_ + "/kubepods/" + branch;
  if (!layout_.v2(Controller::cpuacct)) {
    const auto text = host_->slurp(dir + "/cpuacct.usage");
    const auto used = text ? whole_number(*text) : std::nullopt;
    return used ? std::optional(CpuTime(*used)) : std::nullopt;
  }
  std::optional<CpuTime> used;
  if (const auto text = host_->slurp(dir + "/cpu.stat"))
    for_each_key(*text, [&](std::string_view key, std::int64_t value) {
      if (key == "usage_usec") used = CpuTime(value * 1000);
    });
  return used;
}

void Stage::kill_all() {
  for (const auto& dir : directories_) {
    const auto text = host_->slurp(roots_.front() + '/' + dir + "/cgroup.procs");
    if (!text) continue;
    Scanner scan(*text);
    while (!scan.done())
      if (const auto pid = whole_number(scan.line()); pid && *pid > 1)
        ::kill(static_cast<pid_t>(*pid), SIGKILL);
  }
}

Stage::~Stage() {
  if (directories_.empty()) return;  // moved from
  // A killed process leaves its cgroup only when the demo or init has reaped it, a moment later.
  for (int attempt = 0; attempt < 100; ++attempt) {
    bool gone = true;
    for (const auto& root : roots_)
      for (auto dir = directories_.rbegin(); dir != directories_.rend(); ++dir)
        if (::rmdir(host_->absolute(root + '/' + *dir).c_str()) != 0 && errno != ENOENT) gone = false;
    if (gone) break;
    kill_all();
    const timespec pause{0, 20'000'000};
    ::nanosleep(&pause, nullptr);
  }
  for (const auto& controller : switched_on_)
    (void)write(layout_.unified + "/cgroup.subtree_control", '-' + controller);
}

}  // namespace evenkeel::demo
