// A fake node, the whole agent on it, and somebody who is guilty: whenever the pod "batch" waits for the
// disk, so does the service "web". The pod "busy" waits all the time and is innocent.
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

/// The text of a member, by its path; "<none>" when it is not there.
std::string text_at(const document::Value& in, std::initializer_list<std::string_view> path);
double number_at(const document::Value& in, std::initializer_list<std::string_view> path);

class AccusedNode {
 public:
  AccusedNode();
  ~AccusedNode();
  AccusedNode(const AccusedNode&) = delete;
  AccusedNode& operator=(const AccusedNode&) = delete;

  /// The agent, with this added to extensions.evenkeel.interference. What is wrong; empty: it runs.
  std::string start(const std::string& more = {});
  /// A second in which tasks wait for the disk for so many milliseconds.
  void second(int service_ms, int batch_ms);
  void rests() { second(20, 10); }
  void suffers() { second(300, 600); }
  /// The service rests until it is known what is usual; then the batch pod writes for four seconds, rests for
  /// four, and so on. Whether somebody stands accused in the end.
  bool batch_is_found_out();
  /// The service suffers, or rests, until this event is in the log; false: that took too long.
  bool suffers_until(const std::string& event, int most_seconds = 30);
  bool rests_until(const std::string& event, int most_seconds = 30);

  [[nodiscard]] const std::string& service() const { return service_; }  ///< the pod's cgroup
  [[nodiscard]] std::string quota_of_batch() const { return node_.quota_of(batch_); }
  [[nodiscard]] double now() const;  ///< seconds on the agent's clock
  [[nodiscard]] std::string page(const std::string& path) const;
  [[nodiscard]] document::Value interference() const;
  [[nodiscard]] std::string log() const;
  /// The first line of the log with this event, from there on; empty: none.
  [[nodiscard]] std::string line(const std::string& event) const;
  /// The first record of this kind in the audit; null: none.
  [[nodiscard]] document::Value recorded(const std::string& kind) const;
  /// The value of "NAME{LABELS}" as it is written, or "<none>".
  [[nodiscard]] std::string metric(const std::string& labelled) const;
  /// What the owners of pods heard of interference: "NAME KIND".
  [[nodiscard]] const std::vector<std::string>& heard() const { return heard_; }

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
  std::vector<std::string> heard_{};
  std::map<std::string, std::int64_t> waited_ms_{};
  unsigned second_ = 0;
};

}  // namespace evenkeel::test
