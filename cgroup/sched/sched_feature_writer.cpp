#include "cgroup/sched/sched_feature_writer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "cgroup/base/text.h"
#include "cgroup/executor/file_writer.h"

namespace evenkeel::sched {

using executor::Contest;
using executor::Sighting;

namespace {

constexpr std::array<const char*, 2> kFiles = {"sys/kernel/debug/sched/features",
                                               "sys/kernel/debug/sched_features"};
constexpr std::string_view kNo = "NO_";
constexpr Duration kCheckInterval = std::chrono::seconds(10);

std::string word(const std::string& name, bool on) { return on ? name : std::string(kNo) + name; }

/// Absent: the kernel has no such feature.
std::optional<bool> is_on(std::string_view words, std::string_view name) {
  Scanner scan(words);
  for (auto one = scan.word(); !one.empty(); one = scan.word()) {
    const bool off = one.starts_with(kNo);
    if ((off ? one.substr(kNo.size()) : one) == name) return !off;
  }
  return std::nullopt;
}

/// The journal records the word that restores it, as if it were an entry of the file.
std::string record_of(const std::string& file, const std::string& name, bool on) {
  return file + '/' + word(name, !on);
}

}  // namespace

std::string sched_features_file(const Host& host) {
  for (const char* file : kFiles)
    if (host.exists(file)) return file;
  return {};
}

void SchedFeatureWriter::apply(const decide::SchedFeaturePlan& plan, MonoTime now, executor::Report& report) {
  static const std::map<std::string, bool> kNone;
  const auto& wanted = plan.wanted != nullptr ? *plan.wanted : kNone;
  if (wanted.empty() && turned_.empty()) {
    requested_.clear();
    return;
  }
  if (wanted != requested_) {
    requested_ = wanted;
    reported_.clear();
    next_check_ = now;
  }
  if (plan.wanted != nullptr) by_ = plan.by;
  if (now < next_check_) return;
  next_check_ = now + kCheckInterval;
  look(now, report);
}

void SchedFeatureWriter::restore_all(MonoTime now, executor::Report& report) {
  next_check_ = now;
  apply({}, now, report);
}

void SchedFeatureWriter::look(MonoTime now, executor::Report& report) {
  if (file_.empty()) file_ = sched_features_file(host_);
  if (file_.empty())
    return refuse(
        {}, {.code = ENOENT, .op = Op::open},
        "scheduler features are asked for, and debugfs is not mounted here, or the kernel shows none",
        report);
  auto words = host_.slurp(file_);
  if (!words) return refuse({}, words.error(), {}, report);
  const auto given_back = std::erase_if(turned_, [&](Turned& turned) {
    const auto planned = requested_.find(turned.name);
    const bool unwanted = planned == requested_.end() || planned->second != turned.on;
    return unwanted && restore(turned, *words, now, report);
  });
  if (given_back > 0) words = host_.slurp(file_);
  if (!words) return refuse({}, words.error(), {}, report);
  for (const auto& [name, on] : requested_) want(name, on, *words, now, report);
}

void SchedFeatureWriter::want(const std::string& name, bool on, std::string_view words, MonoTime now,
                              executor::Report& report) {
  const auto on_now = is_on(words, name);
  if (!on_now)
    return refuse(word(name, on), {.code = EINVAL, .op = Op::write},
                  "the kernel lists no scheduler feature of this name", report);
  const auto held = std::ranges::find(turned_, name, &Turned::name);
  if (held != turned_.end()) return dry_run_ ? void() : settle(*held, *on_now, now, report);
  if (*on_now == on || !turn(name, on, false, report)) return;
  turned_.push_back({.name = name, .on = on, .since = now});
}

void SchedFeatureWriter::settle(Turned& turned, bool on_now, MonoTime now, executor::Report& report) {
  const auto step = compare(turned, on_now, now, report);
  if (step == Contest::Step::write && turn(turned.name, turned.on, false, report))
    turned.contest.written(now);
}

/// The contest's step for the word that was found. A foreign one always equals that from before the agent.
Contest::Step SchedFeatureWriter::compare(Turned& turned, bool on_now, MonoTime now,
                                          executor::Report& report) {
  const auto planned = requested_.find(turned.name);
  const bool restoring = planned == requested_.end();
  const auto value = on_now == turned.on                       ? Sighting::Value::ours
                     : !restoring && planned->second == on_now ? Sighting::Value::as_intended
                                                               : Sighting::Value::before_us;
  const auto step = turned.contest.look({.value = value, .restoring = restoring}, now, counters_);
  if (step == Contest::Step::report || step == Contest::Step::yield)
    report.foreign.push_back(turned.contest.describe(
        step, {.path = file_, .ours = word(turned.name, turned.on), .theirs = word(turned.name, on_now)}));
  if (step == Contest::Step::yield)
    static_cast<void>(journal_.unmade(record_of(file_, turned.name, turned.on)));
  return step;
}

/// Restores the feature; returns whether it is settled.
bool SchedFeatureWriter::restore(Turned& turned, std::string_view words, MonoTime now,
                                 executor::Report& report) {
  const auto on_now = dry_run_ ? std::nullopt : is_on(words, turned.name);
  const bool ours =
      on_now && !turned.contest.yielded() && compare(turned, *on_now, now, report) == Contest::Step::keep;
  if (ours && !turn(turned.name, !turned.on, true, report)) return false;
  static_cast<void>(journal_.unmade(record_of(file_, turned.name, turned.on)));
  return true;
}

bool SchedFeatureWriter::turn(const std::string& name, bool on, bool restored, executor::Report& report) {
  const auto text = word(name, on);
  if (!dry_run_) {
    Result<> done;
    if (!restored) done = journal_.record_creation(record_of(file_, name, on));
    if (done) done = executor::write_word(host_, file_, text);
    if (!done) return refuse(text, done.error(), {}, report), false;
    ++counters_.writes;
  }
  report.writes.push_back(
      {.path = file_,
       .old_text = word(name, !on),
       .new_text = text,
       .by = by_,
       .restored = restored,
       .why = restored ? because("no policy requests it any longer") : because("schedFeatures asks for it")});
  return true;
}

/// Reports each refusal once, until the plan changes.
void SchedFeatureWriter::refuse(const std::string& text, const Error& error, std::string detail,
                                executor::Report& report) {
  if (std::ranges::find(reported_, text) != reported_.end()) return;
  reported_.push_back(text);
  ++counters_.refusals;
  report.refusals.push_back({.path = file_.empty() ? kFiles.front() : file_,
                             .error = error,
                             .text = text,
                             .quarantined = true,
                             .retry_in = kCheckInterval,
                             .detail = std::move(detail)});
}

void SchedFeatureWriter::add_managed(std::vector<executor::Managed>& out) const {
  for (const auto& turned : turned_)
    out.push_back({.path = file_,
                   .original = word(turned.name, !turned.on),
                   .ours = word(turned.name, turned.on),
                   .by = by_,
                   .why = because("schedFeatures asks for it"),
                   .since = turned.since,
                   .yielded = turned.contest.yielded()});
}

void restore_sched_features(const Host& host, executor::Journal& journal, executor::Report& report) {
  const auto records = journal.directories();  // by value: the loop removes records
  for (const char* file : kFiles) {
    const std::string prefix = std::string(file) + '/';
    for (const auto& [path, inode] : records) {
      if (!path.starts_with(prefix)) continue;
      const auto undo = path.substr(prefix.size());
      const bool on = !undo.starts_with(kNo);
      const auto name = on ? undo : undo.substr(kNo.size());
      const auto words = host.slurp(file);
      if (!words) {
        report.refusals.push_back({.path = file, .error = words.error(), .text = undo});
        continue;
      }
      if (is_on(*words, name) == !on) {
        if (const auto done = executor::write_word(host, file, undo); !done) {
          report.refusals.push_back({.path = file, .error = done.error(), .text = undo});
          continue;
        }
        report.writes.push_back({.path = file,
                                 .old_text = word(name, !on),
                                 .new_text = undo,
                                 .by = decide::kNoPolicy,
                                 .restored = true,
                                 .why = because("the original, kept in the journal")});
      }
      static_cast<void>(journal.unmade(path));
    }
  }
}

}  // namespace evenkeel::sched
