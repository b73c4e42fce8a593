#include "tests/support/agents/kubelet_node.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>

#include "agent/api/pages.h"
#include "tests/support/process.h"

namespace evenkeel::test {

KubeletNode::KubeletNode(Kind kind, bool with_api) : kind_(kind), with_api_(with_api) {
  host.machine({.cpus = 4}).v1().cgroupfs().kubepods();
  std::ofstream(dir_.path + "/nodeslo.yaml") << "{}\n";
  std::ofstream(dir_.path + "/token") << "the-token\n";
  log_fd_ = ::open((dir_.path + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  log_ = std::make_unique<runtime::Log>(log_fd_, runtime::LogFormat::text, runtime::LogLevel::info, nullptr);
}

KubeletNode::~KubeletNode() { ::close(log_fd_); }

void KubeletNode::lists(const std::vector<PodText>& pods, const Fault& fault) {
  answers(pod_list_json(pods), fault);
}

void KubeletNode::answers(const std::string& body, const Fault& fault) {
  kubelet.answers(with_fault(
      [body](const Asked& asked, Exchange& exchange) {
        if (asked.header("authorization") != "Bearer the-token")
          return void(exchange.send(http_answer(401, "Unauthorized", {}, "text/plain")));
        exchange.send(asked.target == "/pods" ? chunked_answer(body)
                                              : http_answer(404, "404 page not found"));
      },
      fault));
}

void KubeletNode::start(Pace pace) {
  const auto access_to = [&](const ScriptedServer& server) {
    return kube::KubeAccess{.server = server.url(),
                            .authorities = {server.authority().certificate(), {}},
                            .token = {{}, dir_.path + "/token"}};
  };
  kube::KubeFeed::Options options{.kubelet = access_to(kubelet),
                                  .pods_interval = pace.interval,
                                  .node_interval = pace.interval,
                                  .min_interval = pace.soonest,
                                  .timeout = pace.patience};
  if (with_api_) {
    options.api = access_to(api);
    options.node_name = "node-1";
  }
  if (watches_nodeslo) {
    options.api = access_to(api);
    options.nodeslo_name = "node-1";
  }
  inputs::PodsSource pods{kind_, kube::KubeFeed::pods_url(*options.kubelet)};
  if (pods_at_api) {
    options.api = access_to(api);
    options.pods_node = "node-1";
    pods.api = kube::KubeFeed::api_pods_url(*options.api, "node-1");
  }
  if (kind_ == Kind::api) {
    options.kubelet.reset();
    pods.path = pods.api;
  }
  auto created = Agent::create(
      {.host_root = host.root(),
       .state_dir = dir_.path + "/state",
       .inputs = {.nodeslo = dir_.path + "/nodeslo.yaml",
                  .nodeslo_object =
                      watches_nodeslo ? kube::KubeFeed::nodeslo_object(options.nodeslo_name) : "",
                  .pods = pods,
                  .node_url = with_api_ ? kube::KubeFeed::node_url(*options.api, options.node_name) : "",
                  .pods_interval = pace.interval}},
      *log_, clock_, nullptr);
  agent_ = std::move(created.agent);
  loop_ = std::make_unique<runtime::EventLoop>(std::move(runtime::EventLoop::open().value()));
  const auto react = [this] {
    agent_->react(clock_.now());
    feed_->unknown_cgroup_found(agent_->view().observer.roster().newest_unknown_cgroup());
  };
  feed_ = std::move(
      kube::KubeFeed::open({*loop_, clock_, nullptr, agent_->parts().inputs, react}, options).value());
  for (const auto* client : {feed_->kubelet(), feed_->api()})
    if (client != nullptr) agent_->parts().servers.traffic.push_back(&client->traffic());
  for (const int fd : agent_->descriptors())
    if (!loop_->add(fd, 1 /* EPOLLIN */, [react](std::uint32_t) { react(); })) ::abort();
  if (!loop_->every(std::chrono::milliseconds(10), [this](std::uint64_t) { tick(); })) ::abort();
  tick();
}

void KubeletNode::tick() {
  agent_->tick(clock_.now());
  feed_->unknown_cgroup_found(agent_->view().observer.roster().newest_unknown_cgroup());
  if (!wanted_ || !wanted_()) return;
  happened_ = true;
  loop_->stop();
}

bool KubeletNode::until(const std::function<bool()>& so, std::chrono::milliseconds patience) {
  const auto enough = loop_->timer([this] { loop_->stop(); });
  enough->arm(patience);
  wanted_ = so;
  happened_ = false;
  loop_->run();
  wanted_ = {};
  return happened_;
}

void KubeletNode::run(std::chrono::milliseconds time) {
  until([] { return false; }, time);
}

const Pod* KubeletNode::pod(const std::string& uid) const {
  for (const auto& pod : agent_->view().node().pods)
    if (pod.spec->uid == uid) return pod.spec;
  return nullptr;
}

std::string KubeletNode::log() const { return text_of_file(dir_.path + "/log"); }

int KubeletNode::logged(const std::string& text) const {
  int count = 0;
  const std::string all = log();
  for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) ++count;
  return count;
}

std::string KubeletNode::page(const std::string& path) const {
  return api::Pages(agent_->view()).answer({.path = path}).body;
}

}  // namespace evenkeel::test
