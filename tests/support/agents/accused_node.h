// A fake node with a complete agent and a guilty batch pod: whenever the pod "batch" waits for the disk, so
// does the service "web". The pod "busy" waits all the time and is innocent.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "agent/document/document.h"
#include "tests/support/fakes/fake_node.h"
#include "tests/support/fakes/fixed_wall.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {

/// The number of a member, by its path; 0: it is none.
double number_at(const document::Value& in, std::initializer_list<std::string_view> path);

class AccusedNode {
 public:
  AccusedNode();
  ~AccusedNode();
  AccusedNode(const AccusedNode&) = delete;
  AccusedNode& operator=(const AccusedNode&) = delete;

  /// Starts the agent with `more` added to extensions.evenkeel.interference; `also` gets every audit event
  /// about a pod. Returns an error text, empty on success.
  std::string start(const std::string& more = {}, record::Recorder::PodEventSink also = {});
  /// One second in which tasks wait for the disk for that many milliseconds.
  void second(int service_ms, int batch_ms);
  void rests() { second(20, 10); }
  void suffers() { second(300, 600); }
  /// The service is quiet until its normal behaviour is learned; then the batch pod writes for four seconds,
  /// pauses for four, and so on. Returns whether a pod is accused in the end.
  bool batch_is_found_out();
  /// The service waits (or not) until this event is logged; false: it was not logged in time.
  bool suffers_until(const std::string& event, int most_seconds = 30);
  bool rests_until(const std::string& event, int most_seconds = 30);

  [[nodiscard]] const std::string& service() const { return service_; }  ///< the pod's cgroup
  [[nodiscard]] std::string quota_of_batch() const { return node_.quota_of(batch_); }
  [[nodiscard]] double now() const;  ///< seconds on the agent's clock
  [[nodiscard]] std::string page(const std::string& path) const;
  [[nodiscard]] document::Value interference() const;
  [[nodiscard]] std::string log() const;
  /// The first log line with this event, from the given position; empty: none.
  [[nodiscard]] std::string line(const std::string& event) const;
  /// The first audit record of this kind; null: none.
  [[nodiscard]] document::Value recorded(const std::string& kind) const;
  /// The value of "NAME{LABELS}" as printed, or "<none>".
  [[nodiscard]] std::string metric(const std::string& labelled) const;
  /// The interference events reported to pods: "NAME KIND".
  [[nodiscard]] const std::vector<std::string>& events() const { return events_; }

 private:
  void waits(const std::string& cgroup, int milliseconds);
  StateDir state_{};
  FakeNode node_{4, FakeNode::Kernel::v2};
  std::string service_{}, batch_{}, busy_{};
  FixedWallClock wall_{1'767'225'600};
  std::string log_path_;
  int log_fd_;
  runtime::Log log_;
  runtime::SteppedClock clock_{};
  std::unique_ptr<Agent> agent_{};
  std::vector<std::string> events_{};
  std::map<std::string, std::int64_t> waited_ms_{};
  unsigned second_ = 0;
};

}  // namespace evenkeel::test
