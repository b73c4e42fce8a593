#include "agent/tick/agent.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "agent/tick/restore.h"
#include "collectors/per_cgroup/roster.h"

namespace evenkeel::tick {
namespace {

/// A tree that grows while it is looked at is looked at again, but not for ever: the next event or tick goes
/// on.
constexpr int kMostLooks = 8;

Agent::Created refuse(int exit_code, std::string error) { return {nullptr, std::move(error), exit_code}; }

std::string sentence(const std::string& what, const Error& error) {
  return what + ": " + name(error.op) + " " + error.file + ": " + errno_name(error.code);
}

/// What happened before the rest.
void put_first(executor::Report& report, executor::Report before) {
  const auto merge = [](auto& to, auto& from) {
    if (!from.empty()) to.insert(to.begin(), from.begin(), from.end());
  };
  merge(report.writes, before.writes);
  merge(report.refusals, before.refusals);
  merge(report.foreign, before.foreign);
}

std::string make_state_dir(const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) return "state directory " + dir + ": " + error.message();
  ::chmod(dir.c_str(), 0750);
  return {};
}

}  // namespace

Agent::Created Agent::create(const AgentOptions& options, runtime::Log& log, const runtime::Clock& clock,
                             const runtime::WallClock* wall) {
  auto host = Host::open(options.host_root);
  if (!host) return refuse(1, sentence("host root " + options.host_root, host.error()));
  auto layout = tree::detect_layout(*host, options.cgroup_root);
  if (!layout) return refuse(1, sentence("no cgroup file system below " + options.host_root, layout.error()));

  const std::string kept_in = options.dry_run ? std::string() : options.state_dir;
  if (!kept_in.empty())
    if (auto error = make_state_dir(kept_in); !error.empty()) return refuse(1, std::move(error));
  auto journal = kept_in.empty() ? Result<executor::Journal>(executor::Journal::in_memory())
                                 : executor::Journal::open(kept_in, boot_id(*host));
  if (!journal && journal.error().code == EWOULDBLOCK)
    return refuse(1, "another evenkeel holds the lock of " + kept_in + "/journal");
  if (!journal) return refuse(1, sentence("journal in " + kept_in, journal.error()));
  auto audit = record::Audit::open(kept_in, wall);
  if (!audit) return refuse(1, sentence("audit log in " + kept_in, audit.error()));

  Opened opened{std::move(*host), std::move(*layout), std::move(*journal), std::move(*audit)};
  std::unique_ptr<Agent> agent(new Agent(options, std::move(opened), log, clock, wall));
  const auto changed = agent->inputs_.refresh(clock.now());
  const auto slo = agent->inputs_.states().front();
  if (!changed.problems.empty() && !slo.usable && !slo.delivered) {
    std::string all;
    for (const auto& problem : changed.problems) all += (all.empty() ? "" : "\n") + problem;
    return refuse(2, std::move(all));
  }
  agent->result_.problems = changed.problems;
  return {std::move(agent), {}, 0};
}

Agent::Agent(AgentOptions options, Opened opened, runtime::Log& log, const runtime::Clock& clock,
             const runtime::WallClock* wall)
    : options_(std::move(options)),
      log_(log),
      clock_(clock),
      wall_(wall),
      host_(std::move(opened.host)),
      journal_(std::move(opened.journal)),
      audit_(std::move(opened.audit)),
      files_(host_),
      resctrl_files_(host_),
      cookies_(host_),
      network_port_(host_),
      inputs_(options_.inputs),
      peak_checkpoint_(options_.dry_run ? "" : options_.state_dir, "prediction", wall, log),
      baseline_checkpoint_(options_.dry_run ? "" : options_.state_dir, "interference", wall, log) {
  tree_ = std::make_unique<tree::CgroupTree>(host_, std::move(opened.layout));
  // Settings of a plain directory change without the events that a kernel gives, so they are looked at each
  // time.
  const bool blind = options_.stepped || !host_.on_kernel_fs(tree_->layout().root(Controller::cpu));
  sampler_ = std::make_unique<collectors::Sampler>(
      host_, collectors::SamplerOptions{.settings_every_tick = blind, .slow_files_every_tick = blind});
  triggers_ = std::make_unique<pressure::PressureTriggers>(host_);
  executor_ = std::make_unique<executor::Executor>(*tree_, files_, journal_,
                                                   executor::ExecutorOptions{.dry_run = options_.dry_run});
  reclaimer_ =
      std::make_unique<reclaim::Reclaimer>(*tree_, options_.dry_run   ? reclaim::Reclaimer::How::not_at_all
                                                   : options_.stepped ? reclaim::Reclaimer::How::at_once
                                                                      : reclaim::Reclaimer::How::by_thread);
  resctrl_ = std::make_unique<resctrl::ResctrlHand>(*tree_, resctrl_files_, journal_, options_.dry_run);
  io_cost_ = std::make_unique<iocost::CostHand>(*tree_, files_, journal_, options_.dry_run);
  core_sched_ =
      std::make_unique<sched::CoreSchedHand>(*tree_, resctrl_files_, cookies_, journal_, options_.dry_run);
  sched_features_ = std::make_unique<sched::SchedFeatureHand>(host_, journal_, options_.dry_run);
  network_ = std::make_unique<network::NetworkHand>(*tree_, network_port_, journal_, options_.dry_run);
  if (!options_.stepped)
    if (auto watch = tree::TreeWatch::open(host_)) watch_ = std::move(*watch);
  // What a crash left behind goes back before anything is measured, so that no leftover passes for somebody's
  // wish.
  leftovers_ = restore_leftovers(host_, {files_, resctrl_files_, cookies_, network_port_}, journal_);
  record(leftovers_, clock_.now());
}

void Agent::follow_host_applications() {
  std::vector<std::string> paths;
  for (const auto& app : inputs_.slo()->host_applications)
    paths.push_back(per_cgroup::host_application_path(app, tree_->layout()));
  tree_->follow(std::move(paths));
}

/// What people and the kernel have told since the last call.
Agent::Changes Agent::refresh_inputs(MonoTime now) {
  Changes news;
  const bool first = counters_.ticks + counters_.early_ticks == 0;
  auto changed = inputs_.refresh(now);
  for (auto& problem : changed.problems) {
    log_.error("input-refused").with("problem", problem);
    audit_.record({.kind = "config", .why = problem}, now);
    result_.problems.push_back(std::move(problem));
  }
  for (const auto& what : changed.gone) {
    log_.warning("input-gone").with("what", what);
    audit_.record({.kind = "config", .why = what}, now);
  }
  for (const auto& name : changed.recovered) log_.info("input-recovered").with("input", name);
  snapshot_.pods_stale = inputs_.pods_stale(now);
  snapshot_.object_stale = inputs_.node_stale(now);
  if (changed.nodeslo || first) follow_host_applications();
  if (watch_) news.seen = watch_->drain();
  if (news.seen.overflow) ++counters_.watch_overflows;
  for (const auto& value : news.seen.values) sampler_->settings_changed(value.cgroup);
  news.inputs = changed.any();
  news.tree = first || news.seen.tree || changed.nodeslo || !watch_;
  news.everywhere = !watch_ || !news.seen.tree || news.seen.anywhere || changed.nodeslo;
  foreign_writes_ = std::move(news.seen.values);
  return news;
}

/// Brings the tree up to date where the news say so; whether it changed.
bool Agent::scan(Changes& news) {
  ++counters_.scans;
  const tree::CgroupDriver driver = tree_->layout().driver;
  const CgroupId newest = tree_->next_id();
  const bool changed = news.everywhere ? tree_->scan() : tree_->scan(news.seen.grown);
  // A kubelet that came late decides how directories are named, those of host applications too.
  news.everywhere = tree_->layout().driver != driver;
  if (news.everywhere) follow_host_applications();
  if (changed) sampler_->follow(*tree_);
  news.seen.grown = tree_->born_since(newest);
  return changed || news.everywhere;
}

void Agent::join_roster() {
  listed_ = inputs_.pods_delivered() ? with_unlisted_pods(listed_, inputs_.pods(), *tree_) : inputs_.pods();
  snapshot_.object = inputs_.node();
  if (inputs_.cpu_manager().is_static) {
    snapshot_.object.kubelet_static_cpu_manager = true;
    snapshot_.object.kubelet_pinned_cpus = inputs_.cpu_manager().pinned;
  }
  per_cgroup::build_roster(*tree_, listed_, inputs_.slo(), snapshot_);
  pod_by_uid_.clear();
  for (const Pod& pod : *snapshot_.pod_specs) pod_by_uid_.emplace(pod.uid, &pod);
  newest_unknown_cgroup_ = evenkeel::per_cgroup::newest_unknown_cgroup(snapshot_);
  snapshot_.reclaim = reclaimer_->ability();
  triggers_stale_ = true;
  configure_lending();
}

/// Looks until nothing new turns up: a directory made between the scan and its watch would give no event.
void Agent::scan_until_stable(Changes& news) {
  for (int round = 0; round < kMostLooks; ++round) {
    const bool changed = scan(news);
    const bool watches_more = watch_ && (changed || round == 0) && watch_->follow(*tree_);
    if (!watch_ || (!changed && !watches_more)) return;
  }
}

void Agent::act(MonoTime now) {
  intents_.clear();
  load_baselines(now);
  decide::decide_all(snapshot_, *inputs_.slo(), policy_state_, intents_);
  decide::arbitrate(snapshot_, *inputs_.slo(), intents_, plan_);
  executor::Report costs;  // first: weights count on disks that the cost model shares
  io_cost_->serve(intents_, now, costs);
  result_.report = executor_->apply(plan_, snapshot_, foreign_writes_);
  foreign_writes_.clear();
  put_first(result_.report, std::move(costs));
  log_unresolved(now);
  for (executor::Hand* hand : actuators())
    if (hand != io_cost_.get()) hand->serve(intents_, now, result_.report);
  // What we wrote is read back before anybody decides on it again: the kernel rounds, and may refuse.
  for (const auto& write : result_.report.writes) sampler_->settings_changed(write.cgroup.itself());
  record(result_.report, now);
  record_interference(now);
  record_brake(now);
}

const TickResult& Agent::tick(MonoTime now) {
  const MonoTime started = clock_.now();
  result_.now = now;
  if (counters_.ticks > 0) result_.problems.clear();
  Changes news = refresh_inputs(now);
  if (news.tree) scan_until_stable(news);
  if (news.tree || news.inputs) join_roster();
  ++counters_.ticks;
  sampler_->collect(snapshot_, now);
  lending_.observe(snapshot_);
  wait_totals_.add(snapshot_, *tree_);
  act(now);
  evict(now);
  reclaim(now);
  triggers_->retry();
  after_decisions(now);
  if (!leftovers_.writes.empty() || !leftovers_.refusals.empty()) report_leftovers();
  counters_.last_tick = clock_.now() - started;
  counters_.longest_tick = std::max(counters_.longest_tick, counters_.last_tick);
  return result_;
}

/// The first report also tells what the start has put back.
void Agent::report_leftovers() { put_first(result_.report, std::exchange(leftovers_, {})); }

const TickResult& Agent::react(MonoTime now) {
  result_.now = now;
  result_.report = {};
  result_.evictions.clear();
  result_.problems.clear();
  const MonoTime started = clock_.now();
  if (counters_.ticks == 0) return result_;
  const bool braking = brake_wanted(now);
  Changes news = refresh_inputs(now);
  if (!news.tree && !news.inputs && foreign_writes_.empty() && !braking) return result_;
  ++counters_.early_ticks;
  // What was born is served first and watched afterwards; what was born in it meanwhile, and what its maker
  // wrote there (a runtime sets the quota right after the last directory), is found by another look.
  for (int round = 0; round < kMostLooks; ++round) {
    const bool changed = news.tree && scan(news);
    if (changed || (round == 0 && (news.tree || news.inputs))) join_roster();
    const bool other_settings = sampler_->read_new_settings(snapshot_, now);
    if (round > 0 && !changed && !other_settings) break;
    act(now);
    if (round == 0) record_early_tick(clock_.now() - started);
    if (!watch_ || !news.tree || !watch_->follow(*tree_)) break;
  }
  after_decisions(now);
  return result_;
}

void Agent::record_early_tick(Duration took) {
  counters_.last_early_tick = took;
  counters_.longest_early_tick = std::max(counters_.longest_early_tick, took);
}

TickResult Agent::stop(MonoTime now) {
  save_checkpoints(now, true);
  reclaimer_->follow({});
  TickResult last{.now = now, .report = executor_->restore_all(now)};
  for (executor::Hand* hand : actuators()) hand->restore_all(now, last.report);
  record(last.report, now);
  return last;
}

std::vector<executor::Managed> Agent::managed() const {
  auto all = executor_->managed();
  for (const executor::Hand* hand : actuators()) hand->add_managed(all);
  return all;
}

std::vector<int> Agent::descriptors() const {
  auto all = inputs_.descriptors();
  if (watch_) {
    all.push_back(watch_->inotify_fd());
    if (watch_->fanotify_fd() >= 0) all.push_back(watch_->fanotify_fd());
  }
  return all;
}

}  // namespace evenkeel::tick
