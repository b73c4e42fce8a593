#include "tests/support/agents/accused_node.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <utility>

#include "agent/api/metrics.h"
#include "agent/api/pages.h"
#include "tests/support/metrics_page.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

constexpr const char* kService = "11111111-1111-1111-1111-111111111111";
constexpr const char* kBatch = "22222222-2222-2222-2222-222222222222";
constexpr const char* kBusy = "33333333-3333-3333-3333-333333333333";

/// A pod with one container "main".
std::string pod_text(const std::string& name, const std::string& uid, const std::string& qos,
                     const std::string& id) {
  return R"({"metadata":{"namespace":"shop","name":")" + name + R"(","uid":")" + uid +
         R"("},"spec":{"containers":[{"name":"main","image":"i:1"}]},"status":{"phase":"Running","qosClass":")" +
         qos + R"(","containerStatuses":[{"name":"main","containerID":"containerd://)" + id +
         R"(","state":{"running":{}}}]}})";
}

}  // namespace

double number_at(const document::Value& in, std::initializer_list<std::string_view> path) {
  return std::strtod(text_at(in, path).c_str(), nullptr);
}

AccusedNode::AccusedNode()
    : log_path_(temporary_file()),
      log_fd_(::open(log_path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)),
      log_(log_fd_, runtime::LogFormat::text, runtime::LogLevel::info, nullptr) {
  service_ = node_.host.pod(KubeQos::burstable, kService, {"aaa"});
  batch_ = node_.host.pod(KubeQos::besteffort, kBatch, {"bbb"});
  busy_ = node_.host.pod(KubeQos::besteffort, kBusy, {"ccc"});
  std::ofstream(state_.path + "/pods.json")
      << R"({"kind":"PodList","items":[)" << pod_text("web", kService, "Burstable", "aaa") << ','
      << pod_text("batch", kBatch, "BestEffort", "bbb") << ',' << pod_text("busy", kBusy, "BestEffort", "ccc")
      << "]}";
  node_.uses(batch_ + "/bbb", MilliCpu(800));
}

AccusedNode::~AccusedNode() {
  if (agent_) agent_->stop(clock_.now());
  agent_.reset();
  ::close(log_fd_);
  ::unlink(log_path_.c_str());
}

std::string AccusedNode::start(const std::string& more, record::Recorder::PodEventSink also) {
  std::ofstream(state_.path + "/nodeslo.yaml")
      << "extensions: {evenkeel: {interference: {enable: true, stallWindow: 1s" << more << "}}}\n";
  AgentOptions options{.host_root = node_.host.root(), .state_dir = state_.path + "/state", .stepped = true};
  options.inputs.nodeslo = state_.path + "/nodeslo.yaml";
  options.inputs.pods = {inputs::PodsSource::Kind::file, state_.path + "/pods.json"};
  options.inputs.by_text = true;
  auto created = Agent::create(options, log_, clock_, &wall_);
  if (!created.agent) return created.error;
  agent_ = std::move(created.agent);
  agent_->parts().recorder.set_pod_event_sink(
      [this, also = std::move(also)](const Pod& pod, const record::AuditEvent& event) {
        if (event.by == "interference") events_.push_back(pod.name + " " + std::string(event.kind));
        if (also) also(pod, event);
      });
  return {};
}

void AccusedNode::waits(const std::string& cgroup, int milliseconds) {
  auto& total = waited_ms_[cgroup];
  total += milliseconds;
  node_.host.write(Controller::cpuacct, cgroup, "io.pressure",
                   "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + std::to_string(total * 1000) + "\n");
}

void AccusedNode::second(int service_ms, int batch_ms) {
  const int more = ++second_ % 2 == 0 ? 3 : 0;
  waits(service_ + "/aaa", service_ms + more);
  waits(batch_, batch_ms + 2 * more);
  waits(busy_, 500 + 40 * static_cast<int>(second_ % 3));
  node_.run(seconds(1));
  clock_.advance(seconds(1));
  wall_.at += 1;
  agent_->tick(clock_.now());
}

bool AccusedNode::batch_is_found_out() {
  const auto none_accused = [&] {
    return agent_->view().policies.of<interference::InterferenceState>().accusations.empty();
  };
  for (int i = 0; i < 60; ++i) rests();
  for (int i = 0; i < 40 && none_accused(); ++i) i % 8 < 4 ? suffers() : rests();
  return !none_accused();
}

bool AccusedNode::suffers_until(const std::string& event, int most_seconds) {
  for (int i = 0; i < most_seconds && line(event).empty(); ++i) suffers();
  return !line(event).empty();
}

bool AccusedNode::rests_until(const std::string& event, int most_seconds) {
  for (int i = 0; i < most_seconds && line(event).empty(); ++i) rests();
  return !line(event).empty();
}

double AccusedNode::now() const {
  return std::chrono::duration<double>(clock_.now().time_since_epoch()).count();
}

std::string AccusedNode::page(const std::string& path) const {
  return api::Pages(agent_->view()).answer({.path = path}).body;
}

document::Value AccusedNode::interference() const {
  return document::parse_json(page("/v1/interference"), "page").root;
}

std::string AccusedNode::log() const { return text_of_file(log_path_); }

std::string AccusedNode::line(const std::string& event) const {
  const auto text = log();
  const auto at = text.find("event=" + event + " ");
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

document::Value AccusedNode::recorded(const std::string& kind) const {
  const document::Value all = document::parse_json(page("/v1/audit"), "audit").root;
  for (const document::Value& event : *all.find("events")->list())
    if (text_at(event, {"kind"}) == kind) return event;
  return {};
}

std::string AccusedNode::metric(const std::string& labelled) const {
  return metric_text(api::metrics_text(agent_->view()), labelled).value_or("<none>");
}

}  // namespace evenkeel::test
