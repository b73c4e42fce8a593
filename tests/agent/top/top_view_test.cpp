// Tests what `evenkeel top` reads from the agent's pages, and the lines that it makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "agent/top/view.h"

namespace evenkeel::test {
namespace {

using Lines = std::vector<std::string>;
using Words = std::vector<std::string>;

constexpr const char* kSnapshot = R"({"now":12.5,"pods_known":true,
"node":{"cpu_capacity_millis":16000,"cpu_use_millis":10400,"cpu_stolen_millis":0,"online_cpus":"0-15",
 "memory":{"total_bytes":68719476736,"available_bytes":51539607552,"hugepages_bytes":0},
 "pressure":{"cpu":{"some_seconds_total":1.0,"some_avg10_percent":1.5},
  "memory":{"some_seconds_total":1.0,"some_avg10_percent":0.0,"full_seconds_total":0.0,"full_avg10_percent":0.0},
  "io":null}},
"cgroups":[
{"path":"kubepods","kind":"kubepods","cpu_use_millis":7450},
{"path":"kubepods/besteffort","kind":"qos","cpu_use_millis":1200,"cpu_quota_us":315000,"cpu_period_us":100000},
{"path":"kubepods/besteffort/pod1","kind":"pod","pod":"batch/encode","cpu_use_millis":1200,"throttling":null,
 "memory":{"working_set_bytes":null},"pressure":{"cpu":null,"memory":null,"io":null},
 "cpu_quota_us":null,"cpu_period_us":null},
{"path":"kubepods/burstable/pod2","kind":"pod","pod":"shop/checkout","cpu_use_millis":6000,
 "throttling":{"periods":0,"throttled_periods":0},"memory":{"working_set_bytes":1073741824},
 "pressure":{"cpu":{"some_avg10_percent":12.34},"memory":{"some_avg10_percent":0.5},"io":null},
 "cpu_quota_us":"unlimited","cpu_period_us":100000},
{"path":"kubepods/burstable/pod2/a","kind":"container","pod":"shop/checkout",
 "throttling":{"periods":10,"throttled_periods":3}},
{"path":"kubepods/burstable/pod2/b","kind":"container","pod":"shop/checkout",
 "throttling":{"periods":10,"throttled_periods":1}},
{"path":"system/db","kind":"host-application","cpu_use_millis":null,"cpu_quota_us":150000,"cpu_period_us":100000}
]})";

constexpr const char* kExplain = R"({"managed":[
{"cgroup":"kubepods/besteffort","file":"cpu.max","value":"315000 100000","policy":"cpu-suppress",
 "sentence":"best effort may use 3.15 CPUs","yielded":false},
{"cgroup":"kubepods/burstable/pod2/a","file":"cpu.max.burst","policy":"cpu-burst","sentence":"s","yielded":false},
{"cgroup":"kubepods/burstable/pod2/b","file":"cpu.max.burst","policy":"cpu-burst","sentence":"s","yielded":false},
{"cgroup":"kubepods/burstable/pod2","file":"memory.low","policy":"memory-qos","sentence":"s","yielded":true}],
"lending":{"advertised":{"batch-cpu":25000,"batch-memory":35433480192},"held":{"batch-cpu":12000,"batch-memory":null}},
"withdrawn":[{"lever":"besteffort-quota","why":"it harms"}]})";

constexpr const char* kMetrics = R"(# HELP evenkeel_writes_total Values.
# TYPE evenkeel_writes_total counter
evenkeel_writes_total 123
evenkeel_refusals_total 0
evenkeel_foreign_writes_total 4
evenkeel_ticks_total 3456
evenkeel_brake_on{resource="cpu"} 1
evenkeel_brakes_total{resource="cpu"} 12
evenkeel_braked_seconds_total{resource="cpu"} 3.4
)";

top::View view_of(const std::string& snapshot, const std::string& explain = kExplain,
                  const std::string& metrics = kMetrics) {
  auto view = top::read_view({snapshot, explain, metrics});
  EXPECT_TRUE(view);
  return view ? *view : top::View{};
}

Words words_of(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string joined(const Lines& lines) {
  std::string out;
  for (const auto& line : lines) out += line + "\n";
  return out;
}

TEST(TopView, ShowsTheNodeFirst) {
  const auto lines = top::render(view_of(kSnapshot), {});
  const Lines wanted = {
      "node cpu     10.4 CPUs of 16 CPUs (65 %), stolen 0 CPUs",
      "node memory  16 GiB of 64 GiB (25 %) in use",
      "waits, 10 s  cpu 1.5 %, memory 0.0 % (all tasks 0.0 %), io - (all tasks -)",
      "services     6.25 CPUs",
      "best effort  1.2 CPUs, limit 3.15 CPUs, by cpu.max (cpu-suppress)",
      "             best effort may use 3.15 CPUs",
      "lent         batch-cpu 25 CPUs (requested 12 CPUs), batch-memory 33 GiB (requested -)",
      "brakes       cpu on (12 times, 3.4 s), memory - (- times, -)",
      "levers       cpu-burst 2, cpu-suppress 1; withdrawn: besteffort-quota",
      "counts       writes 123, refusals 0, foreign writes 4, evictions -, ticks 3456",
      ""};
  ASSERT_GT(lines.size(), wanted.size());
  EXPECT_EQ(Lines(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(wanted.size())), wanted);
}

TEST(TopView, ShowsThePodsWithTheHighestUseFirst) {
  const auto lines = top::render(view_of(kSnapshot), {});
  ASSERT_EQ(lines.size(), 15U) << joined(lines);
  EXPECT_EQ(words_of(lines[11]), (Words{"POD", "CLASS", "CPU", "LIMIT", "THROT", "MEMORY", "STALL"}));
  EXPECT_EQ(words_of(lines[12]),
            (Words{"shop/checkout", "Burst", "6.00", "none", "30%", "1", "GiB", "12.3%", "cpu"}))
      << "the container that is throttled most counts";
  EXPECT_EQ(words_of(lines[13]), (Words{"batch/encode", "BE", "1.20", "-", "-", "-", "-"}));
  EXPECT_EQ(words_of(lines[14]), (Words{"system/db", "host", "-", "1.50", "-", "-", "-"}))
      << "an unknown use is no zero, and comes last";
  for (std::size_t i = 12; i < lines.size(); ++i)
    EXPECT_EQ(characters(lines[i]), characters(lines[11])) << lines[i];
}

TEST(TopView, WhatIsAbsentIsNoZero) {
  const auto view = view_of(R"({"node":{},"cgroups":[]})", R"({"managed":[]})", "");
  const auto text = joined(top::render(view, {}));
  EXPECT_EQ(text,
            "node cpu     - of -, stolen -\n"
            "node memory  - of - in use\n"
            "waits, 10 s  cpu -, memory - (all tasks -), io - (all tasks -)\n"
            "services     -\n"
            "best effort  -, limit -, no lever on it\n"
            "lent         batch-cpu - (requested -), batch-memory - (requested -)\n"
            "brakes       cpu - (- times, -), memory - (- times, -)\n"
            "levers       no value is held\n"
            "counts       writes -, refusals -, foreign writes -, evictions -, ticks -\n"
            "\n"
            "POD              CLASS    CPU  LIMIT THROT       MEMORY      STALL\n");
}

TEST(TopView, ADirectoryWithoutALimitIsNotOneWithoutAFigure) {
  const auto view = view_of(
      R"({"node":{},"cgroups":[{"path":"kubepods/besteffort","kind":"qos","cpu_use_millis":1,"cpu_quota_us":"unlimited"}]})");
  EXPECT_NE(joined(top::render(view, {})).find("0.001 CPUs, no limit, by cpu.max"), std::string::npos);
  EXPECT_FALSE(view.services_use) << "the use of all pods is not known";
}

TEST(TopView, NumbersThatAreNoneAreAbsent) {
  for (const char* bad : {"1e300", "-5", "\"many\"", "99999999999999999999", "true", "[]", "{}", "null"}) {
    const auto view = view_of(
        std::string(R"({"node":{"cpu_use_millis":)") + bad +
        R"(},"cgroups":[{"path":"kubepods/podx","kind":"pod","cpu_quota_us":)" + bad +
        R"(,"cpu_period_us":100000,"pressure":{"cpu":{"some_avg10_percent":"nan"}},"throttling":{"periods":)" +
        bad +
        R"(,"throttled_periods":1}},{"path":"kubepods/pody","kind":"pod","cpu_quota_us":5,"cpu_period_us":0}]})");
    EXPECT_FALSE(view.cpu_use) << bad;
    ASSERT_EQ(view.pods.size(), 2U);
    for (const auto& pod : view.pods)
      EXPECT_FALSE(pod.limit.cpu || pod.limit.unlimited || pod.throttled_percent || pod.stall_percent) << bad;
  }
  const auto view = view_of(kSnapshot, kExplain,
                            "evenkeel_writes_total NaN\nevenkeel_ticks_total +Inf\nevenkeel_refusals_total");
  EXPECT_FALSE(view.counts.writes || view.counts.ticks || view.counts.refusals);
}

TEST(TopView, AnAnswerThatIsNoneIsRefused) {
  EXPECT_FALSE(top::read_view({"<html>", kExplain, kMetrics}));
  EXPECT_FALSE(top::read_view({kSnapshot, "", kMetrics}));
  EXPECT_FALSE(top::read_view({"[1]", "{}", ""}));
}

TEST(TopView, FitsItsRoom) {
  std::string snapshot = R"({"node":{},"cgroups":[)";
  for (int i = 0; i < 50; ++i)
    snapshot += (i == 0 ? "" : ",") + std::string(R"({"kind":"pod","path":"kubepods/pod)") +
                std::to_string(i) + R"(","pod":"a-rather-long-namespace/and-a-long-name-of-a-pod-)" +
                std::to_string(i) + R"(","cpu_use_millis":)" + std::to_string(i) + "}";
  const auto view = view_of(snapshot + "]}");
  for (const std::size_t columns : {1U, 10U, 20U, 30U, 40U, 60U, 80U, 200U}) {
    for (const std::size_t height : {1U, 5U, 14U, 24U, 100U}) {
      const auto lines = top::render(view, {columns, height});
      EXPECT_LE(lines.size(), height);
      for (const auto& line : lines) EXPECT_LE(characters(line), columns) << line;
    }
  }
  const auto lines = top::render(view, {80, 24});
  EXPECT_EQ(lines.size(), 24U);
  EXPECT_EQ(lines.back(), "and 39 more") << joined(lines);
  EXPECT_NE(lines[11].find("STALL"), std::string::npos);
  EXPECT_NE(lines[12].find("a-rather-long-namespace/"), std::string::npos) << "most use, and its name is cut";
  const auto narrow = top::render(view, {30, 24});
  EXPECT_EQ(words_of(narrow[11]), (Words{"POD", "CLASS", "CPU"})) << "columns go before names do";
  EXPECT_EQ(top::render(view, {80, 0}).size(), 62U) << "all of them";
}

/// A process that listens in the agent's place chooses every text; a tenant chooses names.
TEST(TopView, ANameCannotSteerATerminal) {
  const auto view = view_of(
      R"({"node":{},"cgroups":[{"kind":"pod","path":"p","pod":"a/\u001b[2J\u009bx\nroot\tis\u007f here","cpu_use_millis":1},)"
      R"({"kind":"host-application","path":"\u001b]0;x\u0007"}]})",
      R"({"managed":[{"cgroup":"p","file":"\u001b[1m","policy":"\u001b[2m","sentence":"s"},)"
      R"({"cgroup":"p","policy":"cpu-suppress","sentence":"\r\u001b[3m"}],"withdrawn":[{"lever":"\u001b[4m"}]})");
  for (const std::size_t columns : {0U, 16U, 40U, 120U}) {
    const auto lines = top::render(view, {columns, 0});
    EXPECT_EQ(lines.size(), 14U) << joined(lines);
    for (const auto& line : lines) {
      EXPECT_TRUE(std::ranges::none_of(line, is_control)) << line;
      EXPECT_EQ(line.find("\xc2\x9b"), std::string::npos) << line;
    }
  }
  EXPECT_NE(joined(top::render(view, {})).find("a/\\u001b[2J\\u009bx\\nroot"), std::string::npos);
}

TEST(TopView, TextIsCutBetweenCharacters) {
  EXPECT_EQ(top::fitted("äöü", 3), "äöü");
  EXPECT_EQ(top::fitted("äöüß", 3), "äö…");
  EXPECT_EQ(top::fitted("abc", 1), "…");
  EXPECT_EQ(top::fitted("abc", 0), "abc");
}

}  // namespace
}  // namespace evenkeel::test
