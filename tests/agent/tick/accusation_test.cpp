// Tests interference detection through the whole agent on a fake node without BPF: a service waits for its
// disk whenever a batch pod does. Checks what the pages, the metrics and the audit log report of it, and of
// the limit.
#include <gtest/gtest.h>

#include "tests/support/agents/accused_node.h"

namespace evenkeel::test {
namespace {

using Words = std::vector<std::string>;

class Accusations : public testing::Test, protected AccusedNode {};

TEST_F(Accusations, ThePageNamesAntagonistAndVictimWithEvidence) {
  ASSERT_EQ(start(), "");
  ASSERT_TRUE(batch_is_found_out()) << page("/v1/interference");
  const document::Value all = interference();
  EXPECT_EQ(text_at(all, {"enabled"}), "true");
  EXPECT_EQ(text_at(all, {"acts"}), "false");
  ASSERT_EQ(all.find("interference")->list()->size(), 1U) << page("/v1/interference");
  const document::Value& one = all.find("interference")->list()->front();
  EXPECT_EQ(text_at(one, {"victim"}), "shop/web");
  EXPECT_EQ(text_at(one, {"antagonist"}), "shop/batch");
  EXPECT_EQ(text_at(one, {"resource"}), "io");
  EXPECT_EQ(text_at(one, {"signal"}), "block-io-stall");
  EXPECT_EQ(text_at(one, {"unit"}), "seconds per second");
  EXPECT_EQ(text_at(one, {"finding"}), "named");
  EXPECT_EQ(text_at(one, {"limited"}), "false");
  EXPECT_NEAR(number_at(one, {"value"}), 0.300, 0.005);
  EXPECT_NEAR(number_at(one, {"usual"}), 0.021, 0.002);
  EXPECT_GT(number_at(one, {"effect"}), 3);
  EXPECT_GT(number_at(one, {"rank_correlation"}), 0.3);
  EXPECT_GT(number_at(one, {"score"}), 0.99);
  EXPECT_LT(number_at(one, {"chance"}), 1e-3);
  EXPECT_TRUE(one.find("blame_share")->null()) << "no sense measured whom it waited for";
  EXPECT_NEAR(number_at(one, {"since"}), now(), 1);
  EXPECT_TRUE(all.find("limits")->list()->empty());
}

TEST_F(Accusations, TheStallBudgetIsChargedDuringAnAccusation) {
  ASSERT_EQ(start(), "");
  ASSERT_TRUE(batch_is_found_out());
  for (int i = 0; i < 4; ++i) suffers();
  const document::Value all = interference();
  ASSERT_EQ(all.find("victims")->list()->size(), 1U);
  const document::Value& victim = all.find("victims")->list()->front();
  EXPECT_EQ(text_at(victim, {"victim"}), "shop/web");
  EXPECT_EQ(text_at(victim, {"workload"}), "shop/web/main");
  EXPECT_NEAR(number_at(victim, {"stalled_by_others_seconds", "io"}), 4 * 0.28, 0.29);
  ASSERT_EQ(all.find("charged")->list()->size(), 1U) << "the busy one is innocent";
  const document::Value& charged = all.find("charged")->list()->front();
  EXPECT_EQ(text_at(charged, {"antagonist"}), "shop/batch");
  EXPECT_EQ(text_at(charged, {"charged_seconds", "io"}),
            text_at(victim, {"stalled_by_others_seconds", "io"}));
  ASSERT_EQ(all.find("workloads")->list()->size(), 1U);
  const document::Value& workload = all.find("workloads")->list()->front();
  EXPECT_EQ(text_at(workload, {"workload"}), "shop/web/main");
  EXPECT_NEAR(number_at(workload, {"stalled_by_others_seconds_last_day", "io"}),
              number_at(victim, {"stalled_by_others_seconds", "io"}), 1e-3);
  EXPECT_NEAR(number_at(charged, {"charged_seconds_last_day", "io"}),
              number_at(charged, {"charged_seconds", "io"}), 1e-3);
}

TEST_F(Accusations, AreMetricsWhileTheyLast) {
  ASSERT_EQ(start(), "");
  const std::string pair =
      R"(evenkeel_interference{victim="shop/web",workload="shop/web/main",antagonist="shop/batch",resource="io",)"
      R"(signal="block-io-stall"})";
  const std::string accused = R"(evenkeel_interference_total{outcome="accused"})";
  const std::string stalled = R"(evenkeel_interference_stalled_seconds_total{cgroup=")" + service() +
                              R"(/aaa",pod="shop/web",resource="io"})";
  const std::string charged =
      R"(evenkeel_interference_charged_seconds_total{antagonist="shop/batch",resource="io"})";
  const std::string lately =
      R"(evenkeel_interference_stalled_seconds_last_day{workload="shop/web/main",resource="io"})";
  for (int i = 0; i < 5; ++i) rests();
  EXPECT_EQ(metric(accused), "0");
  EXPECT_EQ(metric(lately), "0");
  EXPECT_EQ(metric(pair), "<none>");
  EXPECT_EQ(metric(stalled), "0");
  EXPECT_EQ(metric(charged), "<none>");
  ASSERT_TRUE(batch_is_found_out());
  for (int i = 0; i < 2; ++i) suffers();
  EXPECT_EQ(metric(accused), "1");
  EXPECT_GT(std::stod(metric(pair)), 0.99);
  EXPECT_GT(std::stod(metric(stalled)), 0.2);
  EXPECT_EQ(metric(charged), metric(stalled));
  EXPECT_NEAR(std::stod(metric(lately)), std::stod(metric(stalled)), 1e-3);
  EXPECT_EQ(metric(R"(evenkeel_interference_total{outcome="limited"})"), "0");
  ASSERT_TRUE(rests_until("interference-over", 20)) << log();
  EXPECT_EQ(metric(pair), "<none>");
  EXPECT_EQ(metric(accused), "1") << "it was made, for good";
}

TEST_F(Accusations, AreAuditedOnceAtStartAndOnceAtEnd) {
  ASSERT_EQ(start(), "");
  ASSERT_TRUE(batch_is_found_out());
  const auto made = recorded("interference");
  EXPECT_EQ(text_at(made, {"by"}), "interference");
  EXPECT_EQ(text_at(made, {"pod"}), "shop/batch");
  const auto why = text_at(made, {"why"});
  EXPECT_TRUE(why.starts_with("block-io-stall 0.3")) << why;
  EXPECT_NE(why.find(" seconds per second, usual 0.02"), std::string::npos) << why;
  EXPECT_NE(why.find(" times as much with what the antagonist does, rank correlation "), std::string::npos)
      << why;
  EXPECT_NE(why.find("; chance of a false alarm "), std::string::npos) << why;
  const document::Value all = interference();
  EXPECT_EQ(text_at(all.find("interference")->list()->front(), {"why"}), why);
  EXPECT_EQ(line("interference"),
            "event=interference victim=shop/web antagonist=shop/batch resource=io why=\"" + why + '"');
  EXPECT_NE(log().find("level=warning event=interference "), std::string::npos) << log();
  ASSERT_TRUE(rests_until("interference-over", 20)) << log();
  EXPECT_NE(log().find("level=info event=interference-over victim=shop/web antagonist=shop/batch "),
            std::string::npos)
      << log();
  const auto over = recorded("interference-over");
  EXPECT_EQ(text_at(over, {"pod"}), "shop/batch");
  const document::Value after = interference();
  EXPECT_TRUE(after.find("interference")->list()->empty());
  EXPECT_EQ(quota_of_batch(), "max") << "the configuration does not let it act";
  EXPECT_TRUE(events().empty()) << "nothing was done to it";
}

TEST_F(Accusations, EachStepOfALimitThatHelpsIsReported) {
  ASSERT_EQ(start(", act: true, capLease: 30s"), "");
  ASSERT_TRUE(batch_is_found_out());
  ASSERT_TRUE(suffers_until("antagonist-limited")) << log();
  EXPECT_EQ(quota_of_batch(), "20000") << "a quarter of 0.8 CPUs";
  const document::Value meanwhile = interference();
  ASSERT_EQ(meanwhile.find("limits")->list()->size(), 1U);
  const document::Value& limit = meanwhile.find("limits")->list()->front();
  EXPECT_EQ(text_at(limit, {"antagonist"}), "shop/batch");
  EXPECT_EQ(text_at(limit, {"victim"}), "shop/web");
  EXPECT_EQ(text_at(limit, {"remedy"}), "cpu");
  EXPECT_EQ(text_at(limit, {"helps"}), "false") << "not known yet";
  EXPECT_EQ(text_at(meanwhile.find("interference")->list()->front(), {"limited"}), "true");
  EXPECT_TRUE(text_at(limit, {"limit"}).starts_with("0.2 ")) << text_at(limit, {"limit"});
  const auto limited = recorded("antagonist-limited");
  EXPECT_EQ(text_at(limited, {"pod"}), "shop/batch");
  EXPECT_NE(text_at(limited, {"why"}).find("to see whether shop/web recovers: block-io-stall"),
            std::string::npos);
  ASSERT_TRUE(rests_until("antagonist-confirmed", 5)) << log();
  const document::Value then = interference();
  EXPECT_EQ(text_at(then.find("limits")->list()->front(), {"helps"}), "true");
  ASSERT_TRUE(rests_until("antagonist-released", 40)) << log();
  EXPECT_EQ(quota_of_batch(), "max");
  EXPECT_EQ(events(), (Words{"batch write", "batch antagonist-limited", "batch antagonist-confirmed",
                             "batch restore", "batch antagonist-released"}));
  EXPECT_EQ(metric(R"(evenkeel_interference_total{outcome="confirmed"})"), "1");
  EXPECT_EQ(metric(R"(evenkeel_interference_total{outcome="cleared"})"), "0");
}

TEST_F(Accusations, ALimitThatDoesNotHelpIsLiftedAndTheSuspectCleared) {
  ASSERT_EQ(start(", act: true"), "");
  ASSERT_TRUE(batch_is_found_out());
  ASSERT_TRUE(suffers_until("antagonist-limited")) << log();
  ASSERT_EQ(quota_of_batch(), "20000");
  ASSERT_TRUE(suffers_until("antagonist-cleared")) << log();
  EXPECT_EQ(quota_of_batch(), "max");
  EXPECT_NE(line("antagonist-cleared").find("shop/web has not recovered with the limit of 0.2 "),
            std::string::npos)
      << line("antagonist-cleared");
  EXPECT_EQ(metric(R"(evenkeel_interference_total{outcome="cleared"})"), "1");
  for (int i = 0; i < 30; ++i) suffers();
  EXPECT_EQ(metric(R"(evenkeel_interference_total{outcome="limited"})"), "1") << "not again for half an hour";
  EXPECT_EQ(events(),
            (Words{"batch write", "batch antagonist-limited", "batch restore", "batch antagonist-cleared"}));
}

}  // namespace
}  // namespace evenkeel::test
