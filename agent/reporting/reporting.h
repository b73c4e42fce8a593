// Where what can be lent is told: nowhere, to a file, or on the Node. Keeps to what qos/lending/advertised.h
// says is to be written, and stands back where somebody else (Koordinator's manager) writes the same
// resources. May not: work anything out.
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

/// --report, understood.
struct ReportTarget {
  enum class Kind : std::uint8_t { none, node_status, file } kind = Kind::none;
  std::string path{};
};
struct ParsedReportTarget {
  ReportTarget target{};
  std::string error{};
};
ParsedReportTarget parse_report_target(const std::string& text);

/// Replaces the file as a whole: {"batch-cpu":25000,…}. Empty, or why not.
std::string write_report_file(const std::string& path, const lending::LentAmounts& amounts);

class Reporting {
 public:
  /// `lender` and `log` must outlive it.
  Reporting(ReportTarget target, lender::Lender& lender, runtime::Log& log)
      : target_(std::move(target)), lender_(lender), log_(log) {}

  /// For the Node: who patches it. To be given before the first tell().
  void set_reporter(kube::NodeReporter reporter);
  /// What the Node says, for the reporter's Heard.
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
  std::optional<lending::LentAmounts> confirmed_{};  ///< what stands on the Node since our last word or look
  /// Asked for, and not confirmed yet; the newest is last. Any of them may stand there, since an answer can
  /// be lost on its way.
  std::vector<lending::LentAmounts> requested_{};
  bool unreported_ = false;  ///< the newest was not logged, since nobody could be told
  std::optional<MonoTime> checked_{};
  MonoTime paused_until_{};
  int rivals_ = 0;
  std::string last_error_{};  ///< the last one said
};

}  // namespace evenkeel::reporting
