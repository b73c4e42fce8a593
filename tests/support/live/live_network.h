// A small world of network namespaces: a node whose way out leads to a peer, and pods behind the node as a
// container network makes them (a veth pair each, routed, translated to the node's address on the way out).
// Needs root, iproute2 and nft.
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

  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// "nic": the node's way out.
  static constexpr const char* kLink = "nic";
  static constexpr const char* kPeer = "10.9.0.2";
  /// Makes one with this address.
  void add_pod(const std::string& name, const std::string& address);

  /// A program that is evenkeel in the node's network: for $EVENKEEL_BINARY.
  [[nodiscard]] std::string wrapped(const std::string& program, const std::string& dir) const;
  /// What a shell in the node's network prints.
  [[nodiscard]] std::string on_node(const std::string& command) const;

  /// One that sends as much as it can.
  struct Flow {
    std::string from{};      ///< a pod's name, "node" or "peer"
    std::string to{};        ///< the same
    std::string address{};   ///< of `to`
    std::string procs{};     ///< not empty: its process goes into this cgroup first (its cgroup.procs)
    std::string to_procs{};  ///< the same of who receives
  };
  /// What arrives of each, in Mbit/s, while all of them send; after they have found their pace.
  [[nodiscard]] std::vector<double> rates(const std::vector<Flow>& flows) const;
  /// How long `asker` waits for an answer over the network while the flows send, in the middle of `times`
  /// times: to make a connection takes one packet each way.
  [[nodiscard]] std::chrono::microseconds answer_time(const std::vector<Flow>& flows, const Flow& asker,
                                                      std::size_t times) const;

 private:
  class Running;
  [[nodiscard]] std::string space(const std::string& name) const { return prefix_ + name; }
  void ip(const std::string& where, const std::vector<std::string>& commands);

  std::string prefix_{};
  std::vector<std::string> spaces_{};
  std::string why_not_{};
};

}  // namespace evenkeel::test
