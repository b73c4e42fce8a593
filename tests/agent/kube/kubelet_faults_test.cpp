// Tests a kubelet that is missing, slow or sends invalid answers: the last valid list stays in force, its age
// is shown, ticks go on, memory and time are bounded, and the log reports only changes.
#include <gtest/gtest.h>

#include "tests/support/agents/kubelet_node.h"
#include "tests/support/resident.h"

namespace evenkeel::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
constexpr long kMostKib = 600 * 1024;  // sanitizers delay freeing memory
#else
constexpr long kMostKib = 150 * 1024;
#endif

using Kind = Fault::Kind;
using std::chrono::milliseconds;

const std::string kUid = "11111111-0000-0000-0000-000000000001";

struct Trouble {
  const char* name;
  Fault fault;
  const char* says;  ///< part of the text of /readyz
};
void PrintTo(const Trouble& trouble, std::ostream* out) { *out << trouble.name; }

class KubeletTrouble : public testing::TestWithParam<Trouble> {};

TEST_P(KubeletTrouble, LeavesTheLastListInForce) {
  KubeletNode node;
  node.host.pod(KubeQos::burstable, kUid, {"c1"});
  const std::vector<PodText> pods = {{.uid = kUid, .name = "web", .container_ids = {"c1"}}};
  node.lists(pods);
  // A busy machine is slow with the large answers; only the slow servers must time out.
  const bool slow = std::string_view(GetParam().says).find("in time") != std::string_view::npos;
  node.start({.interval = milliseconds(20), .patience = milliseconds(slow ? 500 : 30'000)});
  ASSERT_TRUE(node.until([&] { return node.pod(kUid) && node.pod(kUid)->name == "web"; })) << node.log();

  node.lists(pods, GetParam().fault);
  const auto failures = node.pods_state().failures;
  const long before = resident_kib();
  ASSERT_TRUE(node.until([&] { return node.pods_state().failures >= failures + 2; }, milliseconds(120'000)))
      << node.page("/readyz") << node.log();
  const auto ticks = node.ticks();
  node.run(milliseconds(200));
  EXPECT_GE(node.ticks() - ticks, 4U) << "twenty, on a machine that has nothing else to do";
  EXPECT_LT(resident_kib() - before, kMostKib) << "KiB";
  EXPECT_EQ(node.pod(kUid)->name, "web");
  const auto page = node.page("/readyz");
  EXPECT_EQ(page.rfind("ready\n", 0), 0U) << "what is known is enough to go on: " << page;
  EXPECT_NE(page.find("previous text in force"), std::string::npos) << page;
  EXPECT_NE(page.find(GetParam().says), std::string::npos) << page;
  EXPECT_EQ(node.logged("event=input-refused"), 1)
      << "the same trouble twice is reported once: " << node.log();

  const auto other = "22222222-0000-0000-0000-000000000002";
  node.host.pod(KubeQos::besteffort, other, {"c2"});
  ASSERT_TRUE(node.until([&] { return node.pod(other) != nullptr; }));
  EXPECT_TRUE(node.pod(other)->from_cgroup_only) << "who is born meanwhile is known by his directory";

  node.lists(pods);
  ASSERT_TRUE(node.until([&] { return node.pods_state().usable; }, milliseconds(60'000))) << node.log();
  EXPECT_EQ(node.logged("event=input-recovered"), 1) << node.log();
}

INSTANTIATE_TEST_SUITE_P(
    Table, KubeletTrouble,
    testing::Values(
        Trouble{"401", {.kind = Kind::status, .number = 401}, "401 trouble"},
        Trouble{"403", {.kind = Kind::status, .number = 403}, "403 trouble"},
        Trouble{"404", {.kind = Kind::status, .number = 404}, "404 trouble"},
        Trouble{"429", {.kind = Kind::status, .number = 429, .text = "Retry-After: 1\r\n"}, "429 trouble"},
        Trouble{"500", {.kind = Kind::status, .number = 500}, "500 trouble"},
        Trouble{"503", {.kind = Kind::status, .number = 503}, "503 trouble"},
        Trouble{"301", {.kind = Kind::status, .number = 301, .text = "Location: /runningpods/\r\n"}, "301"},
        Trouble{"reset at once", {.kind = Kind::reset}, "the connection ended"},
        Trouble{"reset in the head", {.kind = Kind::reset, .number = 20}, "the connection ended"},
        Trouble{"reset in the body", {.kind = Kind::reset, .number = 200}, "the connection ended"},
        Trouble{"cut in the body", {.kind = Kind::cut, .number = 200}, "the connection ended"},
        Trouble{"no last chunk", {.kind = Kind::cut, .number = 330}, "the connection ended"},
        Trouble{"garbage", {.kind = Kind::garbage}, "answer"},
        Trouble{"huge", {.kind = Kind::huge}, "found more than 1 MiB beside the items of a list"},
        Trouble{"deep", {.kind = Kind::deep}, "answer"}),
    [](const auto& each) { return "Case" + std::to_string(each.index); });

TEST(KubeletTroubles, AMissingKubeletIsRetried) {
  KubeletNode node;
  node.host.pod(KubeQos::burstable, kUid, {"c1"});
  node.lists({{.uid = kUid, .name = "web", .container_ids = {"c1"}}});
  node.start();
  ASSERT_TRUE(node.until([&] { return node.pod(kUid) && node.pod(kUid)->name == "web"; }));
  node.kubelet.stop();
  ASSERT_TRUE(node.until([&] { return node.pods_state().failures >= 3; })) << node.log();
  EXPECT_NE(node.page("/readyz").find("Connection refused"), std::string::npos) << node.page("/readyz");
  EXPECT_EQ(node.pod(kUid)->name, "web");
  EXPECT_FALSE(node.agent().view().node().pods_stale) << "a kubelet may be restarted";
}

TEST(KubeletTroubles, ASlowAnswerIsAccepted) {
  KubeletNode node;
  node.lists({}, {.kind = Kind::delay, .time = milliseconds(300)});
  node.start();
  EXPECT_TRUE(node.until([&] { return node.agent().view().node().pods_known; }));
  EXPECT_GE(node.ticks(), 5U);
  EXPECT_EQ(node.pods_state().failures, 0U);
}

}  // namespace
}  // namespace evenkeel::test
