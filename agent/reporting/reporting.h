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
#include "agent/runtime/log.h"
#include "agent/tick/agent.h"

namespace evenkeel {

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
std::string write_report_file(const std::string& path, const LentAmounts& amounts);

class Reporting {
 public:
  /// `agent` and `log` must outlive it.
  Reporting(ReportTarget target, Agent& agent, Log& log)
      : target_(std::move(target)), agent_(agent), log_(log) {}

  /// For the Node: who patches it. To be given before the first tell().
  void report_through(NodeReporter reporter);
  /// What the Node says, for the reporter's Heard.
  void stands(const LentAmounts& amounts, MonoTime now);
  void failed(const std::string& why);

  /// After each Agent::lend().
  void tell(MonoTime now);
  [[nodiscard]] bool stands_back(MonoTime now) const { return now < silent_until_; }

 private:
  void tell_file(MonoTime now);
  void tell_node(MonoTime now);
  void ask(const Advertised& wanted);
  void say(const Advertised& wanted);
  ReportTarget target_;
  Agent& agent_;
  Log& log_;
  std::optional<NodeReporter> reporter_{};
  std::optional<LentAmounts> confirmed_{};  ///< what stands on the Node since our last word or look
  /// Asked for, and not confirmed yet; the newest is last. Any of them may stand there, since an answer can
  /// be lost on its way.
  std::vector<LentAmounts> asked_{};
  bool unsaid_ = false;  ///< the newest was not logged, since nobody could be told
  std::optional<MonoTime> looked_{};
  MonoTime silent_until_{};
  int rivals_ = 0;
  std::string trouble_{};  ///< the last one said
};

}  // namespace evenkeel
