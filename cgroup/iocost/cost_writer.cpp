#include "cgroup/iocost/cost_writer.h"

#include <algorithm>
#include <utility>

#include "cgroup/base/disk_text.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::iocost {

using executor::Contest;
using executor::Sighting;

namespace {

constexpr Duration kLook = std::chrono::seconds(10);

}  // namespace

IoCostWriter::Line& IoCostWriter::line_of(Knob knob, DiskNumber disk) {
  const auto found = std::ranges::find_if(
      lines_, [&](const Line& line) { return line.knob == knob && line.file.device == disk; });
  if (found != lines_.end()) return *found;
  const auto& layout = tree_.layout();
  const auto& lever = row(knob);
  Line line;
  line.knob = knob;
  line.file = {.dir = layout.root(Controller::blkio),
               .name = layout.v2(Controller::blkio) ? lever.v2_file : lever.v1_file,
               .device = disk};
  return lines_.emplace_back(std::move(line));
}

/// What a killed agent left and the kernel refused to restore at the start is held like a line that this
/// agent has written, so that ticks and the stop restore it.
void IoCostWriter::adopt_leftovers() {
  if (std::exchange(has_adopted_leftovers_, true) || dry_run_) return;
  for (const auto& entry : journal_.entries()) {
    if (entry.knob != Knob::io_cost_qos && entry.knob != Knob::io_cost_model) continue;
    Line& line = line_of(entry.knob, file_of(entry).device);
    line.original = line.before_us = entry.original;
    line.ours = entry.ours.empty() ? entry.original : entry.ours.back();
    // The newest text on record may be the original, which the kernel refused.
    if (const auto now = files_.read(line.file))
      for (const auto& text : entry.ours)
        if (same_cost(text, *now)) line.ours = text;
    line.since = at_;
    line.why =
        because("an earlier agent wrote it, and the kernel refused to restore the original at the start");
  }
}

void IoCostWriter::apply(const decide::CostPlan& plan, MonoTime now, executor::Report& report) {
  at_ = now;
  adopt_leftovers();
  if (lines_.empty() && plan.settings().empty()) return;
  report_ = &report;
  for (auto& line : lines_) line.wanted = false;
  // The model first: the text to keep depends on it.
  for (const auto knob : {Knob::io_cost_model, Knob::io_cost_qos})
    for (const auto& one : plan.settings()) want(knob, one, plan.by);
  std::erase_if(lines_, [this](Line& line) { return !line.wanted && restore(line); });
  count();
}

void IoCostWriter::restore_all(MonoTime now, executor::Report& report) {
  for (auto& line : lines_) line.pause.retry_at = {};
  apply({}, now, report);
}

void IoCostWriter::count() {
  counters_.managed = counters_.quarantined = 0;
  for (const auto& line : lines_) {
    if (!line.ours.empty() && !line.contest.yielded()) ++counters_.managed;
    if (line.pause.code != 0) ++counters_.quarantined;
  }
}

void IoCostWriter::want(Knob knob, const decide::CostPlan::Setting& setting, decide::PolicyIndex by) {
  auto& line = line_of(knob, setting.cost.disk);
  line.wanted = true;
  if (setting.hold) return;
  const bool same = line.checked_at != MonoTime{} && line.cost == setting.cost;
  if (line.pause.waits(at_) && same) return;
  if (same && line.pause.code == 0 && at_ - line.checked_at < kLook) return;
  line.cost = setting.cost;
  line.why = setting.why;
  line.by = by;
  keep(line, knob == Knob::io_cost_qos ? cost_qos_line(setting.cost) : cost_model_line(setting.cost));
}

void IoCostWriter::keep(Line& line, const std::string& order) {
  line.checked_at = at_;
  if (dry_run_ && !line.ours.empty() && same_cost(line.ours, order)) return;
  const auto text = files_.read(line.file);
  if (!text) return refuse(line, text.error(), order);
  if (!dry_run_ && !line.ours.empty()) {
    const auto step = compare(line, order, *text);
    if (step != Contest::Step::keep && step != Contest::Step::write) return;
    if (step == Contest::Step::write) line.original = *text;
  }
  if (same_cost(order, *text)) {
    line.pause = {};
    return;
  }
  if (line.ours.empty()) {
    line.original = line.before_us = *text;
    line.since = at_;
  }
  put(line, *text, order);
}

/// Restores the line; returns whether nothing is left to restore.
bool IoCostWriter::restore(Line& line) {
  if (line.ours.empty() || line.contest.yielded()) return true;
  if (line.pause.waits(at_)) return false;
  if (dry_run_) return record_change(line, line.ours, line.original, true), true;
  const auto text = files_.read(line.file);
  if (!text && !vanished(text.error())) return refuse(line, text.error(), line.original), false;
  const bool ours = text && compare(line, {}, *text) == Contest::Step::keep;
  if (ours && !put(line, *text, line.original)) return false;
  static_cast<void>(journal_.done(line.file.path(), 0));
  return true;
}

bool IoCostWriter::put(Line& line, const std::string& before, const std::string& text) {
  const bool restored = text == line.original;
  if (!dry_run_) {
    const executor::JournalEntry entry{line.file.dir, 0, line.knob, line.file.entry(), line.original, {}};
    if (const auto noted = journal_.record_write(entry, text); !noted)
      return refuse(line, noted.error(), text), false;
    if (const auto written = files_.write(line.file, text); !written) {
      if (line.ours.empty()) static_cast<void>(journal_.done(line.file.path(), 0));
      return refuse(line, written.error(), text), false;
    }
    ++counters_.writes;
    if (restored) ++counters_.restored;
  }
  line.ours = text;
  line.contest.written(at_);
  line.pause = {};
  record_change(line, before, text, restored);
  return true;
}

void IoCostWriter::refuse(Line& line, const Error& error, const std::string& text) {
  ++counters_.refusals;
  if (line.pause.refuse(error.code, {}, at_))
    report_->refusals.push_back({.path = line.file.shown_path(),
                                 .error = error,
                                 .text = text,
                                 .quarantined = true,
                                 .retry_in = line.pause.length});
}

/// The contest's step for the line that was found. No `order`: the original is being restored.
Contest::Step IoCostWriter::compare(Line& line, const std::string& order, const std::string& found) {
  const auto value = same_cost(line.ours, found)                 ? Sighting::Value::ours
                     : !order.empty() && same_cost(order, found) ? Sighting::Value::as_intended
                     : same_cost(line.before_us, found)          ? Sighting::Value::before_us
                                                                 : Sighting::Value::other;
  const auto step = line.contest.look({.value = value, .restoring = order.empty()}, at_, counters_);
  if (step == Contest::Step::report || step == Contest::Step::yield)
    report_->foreign.push_back(
        line.contest.describe(step, {.path = line.file.shown_path(), .ours = line.ours, .theirs = found}));
  if (step == Contest::Step::yield || step == Contest::Step::release)
    static_cast<void>(journal_.done(line.file.path(), 0));
  if (step == Contest::Step::release) {
    line.ours.clear();
    line.contest = {};
  }
  return step;
}

void IoCostWriter::record_change(const Line& line, const std::string& before, const std::string& after,
                                 bool restored) {
  const Reason why =
      restored ? because("no policy requests this value any longer: the original was restored") : line.why;
  report_->writes.push_back({.path = line.file.shown_path(),
                             .old_text = before,
                             .new_text = after,
                             .knob = line.knob,
                             .by = line.by,
                             .restored = restored,
                             .why = why});
}

void IoCostWriter::add_managed(std::vector<executor::Managed>& out) const {
  for (const auto& line : lines_)
    if (!line.ours.empty())
      out.push_back({.knob = line.knob,
                     .path = line.file.shown_path(),
                     .original = line.original,
                     .ours = line.ours,
                     .by = line.by,
                     .why = line.why,
                     .since = line.since,
                     .yielded = line.contest.yielded()});
}

}  // namespace evenkeel::iocost
