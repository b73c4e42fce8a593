// A fake host with an agent in its event loop and a scripted kubelet: real sockets, real TLS, real timers,
// ticks of 10 ms. Tests can wait until the agent knows an answer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/kube/kube_feed.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/fakes/faults.h"
#include "tests/support/fakes/http_script.h"
#include "tests/support/fakes/kubelet_texts.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {

class KubeletNode {
 public:
  using Kind = inputs::PodsSource::Kind;
  explicit KubeletNode(Kind kind = Kind::kubelet, bool with_api = false);
  ~KubeletNode();
  KubeletNode(const KubeletNode&) = delete;
  KubeletNode& operator=(const KubeletNode&) = delete;

  FakeHost host{};
  ScriptedServer kubelet{{.tls = true}};
  ScriptedServer api{{.tls = true}};
  bool watches_nodeslo = false;  ///< --nodeslo-source api, for node-1; before start()
  bool pods_at_api = false;      ///< the API server is a source of node-1's pods; before start()

  /// Sets the list that the kubelet returns, and the fault that goes with it.
  void lists(const std::vector<PodText>& pods, const Fault& fault = {});
  void answers(const std::string& body, const Fault& fault = {});
  /// Starts the agent with shorter intervals than on a real node.
  struct Pace {
    Duration interval{std::chrono::milliseconds(50)}, soonest{std::chrono::milliseconds(20)};
    Duration patience{std::chrono::seconds(10)};
  };
  void start(Pace pace);
  void start() { start(Pace{}); }
  /// Runs until the condition holds; false after `patience`.
  bool until(const std::function<bool()>& so,
             std::chrono::milliseconds patience = std::chrono::milliseconds(10'000));
  void run(std::chrono::milliseconds time);

  [[nodiscard]] Agent& agent() { return *agent_; }
  [[nodiscard]] inputs::InputState nodeslo_state() const { return agent_->view().inputs.states().at(0); }
  [[nodiscard]] inputs::InputState pods_state() const { return agent_->view().inputs.states().at(1); }
  [[nodiscard]] inputs::InputState node_state() const { return agent_->view().inputs.states().at(2); }
  /// The pod's spec as policies see it; null: unknown.
  [[nodiscard]] const Pod* pod(const std::string& uid) const;
  [[nodiscard]] std::string log() const;
  [[nodiscard]] int logged(const std::string& text) const;
  [[nodiscard]] std::string api_pods_url() const {
    return api.url("/api/v1/pods?fieldSelector=spec.nodeName=node-1");
  }
  [[nodiscard]] std::string page(const std::string& path) const;
  [[nodiscard]] std::uint64_t ticks() const { return agent_->view().tick.counters().ticks; }

 private:
  void tick();
  Kind kind_;
  bool with_api_;
  StateDir dir_{};
  runtime::SystemClock clock_{};
  int log_fd_ = -1;
  std::unique_ptr<runtime::Log> log_{};
  std::unique_ptr<runtime::EventLoop> loop_{};
  std::unique_ptr<Agent> agent_{};
  std::unique_ptr<kube::KubeFeed> feed_{};
  std::function<bool()> wanted_{};
  bool happened_ = false;
};

}  // namespace evenkeel::test
