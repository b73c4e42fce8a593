// Network namespaces like those of a Kubernetes node: a node whose uplink leads to a peer, and pods behind
// the node as a CNI plugin sets them up (a veth pair each, routed, masqueraded on the way out). Needs root,
// iproute2 and nft.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace evenkeel::test {

class LiveNetwork {
 public:
  LiveNetwork();
  ~LiveNetwork();
  LiveNetwork(const LiveNetwork&) = delete;
  LiveNetwork& operator=(const LiveNetwork&) = delete;

  [[nodiscard]] const std::string& why_not() const { return unavailable_reason_; }
  /// "nic": the node's uplink.
  static constexpr const char* kLink = "nic";
  static constexpr const char* kPeer = "10.9.0.2";
  /// Adds a pod with this address.
  void add_pod(const std::string& name, const std::string& address);

  /// A program that runs evenkeel in the node's network namespace: for $EVENKEEL_BINARY.
  [[nodiscard]] std::string wrapped(const std::string& program, const std::string& dir) const;
  /// The output of a shell command in the node's network namespace.
  [[nodiscard]] std::string on_node(const std::string& command) const;

  /// A flow that sends as fast as it can.
  struct Flow {
    std::string from{};      ///< a pod's name, "node" or "peer"
    std::string to{};        ///< the same
    std::string address{};   ///< of `to`
    std::string procs{};     ///< not empty: the cgroup.procs of the cgroup that its process joins first
    std::string to_procs{};  ///< the same for the receiver
  };
  /// Received Mbit/s of each flow while all send; measured after their rates have settled.
  [[nodiscard]] std::vector<double> rates(const std::vector<Flow>& flows) const;
  /// The median of `times` round trips of `asker` while the flows send: setting up a connection takes one
  /// packet each way.
  [[nodiscard]] std::chrono::microseconds answer_time(const std::vector<Flow>& flows, const Flow& asker,
                                                      std::size_t times) const;

 private:
  class Running;
  [[nodiscard]] std::string space(const std::string& name) const { return prefix_ + name; }
  void ip(const std::string& where, const std::vector<std::string>& commands);

  std::string prefix_{};
  std::vector<std::string> spaces_{};
  std::string unavailable_reason_{};
};

}  // namespace evenkeel::test
