// How interference is measured is said when it changes, and stands in the metrics.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "agent/agent.h"
#include "agent/api/metrics.h"
#include "agent/record/health.h"
#include "cgroup/base/result.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

class LogPipe {
 public:
  LogPipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0);
    read_ = Fd(ends[0]);
    write_ = Fd(ends[1]);
    log.emplace(write_.get(), runtime::LogFormat::text, runtime::LogLevel::info, nullptr);
  }
  std::string lines() const {
    std::array<char, 8192> text{};
    const auto size = ::read(read_.get(), text.data(), text.size());
    return {text.data(), size < 0 ? 0 : static_cast<std::size_t>(size)};
  }
  std::optional<runtime::Log> log{};

 private:
  Fd read_{}, write_{};
};

TEST(MeasurementStatus, TheReasonOfTheCountersIsSaidOnceAndWhenItChanges) {
  const LogPipe pipe;
  runtime::Log log = *pipe.log;
  record::MeasurementStatusLog status_log;
  NodeSnapshot node;
  status_log.log_changes(node, log);
  EXPECT_EQ(pipe.lines(), "") << "not configured, so nothing is amiss";
  node.counters.why = "cycles: ENOENT";
  for (int i = 0; i < 3; ++i) status_log.log_changes(node, log);
  EXPECT_EQ(pipe.lines(), "level=info event=counter-backend backend=none why=\"cycles: ENOENT\"\n");
  node.counters.backend = CounterBackend::rotating;
  status_log.log_changes(node, log);
  EXPECT_EQ(pipe.lines(), "level=info event=counter-backend backend=rotating why=\"cycles: ENOENT\"\n");
  node.counters.why.clear();
  for (int i = 0; i < 3; ++i) status_log.log_changes(node, log);
  EXPECT_EQ(pipe.lines(), "level=info event=counter-backend backend=rotating why=\"\"\n");
}

TEST(MeasurementStatus, ThatDescriptorsAreScarceIsSaidWhenItBeginsAndEnds) {
  const LogPipe pipe;
  runtime::Log log = *pipe.log;
  record::MeasurementStatusLog status_log;
  status_log.log_changes(record::DescriptorUse{.needed = 900}, log);
  EXPECT_EQ(pipe.lines(), "");
  for (const std::size_t reopened : {300U, 310U, 290U})
    status_log.log_changes(record::DescriptorUse{.needed = 1300, .reopened = reopened}, log);
  const auto lines = pipe.lines();
  EXPECT_TRUE(lines.starts_with("level=warning event=few-descriptors needed=1300 reopened=300 why="))
      << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
  for (int i = 0; i < 3; ++i) status_log.log_changes(record::DescriptorUse{.needed = 900}, log);
  EXPECT_EQ(pipe.lines(), "level=info event=enough-descriptors needed=900\n");
}

TEST(MeasurementStatus, TheSchedulerIsLoggedOnce) {
  const LogPipe pipe;
  runtime::Log log = *pipe.log;
  record::MeasurementStatusLog status_log;
  NodeSnapshot node;
  node.scheduler.fair = FairScheduler::eevdf;
  for (int i = 0; i < 3; ++i) status_log.log_changes(node, log);
  EXPECT_EQ(pipe.lines(), "level=info event=scheduler algorithm=EEVDF request_sizes=\"cannot be set\"\n");
}

TEST(MeasurementStatus, RefusedRequestSizesAreAWarningOnce) {
  const LogPipe pipe;
  runtime::Log log = *pipe.log;
  record::MeasurementStatusLog status_log;
  NodeSnapshot node;
  node.scheduler.request_sizes_refused = true;
  for (int i = 0; i < 3; ++i) status_log.log_changes(node, log);
  const auto lines = pipe.lines();
  EXPECT_EQ(lines.find("level=warning event=request-sizes-refused why="), 0U) << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
  node.scheduler.request_sizes_refused = false;
  for (int i = 0; i < 3; ++i) status_log.log_changes(node, log);
  EXPECT_EQ(pipe.lines().find("level=info event=request-sizes-accepted"), 0U);
}

TEST(MeasurementStatus, ALoadedBpfSchedulerIsAWarningOnce) {
  const LogPipe pipe;
  runtime::Log log = *pipe.log;
  record::MeasurementStatusLog status_log;
  NodeSnapshot node;
  node.scheduler.sched_ext = true;
  for (int i = 0; i < 3; ++i) status_log.log_changes(node, log);
  const auto lines = pipe.lines();
  EXPECT_EQ(lines.find("level=warning event=bpf-scheduler-loaded why="), 0U) << lines;
  EXPECT_EQ(lines.find("loaded", 40), std::string::npos) << lines;
  node.scheduler.sched_ext = false;
  for (int i = 0; i < 3; ++i) status_log.log_changes(node, log);
  EXPECT_NE(pipe.lines().find("event=bpf-scheduler-unloaded"), std::string::npos);
}

TEST(MeasurementStatus, SoIsTheReasonOfTheRunQueue) {
  const LogPipe pipe;
  runtime::Log log = *pipe.log;
  record::MeasurementStatusLog status_log;
  NodeSnapshot node;
  node.run_queue.source = RunQueueSource::schedstat;
  node.run_queue.why = "EPERM: rights";
  for (int i = 0; i < 3; ++i) status_log.log_changes(node, log);
  EXPECT_EQ(pipe.lines(), "level=info event=run-queue-source source=schedstat why=\"EPERM: rights\"\n");
  node.run_queue.source = RunQueueSource::none;
  node.run_queue.why += "; more than 1000 tasks in containers, each of them looked at for nothing so far";
  status_log.log_changes(node, log);
  EXPECT_NE(pipe.lines().find("source=none why=\"EPERM: rights; more than 1000"), std::string::npos);
  const AllocGuard guard;
  status_log.log_changes(node, log);
  EXPECT_EQ(guard.allocations(), 0U);
}

/// On a host that is only a directory, nothing can be loaded and nothing counted.
TEST(MeasurementStatus, StandsInTheMetricsAndInTheAgentsLog) {
  FakeHost host;
  host.machine({.cpus = 4}).v2().kubepods();
  const auto slo = host.root() + "/nodeslo.yaml";
  const auto write = [&](const char* text) { std::ofstream(slo) << text << std::flush; };
  write("extensions: {evenkeel: {interference: {enable: true, counters: false}}}\n");
  AgentOptions options{.host_root = host.root(), .state_dir = host.root() + "/state", .stepped = true};
  options.inputs.nodeslo = slo;
  const LogPipe pipe;
  runtime::Log log = *pipe.log;
  runtime::SteppedClock clock;
  const auto agent = Agent::create(options, log, clock, nullptr).agent;
  ASSERT_TRUE(agent);
  const std::string why = "not tried: /sys/fs/cgroup is not the kernel's";
  for (int second = 1; second < 4; ++second) agent->tick(MonoTime{} + std::chrono::seconds(second));
  EXPECT_NE(api::metrics_text(agent->view())
                .find("\nevenkeel_run_queue_source{source=\"none\",why=\"" + why + "\"} 1\n"),
            std::string::npos);
  const auto said = pipe.lines();
  const auto line = said.find("event=run-queue-source source=none why=\"" + why + "\"");
  EXPECT_NE(line, std::string::npos) << said;
  EXPECT_EQ(said.find("event=run-queue-source", line + 1), std::string::npos) << "once";
  write("{}\n");
  agent->tick(MonoTime{} + std::chrono::seconds(5));
  EXPECT_EQ(api::metrics_text(agent->view()).find("evenkeel_run_queue_source"), std::string::npos)
      << "not configured";
}

}  // namespace
}  // namespace evenkeel::test
