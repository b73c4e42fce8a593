// Tests patching what others change too: read before it is patched, read again when that failed, and which
// answers are to a patch.
#include "agent/kube/node/versioned_patcher.h"

#include <gtest/gtest.h>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Texts = std::vector<std::string>;

/// The object is one word. An empty one is of no use.
struct VersionedPatcherTest : testing::Test {
  ScriptedServer server{};
  Asker asker{};
  runtime::SystemClock clock{};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  std::string stands{}, wanted = "b";
  Texts read{}, failures{};
  std::size_t enough = 1;  ///< answers of use to wait for
  kube::VersionedPatcher patcher =
      std::move(kube::VersionedPatcher::open(
                    asker.loop(), api, clock, [] { return 0.0; },
                    {.path = "/o", .min_interval = milliseconds(1), .longest_wait = milliseconds(5)},
                    {.read = [this](std::string_view object,
                                    bool patched) { return take(std::string(object), patched); },
                     .as_wanted = [this] { return stands == wanted; },
                     .patch = [this] { return stands + " to " + wanted; },
                     .failed = [this](const std::string& why) { failures.push_back(why); }})
                    .value());

  std::string take(const std::string& object, bool patched) {
    if (object.empty()) return "of no use";
    stands = object;
    read.push_back((patched ? "patched " : "read ") + object);
    if (read.size() >= enough) asker.stop();
    return {};
  }
  /// One after the other; the last one to all further requests.
  void answers(Texts all) {
    server.answers([this, all = std::move(all)](const Asked&, Exchange& exchange) {
      exchange.send(all.at(std::min(server.asked().size(), all.size()) - 1));
    });
  }
  [[nodiscard]] Texts bodies() const {
    Texts out;
    for (const auto& asked : server.asked()) out.push_back(asked.body);
    return out;
  }
};

TEST_F(VersionedPatcherTest, SaysOfEachAnswerWhetherItIsToAPatch) {
  answers({http_answer(200, "a"), http_answer(409, "{}"), http_answer(200, "c"), http_answer(200, "b")});
  enough = 3;
  patcher.look(true);
  asker.run();
  EXPECT_EQ(bodies(), (Texts{"{}", "a to b", "{}", "c to b"}));
  EXPECT_EQ(read, (Texts{"read a", "read c", "patched b"})) << "a refused patch is not the next answer's";
  EXPECT_TRUE(failures.empty());
  EXPECT_TRUE(patcher.settled());
}

TEST_F(VersionedPatcherTest, WhatIsOfNoUseIsReadAgainAndNotPatched) {
  answers({http_answer(200, ""), http_answer(200, ""), http_answer(200, "b")});
  patcher.look(true);
  asker.run();
  EXPECT_EQ(bodies(), (Texts{"{}", "{}", "{}"}));
  EXPECT_EQ(failures, Texts{"of no use"});
  EXPECT_TRUE(patcher.settled());
}

TEST_F(VersionedPatcherTest, IsNotSettledBeforeItHasLookedAgain) {
  answers({http_answer(200, "b"), http_answer(200, "c"), http_answer(200, "b")});
  EXPECT_FALSE(patcher.settled());
  patcher.look(true);
  asker.run();
  EXPECT_TRUE(patcher.settled());
  patcher.look(true);
  EXPECT_FALSE(patcher.settled()) << "another may have changed it";
  enough = 3;
  asker.run();
  EXPECT_EQ(bodies(), (Texts{"{}", "{}", "c to b"}));
  EXPECT_TRUE(patcher.settled());
}

TEST_F(VersionedPatcherTest, FinishesWhenTheObjectIsAsWanted) {
  answers({http_answer(200, "a"), http_answer(200, "b")});
  enough = 100;
  patcher.finish(seconds(20));
  EXPECT_EQ(bodies(), (Texts{"{}", "a to b"}));
  EXPECT_TRUE(patcher.settled());
}

}  // namespace
}  // namespace evenkeel::test
