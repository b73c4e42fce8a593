#include "agent/reporting/reporting.h"

#include <algorithm>
#include <utility>

#include "agent/runtime/json.h"
#include "agent/runtime/state_file.h"

namespace evenkeel {
namespace {

// Somebody who writes these resources does so every few minutes, so that is how often is looked.
constexpr Duration kLookInterval = std::chrono::minutes(5);
// As with the kernel's files: asserted again after a while, given up after three rounds.
constexpr Duration kStandBack = std::chrono::minutes(10);
constexpr int kMostRounds = 3;
constexpr std::size_t kMostAsked = 64;  // ten minutes without an answer

std::string amounts_text(const LentAmounts& amounts) {
  std::string out;
  Json json(out);
  json.begin_object();
  for (std::size_t i = 0; i < kLentCount; ++i)
    if (amounts[i]) json.member(kLentNames[i], *amounts[i]);
  json.end_object();
  return out;
}

}  // namespace

ParsedReportTarget parse_report_target(const std::string& text) {
  using Kind = ReportTarget::Kind;
  if (text == "none") return {{Kind::none, {}}, {}};
  if (text == "node-status") return {{Kind::node_status, {}}, {}};
  if (text.starts_with("file:") && text.size() > 5) return {{Kind::file, text.substr(5)}, {}};
  return {{}, "--report: found '" + text + "'; legal: none, node-status, file:PATH"};
}

std::string write_report_file(const std::string& path, const LentAmounts& amounts) {
  StateFile file(path);
  auto done = file.begin(amounts_text(amounts) + '\n');
  if (done) done = file.finish();
  return done ? std::string() : path + ": cannot be written: " + errno_name(done.error().code);
}

void Reporting::report_through(NodeReporter reporter) { reporter_.emplace(std::move(reporter)); }

void Reporting::tell(MonoTime now) {
  const auto& advertised = agent_.lending().advertised();
  if (target_.kind == ReportTarget::Kind::node_status) return tell_node(now);
  if (!advertised || !advertised->write) return;
  if (target_.kind == ReportTarget::Kind::file) return tell_file(now);
  agent_.lent(now);  // nobody is told, but the numbers hold as still as if somebody were
}

void Reporting::tell_file(MonoTime now) {
  const auto error = write_report_file(target_.path, agent_.lending().advertised()->amounts);
  if (!error.empty()) return failed(error);
  trouble_.clear();
  agent_.lent(now);
}

void Reporting::tell_node(MonoTime now) {
  if (!reporter_ || !(confirmed_ || agent_.lending().strategy().enable)) return;
  if (!looked_ || now - *looked_ >= kLookInterval) {
    looked_ = now;
    reporter_->look();
  }
  const auto& advertised = agent_.lending().advertised();
  if (!confirmed_ || !advertised || !advertised->write || stands_back(now)) return;
  if (advertised->amounts != (asked_.empty() ? *confirmed_ : asked_.back())) return ask(*advertised);
  if (asked_.empty()) agent_.lent(now);  // due for renewal, and it stands
}

void Reporting::ask(const Advertised& wanted) {
  if (asked_.size() == kMostAsked) asked_.erase(asked_.begin());
  asked_.push_back(wanted.amounts);
  unsaid_ = !trouble_.empty();
  if (!unsaid_) say(wanted);
  reporter_->look();  // somebody may have written since
  reporter_->publish(wanted.amounts, agent_.lending().standing(), wanted.urgent);
}

void Reporting::say(const Advertised& wanted) {
  log_.info("advertise").with("amounts", amounts_text(wanted.amounts)).with("why", wanted.why);
}

void Reporting::stands(const LentAmounts& amounts, MonoTime now) {
  trouble_.clear();
  const bool ours = std::find(asked_.begin(), asked_.end(), amounts) != asked_.end();
  const bool changed = confirmed_ && *confirmed_ != amounts && !ours;
  confirmed_ = amounts;
  const bool newest = ours && asked_.back() == amounts;
  if (newest) asked_.clear();
  const auto& advertised = agent_.lending().advertised();
  if (newest && advertised && advertised->amounts == amounts) {
    if (std::exchange(unsaid_, false)) say(*advertised);
    return agent_.lent(now);
  }
  agent_.stands(amounts);
  if (!changed) return tell_node(now);
  // Not what stood there, and not what we asked for: somebody else lends this node out.
  asked_.clear();
  reporter_->stand_back();
  const bool for_good = ++rivals_ >= kMostRounds;
  silent_until_ = for_good ? MonoTime::max() : now + kStandBack;
  log_.warning("advertised-by-another")
      .with("amounts", amounts_text(amounts))
      .with("stands_back", for_good ? "until the restart" : "10 minutes");
}

void Reporting::failed(const std::string& why) {
  if (why == trouble_) return;
  trouble_ = why;
  log_.warning("not-advertised").with("why", why);
}

}  // namespace evenkeel
