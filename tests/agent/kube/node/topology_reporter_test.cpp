// Tests creating and patching the NodeResourceTopology at an API server that has it, or has not.
#include "agent/kube/node/topology_reporter.h"

#include <gtest/gtest.h>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/api_server.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kPath = "/apis/topology.node.k8s.io/v1alpha1/noderesourcetopologies";

/// The object's text is whatever was written last; "patched" replaces it.
struct TopologyReporterTest : testing::Test {
  ScriptedServer server{};
  Asker asker{};
  runtime::SystemClock clock{};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  kube::TopologyBody wanted = "wanted";
  Duration start{milliseconds(10)}, look_interval{std::chrono::hours(1)};
  std::vector<std::string> outcomes{};
  std::function<bool()> enough = [this] { return !outcomes.empty(); };
  std::optional<kube::TopologyReporter> reporter{};

  void run() {
    reporter.emplace(std::move(
        kube::TopologyReporter::open(asker.loop(), api, clock, [] { return 0.5; },
                                     {.node = "n1",
                                      .start = start,
                                      .interval = milliseconds(30),
                                      .look_interval = look_interval,
                                      .min_interval = milliseconds(5),
                                      .longest_wait = milliseconds(40)},
                                     {.object = [this](const std::string& uid) -> kube::TopologyBody {
                                        return wanted ? uid + ":" + *wanted : wanted;
                                      },
                                      .patch = [this](const std::string& standing) -> kube::TopologyBody {
                                        if (!wanted || standing.ends_with(*wanted))
                                          return wanted ? std::string() : wanted;
                                        return *wanted;
                                      },
                                      .on_change =
                                          [this](const record::ReportState& state) {
                                            outcomes.push_back(state.last_error);
                                            if (enough()) asker.stop();
                                          }})
            .value()));
    asker.run();
  }
  /// A server without the object until it is created.
  void serves(std::string object) {
    auto held = std::make_shared<std::string>(std::move(object));
    server.answers([held](const Asked& asked, Exchange& exchange) {
      if (asked.method == "GET")
        return void(exchange.send(http_answer(200, R"({"kind":"Node","metadata":{"uid":"u-1"}})")));
      if (asked.method == "PATCH" && held->empty())
        return void(exchange.send(refusal(404, "NotFound", "not found")));
      if (asked.body != "{}") *held = asked.body;
      exchange.send(http_answer(asked.method == "POST" ? 201 : 200, *held));
    });
  }
  [[nodiscard]] std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const auto& one : server.asked()) out.push_back(one.method + ' ' + one.target + ' ' + one.body);
    return out;
  }
};

TEST_F(TopologyReporterTest, CreatesTheObjectForItsNode) {
  serves("");
  run();
  EXPECT_EQ(outcomes, std::vector<std::string>{""});
  const std::string path = kPath;
  EXPECT_EQ(requests(),
            (std::vector<std::string>{"PATCH " + path + "/n1 {}", "GET /api/v1/nodes/n1?resourceVersion=0 ",
                                      "POST " + path + " u-1:wanted"}));
  EXPECT_EQ(server.asked()[0].header("content-type"), "application/merge-patch+json");
  EXPECT_EQ(server.asked()[2].header("content-type"), "application/json");
}

TEST_F(TopologyReporterTest, CreatesItAgainForTheNodeThatIsThereThen) {
  look_interval = milliseconds(10);
  auto registered = std::make_shared<int>(1);
  auto held = std::make_shared<std::string>();
  server.answers([registered, held](const Asked& asked, Exchange& exchange) {
    if (asked.method == "GET")
      return void(exchange.send(http_answer(
          200, R"({"kind":"Node","metadata":{"uid":"u-)" + std::to_string(*registered) + R"("}})")));
    if (asked.method == "POST") {
      *held = asked.body;
      return void(exchange.send(http_answer(201, *held)));
    }
    if (!held->empty() && *registered == 1) {  // the Node is deleted, and its object with it
      *registered = 2;
      held->clear();
    }
    exchange.send(held->empty() ? refusal(404, "NotFound", "not found") : http_answer(200, *held));
  });
  std::vector<std::string> created;
  enough = [] { return false; };
  ASSERT_TRUE(asker.loop().every(milliseconds(1), [&](std::uint64_t) {
    created.clear();
    for (const auto& one : server.asked())
      if (one.method == "POST") created.push_back(one.body);
    if (created.size() == 2) asker.stop();
  }));
  run();
  EXPECT_EQ(created, (std::vector<std::string>{"u-1:wanted", "u-2:wanted"}));
}

TEST_F(TopologyReporterTest, PatchesOnlyWhatDiffersAndLooksForOthersNowAndThen) {
  serves("old");
  run();
  EXPECT_EQ(server.asked().size(), 2U) << "a look, and the patch";
  EXPECT_EQ(server.asked()[1].body, "wanted");
  const auto quiet = asker.loop().timer([this] { asker.stop(); });
  quiet->arm(milliseconds(200));
  asker.run();
  EXPECT_EQ(server.asked().size(), 2U) << "nothing differs";
  wanted = "newer";
  quiet->arm(milliseconds(200));
  asker.run();
  EXPECT_EQ(server.asked().size(), 3U);
  EXPECT_EQ(server.asked().back().body, "newer");
  EXPECT_EQ(reporter->state().accepted, 2U) << "both patches";
  EXPECT_EQ(reporter->state().failures, 0U);
  EXPECT_GT(reporter->state().last_accepted.value(), MonoTime{});
}

TEST_F(TopologyReporterTest, LooksForWhatOthersHaveChanged) {
  serves("wanted");
  look_interval = milliseconds(50);
  run();
  const auto while_looking = asker.loop().timer([this] { asker.stop(); });
  while_looking->arm(milliseconds(400));
  asker.run();
  EXPECT_GE(server.asked().size(), 3U);
  for (const auto& one : server.asked()) EXPECT_EQ(one.body, "{}");
  EXPECT_GE(reporter->state().accepted + 1, server.asked().size()) << "a look says, too, that it stands";
}

TEST_F(TopologyReporterTest, AConflictIsReadAgainWithoutComplaint) {
  auto held = std::make_shared<int>(0);
  server.answers([held](const Asked& asked, Exchange& exchange) {
    const bool conflict = asked.body != "{}" && (*held)++ == 0;
    exchange.send(conflict ? refusal(409, "Conflict", "modified")
                           : http_answer(200, asked.body == "{}" ? "old" : asked.body));
  });
  run();
  EXPECT_EQ(outcomes, std::vector<std::string>{""});
  EXPECT_EQ(server.asked().size(), 4U) << "look, patch, look, patch";
}

TEST_F(TopologyReporterTest, ToldOnceWhyItFails) {
  auto allowed = std::make_shared<bool>(false);
  server.answers([this, allowed](const Asked&, Exchange& exchange) {
    *allowed = server.asked().size() > 3;
    exchange.send(*allowed ? http_answer(200, "wanted") : refusal(403, "Forbidden", "cannot patch it"));
  });
  enough = [this] { return outcomes.back().empty(); };
  run();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"403 cannot patch it", ""}));
  EXPECT_GE(reporter->state().failures, 3U) << "each of them counts";
  EXPECT_EQ(reporter->state().accepted, 1U);
}

TEST_F(TopologyReporterTest, SaysThatTheClusterHasNoSuchResource) {
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(404, "404 page not found\n", {}, "text/plain"));
  });
  run();
  EXPECT_EQ(outcomes.front(),
            "404 the cluster has no NodeResourceTopology resource (topology.node.k8s.io/v1alpha1)");
}

TEST_F(TopologyReporterTest, SendsNothingWhileTheContentIsUnknown) {
  serves("old");
  wanted = tl::unexpected(std::string("the pods are not known yet"));
  enough = [this] {
    if (wanted) return true;
    wanted = "wanted";
    return false;
  };
  run();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"the pods are not known yet", ""}));
  EXPECT_EQ(server.asked().size(), 2U);
}

TEST_F(TopologyReporterTest, SendsAsSoonAsTheContentIsKnownWithoutComplaint) {
  serves("old");
  start = std::chrono::seconds(2);  // the first request comes in the middle of it
  wanted = tl::unexpected(std::string("the pods are not known yet"));
  const auto known = asker.loop().timer([this] { wanted = "wanted"; });
  known->arm(milliseconds(1200));
  const auto began = clock.now();
  run();
  EXPECT_EQ(outcomes, std::vector<std::string>{""});
  EXPECT_GE(clock.now() - began, milliseconds(1200));
  EXPECT_EQ(reporter->state().failures, 0U) << "it has just begun";
}

}  // namespace
}  // namespace evenkeel::test
