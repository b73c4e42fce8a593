#include "agent/agent.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "agent/writers/writers.h"

namespace evenkeel {
namespace {

Agent::Created refuse(int exit_code, std::string error) { return {nullptr, std::move(error), exit_code}; }

std::string sentence(const std::string& what, const Error& error) {
  return what + ": " + name(error.op) + " " + error.file + ": " + errno_name(error.code);
}

std::string why_not_claimed(const std::string& cgroups, const Error& error) {
  if (error.code == EWOULDBLOCK)
    return "another evenkeel manages the cgroups below " + cgroups +
           ": stop it first, or give one of them another --cgroup-root";
  if (error.code == ENOENT)
    return cgroups +
           " (--cgroup-root) does not exist yet: start again when it does; the kubelet needs it, too";
  return sentence("cgroups below " + cgroups, error);
}

/// Not empty: who else could put a journal there, or a link in its place, and so have root write anything.
std::string writer_besides(const struct stat& dir) {
  if (dir.st_uid != 0 && dir.st_uid != ::geteuid()) return "it belongs to user " + std::to_string(dir.st_uid);
  return (dir.st_mode & S_IWOTH) != 0 ? "everyone may write there" : "";
}

std::string make_state_dir(const std::string& dir) {
  std::error_code error;
  const bool is_new = std::filesystem::create_directories(dir, error);
  if (error) return "state directory " + dir + ": " + error.message();
  if (is_new) ::chmod(dir.c_str(), 0750);  // one that was there may be shared: its mode is its owner's
  struct stat is {};
  if (::stat(dir.c_str(), &is) != 0) return "state directory " + dir + ": " + errno_name(errno);
  const auto writer = writer_besides(is);
  return writer.empty() ? writer
                        : "state directory " + dir + ": " + writer +
                              "; legal: one of root's, or of the agent's user, that others cannot write";
}

/// A dry run saves nothing.
std::string state_dir_of(const AgentOptions& options) {
  return options.dry_run ? std::string() : options.state_dir;
}

Result<executor::Journal> open_journal(const Host& host, const std::string& state_dir) {
  if (state_dir.empty()) return executor::Journal::in_memory();
  const auto boot = writers::boot_id(host);
  if (!boot) return tl::unexpected(boot.error());
  return executor::Journal::open(state_dir, *boot);
}

reclaim::Reclaimer::How reclaims_how(const AgentOptions& options) {
  using How = reclaim::Reclaimer::How;
  return options.dry_run ? How::not_at_all : options.stepped ? How::at_once : How::by_thread;
}

}  // namespace

Agent::Created Agent::create(const AgentOptions& options, runtime::Log& log, const runtime::Clock& clock,
                             const runtime::WallClock* wall) {
  auto host = Host::open(options.host_root);
  if (!host) return refuse(1, sentence("host root " + options.host_root, host.error()));
  auto layout = tree::detect_layout(*host, options.cgroup_root);
  if (!layout) return refuse(1, sentence("no cgroup file system below " + options.host_root, layout.error()));

  const std::string kept_in = state_dir_of(options);
  if (!kept_in.empty())
    if (auto error = make_state_dir(kept_in); !error.empty()) return refuse(1, std::move(error));
  auto journal = open_journal(*host, kept_in);
  if (!journal && journal.error().code == EWOULDBLOCK)
    return refuse(1, "another evenkeel holds the lock of " + kept_in +
                         "/journal: stop it first, or give one of them another --state-dir");
  if (!journal) return refuse(1, sentence("journal in " + kept_in, journal.error()));
  auto claim = options.dry_run ? Result<writers::CgroupClaim>(writers::CgroupClaim())
                               : writers::claim_cgroups(*host, *layout, log);
  if (!claim) return refuse(1, why_not_claimed(host->absolute(writers::claimed_dir(*layout)), claim.error()));
  if (journal->corrupt_records() > 0) writers::log_damage(log, kept_in, *journal);
  auto audit = record::Audit::open(kept_in, wall);
  if (!audit) return refuse(1, sentence("audit log in " + kept_in, audit.error()));

  Opened opened{std::move(*host), std::move(*layout), std::move(*journal), std::move(*audit)};
  std::unique_ptr<Agent> agent(new Agent(options, std::move(opened), log, clock, wall));
  agent->kernel_.claim = std::move(*claim);
  const auto changed = agent->inputs_.refresh(clock.now());
  const auto slo = agent->inputs_.states().front();
  if (!changed.problems.empty() && !slo.usable && !slo.delivered) {
    std::string all;
    for (const auto& problem : changed.problems) all += (all.empty() ? "" : "\n") + problem;
    return refuse(2, std::move(all));
  }
  agent->recorder_.record(changed, clock.now());
  agent->tick_.started(changed.problems);
  return {std::move(agent), {}, 0};
}

Agent::Agent(const AgentOptions& options, Opened opened, runtime::Log& log, const runtime::Clock& clock,
             const runtime::WallClock* wall)
    : kernel_(std::move(opened.host), std::move(opened.journal)),
      inputs_(options.inputs),
      observer_(kernel_.host, std::move(opened.layout), inputs_, log, options.stepped),
      recorder_(std::move(opened.audit), log, observer_.names(), options.dry_run),
      decider_(inputs_, observer_.node(),
               history::Baselines({state_dir_of(options), "interference", wall, log}),
               history::Verdicts({state_dir_of(options), "proof", wall, log},
                                 history::kernel_name(kernel_.host), options.dry_run)),
      execution_(observer_.tree(), kernel_, options.dry_run),
      reclaims_(observer_.tree(), reclaims_how(options), recorder_),
      brakes_({.host = kernel_.host,
               .inputs = inputs_,
               .tree = observer_.tree(),
               .sampler = observer_.sampler(),
               .node = observer_.node(),
               .state = decider_.brake_state(),
               .clock = clock,
               .recorder = recorder_}),
      evictions_({.inputs = inputs_,
                  .node = observer_.node(),
                  .tree = observer_.tree(),
                  .host = kernel_.host,
                  .files = kernel_.files,
                  .clock = clock,
                  .recorder = recorder_,
                  .report_only = options.stepped || options.dry_run}),
      lender_({.inputs = inputs_,
               .node = observer_.node(),
               .wall = wall,
               .log = log,
               .state_dir = state_dir_of(options)}),
      tick_({.inputs = inputs_,
             .observer = observer_,
             .decider = decider_,
             .execution = execution_,
             .reclaims = reclaims_,
             .brakes = brakes_,
             .evictions = evictions_,
             .lender = lender_,
             .recorder = recorder_,
             .clock = clock}) {
  // What a crash left is restored before the first measurement, so that no leftover is taken for an original
  // value. As at the stop, no disk may prevent that.
  kernel_.journal.keep_back();
  auto report = writers::restore_leftovers(kernel_.host, kernel_.ports(), kernel_.journal);
  static_cast<void>(kernel_.journal.write_kept_back());
  recorder_.record(report, clock.now());
  tick_.restored(std::move(report));
}

const tick::TickResult& Agent::alarm(const Alarm& alarm) {
  brakes_.alarm_raised(alarm);
  return tick_.react(alarm.at);
}

void Agent::lend(MonoTime now) {
  // Before the first NodeSLO it is unknown what may be lent; treating that as "nothing" would drop what was
  // learned.
  if (!inputs_.state(inputs::Inputs::kNodeSlo).loaded) return;
  lender_.update(now);
  observer_.node().lendable = lender::lendable_of(lender_.lending(), observer_.node().object);
  decider_.save(now, history::SaveReason::periodic);
}

tick::TickResult Agent::stop(MonoTime now) {
  reclaims_.stop();  // does not wait
  kernel_.journal.keep_back();
  tick::TickResult last{.now = now, .report = execution_.restore_all(now)};
  // Only now what may wait for a disk. What stays on record for an error of the disk has its original
  // already.
  static_cast<void>(kernel_.journal.write_kept_back());
  recorder_.record(last.report, now);
  tick_.report_restored(last.report);
  lender_.save(now, history::SaveReason::at_exit);
  decider_.save(now, history::SaveReason::at_exit);
  return last;
}

std::vector<int> Agent::descriptors() const {
  auto all = inputs_.descriptors();
  const auto watched = observer_.scan().descriptors();
  all.insert(all.end(), watched.begin(), watched.end());
  return all;
}

AgentParts Agent::parts() {
  return {.inputs = inputs_,
          .brakes = brakes_,
          .evictions = evictions_,
          .lender = lender_,
          .figures = observer_.figures(),
          .recorder = recorder_,
          .servers = servers_,
          .tick = tick_};
}

api::AgentView Agent::view() const {
  return {.tick = tick_,
          .observer = observer_,
          .inputs = inputs_,
          .policies = decider_.state(),
          .execution = execution_,
          .reclaimer = reclaims_.reclaimer(),
          .brakes = brakes_,
          .evictions = evictions_,
          .lending = lender_.lending(),
          .recorder = recorder_,
          .servers = servers_,
          .kernel = kernel_};
}

}  // namespace evenkeel
