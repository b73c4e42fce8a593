// What is done to an antagonist reaches its owner: from the policy through the record and the choice of what
// concerns owners to the body of the request.
#include <gtest/gtest.h>

#include "agent/cli/setup.h"
#include "agent/kube/pod_requests.h"
#include "tests/support/agents/accused_node.h"
#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

/// Sends what concerns a pod's owner to a server, as the agent does with --events.
class OwnersServer {
 public:
  OwnersServer() {
    server_.answers([](const Asked&, Exchange& exchange) { exchange.send(http_answer(201, "{}")); });
    EXPECT_TRUE(asker_.loop().every(milliseconds(1), [this](std::uint64_t) {
      if (all_sent()) asker_.stop();
    }));
  }
  void take(const Pod& pod, const record::AuditEvent& event) {
    const auto owners = cli::event_for_owner(pod, event);
    if (!owners) return;
    ++wanted_;
    sender_.send(*owners);
  }
  /// The requests so far, when the last one has been answered.
  std::vector<Asked> asked() {
    if (!all_sent()) asker_.run();
    return server_.asked();
  }

 private:
  [[nodiscard]] bool all_sent() const {
    return sender_.counters().sent + sender_.counters().dropped == wanted_;
  }
  ScriptedServer server_{};
  Asker asker_{};
  runtime::SteppedClock clock_{};
  FixedWallClock wall_{1795231046};
  std::uint64_t wanted_ = 0;
  kube::KubeClient api_ = std::move(
      kube::KubeClient::open(asker_.loop(), asker_.client(), {.server = server_.url()}, "api").value());
  kube::PodEvents sender_ =
      std::move(kube::PodEvents::open(
                    asker_.loop(), api_, clock_, wall_, [] { return 0.0; }, {.node = "n1"},
                    [](const std::string& why) { ADD_FAILURE() << why; })
                    .value());
};

// The agent's stop may report too, so the server is there for longer than the node.
class AccusationEvents : public testing::Test, protected OwnersServer, protected AccusedNode {};

TEST_F(AccusationEvents, TheOwnerOfALimitedPodIsToldEachStep) {
  ASSERT_EQ(start(", act: true, capLease: 30s",
                  [this](const Pod& pod, const record::AuditEvent& event) { take(pod, event); }),
            "");
  ASSERT_TRUE(batch_is_found_out());
  ASSERT_TRUE(suffers_until("antagonist-limited")) << log();
  ASSERT_TRUE(rests_until("antagonist-confirmed", 5)) << log();
  ASSERT_TRUE(rests_until("antagonist-released", 40)) << log();
  std::map<std::string, std::string> messages;
  for (const Asked& asked : OwnersServer::asked()) {
    EXPECT_EQ(asked.target, "/api/v1/namespaces/shop/events");
    const document::Value event = document::parse_json(asked.body, "event").root;
    EXPECT_EQ(text_at(event, {"kind"}), "Event");
    EXPECT_EQ(text_at(event, {"involvedObject", "name"}), "batch");
    EXPECT_EQ(text_at(event, {"involvedObject", "uid"}), "22222222-2222-2222-2222-222222222222");
    EXPECT_EQ(text_at(event, {"source", "component"}), "evenkeel");
    messages[text_at(event, {"reason"})] += text_at(event, {"message"});
  }
  EXPECT_EQ(messages.size(), 3U) << "neither the accusation nor the writes, which are in the audit log";
  for (const auto& [reason, kind] : {std::pair{"AntagonistLimited", "antagonist-limited"},
                                     {"AntagonistConfirmed", "antagonist-confirmed"},
                                     {"AntagonistReleased", "antagonist-released"}})
    EXPECT_EQ(messages[reason], text_at(recorded(kind), {"why"})) << reason << " once, as it is recorded";
  EXPECT_NE(messages["AntagonistLimited"].find("to see whether shop/web recovers: block-io-stall"),
            std::string::npos)
      << messages["AntagonistLimited"];
}

}  // namespace
}  // namespace evenkeel::test
