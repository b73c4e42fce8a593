// Advertises what can be lent: nowhere, in a file, or on the Node. Writes only what qos/lending/advertised.h
// says is due, and pauses when another client (Koordinator's manager) writes the same resources. Does not
// compute amounts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/kube/node_reporter.h"
#include "agent/lender/lender.h"
#include "agent/runtime/log.h"

namespace evenkeel::reporting {

/// The parsed value of --report.
struct ReportTarget {
  enum class Kind : std::uint8_t { none, node_status, file } kind = Kind::none;
  std::string path{};
};
struct ParsedReportTarget {
  ReportTarget target{};
  std::string error{};
};
ParsedReportTarget parse_report_target(const std::string& text);

/// Replaces the whole file: {"batch-cpu":25000,…}. Returns the error; empty: written.
std::string write_report_file(const std::string& path, const lending::LentAmounts& amounts);

class Reporting {
 public:
  /// `lender` and `log` must outlive it.
  Reporting(ReportTarget target, lender::Lender& lender, runtime::Log& log)
      : target_(std::move(target)), lender_(lender), log_(log) {}

  /// The reporter that patches the Node. Set it before the first report().
  void set_reporter(kube::NodeReporter reporter);
  /// Takes the amounts that the Node shows, from the reporter's Heard.
  void observed(const lending::LentAmounts& amounts, MonoTime now);
  void failed(const std::string& why);

  /// After each Lender::update().
  void report(MonoTime now);
  [[nodiscard]] bool paused_for_rival(MonoTime now) const { return now < paused_until_; }

 private:
  void write_file(MonoTime now);
  void patch_node(MonoTime now);
  void request(const lending::Advertised& wanted);
  void log_state(const lending::Advertised& wanted);
  ReportTarget target_;
  lender::Lender& lender_;
  runtime::Log& log_;
  std::optional<kube::NodeReporter> reporter_{};
  std::optional<lending::LentAmounts> confirmed_{};  ///< the amounts on the Node after our last patch or read
  /// Requested and not confirmed yet; the newest is last. Any of them may be on the Node, since a response
  /// can get lost.
  std::vector<lending::LentAmounts> requested_{};
  bool unreported_ = false;  ///< the newest amounts were not logged, because the last request failed
  std::optional<MonoTime> checked_{};
  MonoTime paused_until_{};
  int rivals_ = 0;
  std::string last_error_{};  ///< the last one logged
};

}  // namespace evenkeel::reporting
