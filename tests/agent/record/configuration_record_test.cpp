// Tests that each configuration that takes effect leaves a line in the log and one in the audit log.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "agent/agent.h"
#include "tests/support/fakes/fake_node.h"
#include "tests/support/fakes/fixed_wall.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

class ConfigurationRecord : public testing::Test {
 protected:
  ConfigurationRecord() {
    configure("");
    AgentOptions options{
        .host_root = node_.host.root(), .state_dir = node_.host.root() + "/state", .stepped = true};
    options.inputs.nodeslo = path_;
    auto created = Agent::create(options, log_, clock_, &wall_);
    EXPECT_TRUE(created.agent) << created.error;
    agent_ = std::move(created.agent);
    tick();
  }
  ~ConfigurationRecord() override {
    ::close(log_fd_);
    ::unlink(log_path_.c_str());
  }
  void configure(const std::string& nodeslo) { node_.host.file("nodeslo.yaml", nodeslo); }
  void tick() { agent_->tick(MonoTime{} + std::chrono::seconds(++now_)); }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  /// Of the log: after each tick as many as in the audit log.
  [[nodiscard]] std::size_t recorded() const {
    std::string audit;
    for (const auto& remembered : agent_->view().recorder.audit().remembered()) audit += remembered.line;
    const auto logged =
        count(text_of_file(log_path_), "level=info event=configuration source=" + path_ + " fingerprint=");
    EXPECT_EQ(count(audit, path_ + " is in force, fingerprint "), logged) << audit;
    return logged;
  }

  FakeNode node_{4, FakeNode::Kernel::v2};
  std::string path_ = node_.host.root() + "/nodeslo.yaml", log_path_ = temporary_file();
  int log_fd_ = ::open(log_path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  runtime::Log log_{log_fd_, runtime::LogFormat::text, runtime::LogLevel::info, nullptr};
  runtime::SteppedClock clock_{};
  FixedWallClock wall_{1.7e9};
  std::unique_ptr<Agent> agent_{};
  int now_ = 0;
};

TEST_F(ConfigurationRecord, HasALineForEachThatTakesEffect) {
  EXPECT_EQ(recorded(), 1U) << "the first";
  configure("resourceUsedThresholdWithBE: {enable: true}\n");
  tick();
  EXPECT_EQ(recorded(), 2U);
  tick();
  EXPECT_EQ(recorded(), 2U) << "once";
}

TEST_F(ConfigurationRecord, HasNoneForOneThatIsRefusedOrSaysTheSame) {
  configure("resourceUsedThresholdWithBE: {enable: perhaps}\n");
  tick();
  configure("# the defaults, as before\n");
  tick();
  EXPECT_EQ(recorded(), 1U);
}

}  // namespace
}  // namespace evenkeel::test
