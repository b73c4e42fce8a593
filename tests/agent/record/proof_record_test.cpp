// What proof has found and would try: in the log, in the audit log, and as an event on the node.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "agent/record/recorder.h"
#include "cgroup/base/host.h"
#include "cgroup/tree/tree.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

class ProofRecord : public testing::Test {
 public:
  ~ProofRecord() override {
    ::close(log_fd_);
    ::unlink(log_path_.c_str());
  }

 protected:
  /// Seven trials that agree.
  static proof::ProofState found(proof::Verdict verdict) {
    proof::ProofState state;
    proof::Evidence& quota = state.evidence[proof::kBesteffortQuota];
    quota.verdict = verdict;
    quota.trials = 7;
    state.events.push_back({proof::kBesteffortQuota, verdict});
    return state;
  }
  void tell(const proof::ProofState& state, bool dry_run = false) {
    record::Recorder recorder(*record::Audit::open("", nullptr), log_, names_, dry_run);
    recorder.set_node_event_sink(
        [&](const record::AuditEvent& event) { on_node_.append(event.kind).append(" ").append(event.path); });
    record::record_proof(state, recorder, MonoTime{});
    for (const auto& remembered : recorder.audit().remembered()) audit_ += remembered.line;
  }
  [[nodiscard]] std::string said() const { return text_of_file(log_path_); }

  std::string audit_{}, on_node_{};

 private:
  FakeHost fake_{};
  Host host_ = *Host::open(fake_.machine().v2().root());
  tree::CgroupTree tree_{host_, *tree::detect_layout(host_, "")};
  record::PodNames names_{tree_};
  std::string log_path_ = temporary_file();
  int log_fd_ = ::open(log_path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  runtime::Log log_{log_fd_, runtime::LogFormat::text, runtime::LogLevel::info, nullptr};
};

TEST_F(ProofRecord, ALeverThatHarmsIsAWarningAnAuditLineAndAnEventOnTheNode) {
  tell(found(proof::Verdict::harms));
  EXPECT_NE(
      said().find("level=warning event=lever-harms lever=besteffort-quota why=\"the lever harms services"),
      std::string::npos)
      << said();
  EXPECT_NE(audit_.find("\"kind\":\"lever-harms\""), std::string::npos) << audit_;
  EXPECT_NE(audit_.find("in 7 trials with and without it"), std::string::npos) << audit_;
  EXPECT_EQ(on_node_, "lever-harms besteffort-quota");
}

TEST_F(ProofRecord, AVerdictNamesTheEvidenceThatItRestsOn) {
  proof::ProofState state = found(proof::Verdict::unknown);
  proof::Evidence& reported = state.reported[proof::kBesteffortQuota];
  reported.verdict = proof::Verdict::harms;
  reported.feeling = proof::Feeling::reported;
  reported.trials = reported.logs = 5;
  state.events = {{proof::kBesteffortQuota, proof::Verdict::harms}};
  tell(state);
  EXPECT_NE(audit_.find("1.00 times the reported figure of services (1.00 to 1.00) in 5 trials"),
            std::string::npos)
      << audit_;
  EXPECT_EQ(on_node_, "lever-harms besteffort-quota");
}

TEST_F(ProofRecord, AnyOtherVerdictIsNoEvent) {
  tell(found(proof::Verdict::helps));
  tell(found(proof::Verdict::no_difference));
  EXPECT_NE(said().find("level=info event=lever-helps"), std::string::npos) << said();
  EXPECT_NE(said().find("level=info event=lever-makes-no-difference"), std::string::npos) << said();
  EXPECT_NE(audit_.find("\"kind\":\"lever-helps\""), std::string::npos) << audit_;
  EXPECT_EQ(on_node_, "");
}

TEST_F(ProofRecord, ATrialIsOneLineAndADryRunSaysWhatItWouldTry) {
  proof::ProofState state;
  state.trial = proof::Trial{.lever = proof::kBesteffortQuota};
  state.begun = true;
  tell(state);
  EXPECT_NE(said().find("event=trial lever=besteffort-quota"), std::string::npos) << said();
  EXPECT_NE(said().find("compares=\"run-queue wait\""), std::string::npos) << said();
  tell(state, true);
  EXPECT_NE(said().find("event=would-withhold lever=besteffort-quota"), std::string::npos) << said();
  EXPECT_EQ(audit_, "");
}

}  // namespace
}  // namespace evenkeel::test
