#include <gtest/gtest.h>

#include "agent/demo/report.h"
#include "agent/document/document.h"

namespace evenkeel::demo {
namespace {

using std::chrono::milliseconds;

Figures figures(int p999_ms, double batch, double idle) {
  Figures result;
  result.latency = {1000, milliseconds(1), milliseconds(2), milliseconds(p999_ms), milliseconds(2 * p999_ms)};
  result.histogram[3] = 990;
  result.histogram[9] = 10;
  result.cpu = {.service = 0.8, .batch = batch, .others = 0, .idle = idle};
  result.work = batch * 1000;
  return result;
}

Outcome outcome() {
  Outcome result{
      .cpus = 2, .rounds = 3, .seconds = 4, .requests_per_second = 800, .hogs = 4, .kernel = "Linux 6"};
  for (const Scenario scenario : kScenarios) {
    result.figures[scenario][Phase::alone] = figures(4, 0, 1.2);
    result.figures[scenario][Phase::unmanaged] = figures(40, 1.2, 0);
  }
  result.figures[Scenario::spinners][Phase::managed] = figures(5, 1.08, 0.12);
  result.figures[Scenario::fault_storm][Phase::managed] = figures(12, 0.6, 0.6);
  result.p99_spread = result.p999_spread = 1.1;
  result.restoration = {.written = 4, .restored = 4};
  return result;
}

std::string line_with(const std::string& text, const std::string& word, int nth = 0) {
  std::size_t at = text.find(word);
  for (int i = 0; i < nth && at != std::string::npos; ++i) at = text.find(word, at + 1);
  if (at == std::string::npos) return {};
  const auto begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(DemoReport, TheTableComparesEachPhaseWithTheServiceAlone) {
  const auto text = table(outcome());
  EXPECT_NE(line_with(text, "unmanaged").find("10.00 x"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "  managed").find("1.25 x"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "  managed").find("90 %"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "  managed", 1).find("3.00 x"), std::string::npos) << text;
}

TEST(DemoReport, NamesTheService) {
  auto result = outcome();
  EXPECT_NE(table(result).find("Service: built-in, 0.05 ms a request, 800 requests/s"), std::string::npos);
  EXPECT_NE(as_json(result).find("\"service\":\"builtin\""), std::string::npos);
  result.service = ServiceKind::redis;
  EXPECT_NE(table(result).find("Service: redis (PING, SET, GET), 800 requests/s"), std::string::npos);
  EXPECT_NE(as_json(result).find("\"service\":\"redis\""), std::string::npos);
}

TEST(DemoReport, TheVerdictNamesMissedGoals) {
  const auto text = verdict(outcome());
  const auto spinners = line_with(text, "CPU spinners"), storm = line_with(text, "page-fault storm");
  EXPECT_NE(spinners.find("p99.9 1.25 x (reached), batch keeps 90 % (reached)"), std::string::npos)
      << spinners;
  EXPECT_NE(storm.find("p99.9 3.00 x (missed), batch keeps 50 % (missed)"), std::string::npos) << storm;
  EXPECT_NE(text.find("restored: 4 of 4 files"), std::string::npos);
}

TEST(DemoReport, NoVerdictThatTheNoiseOfTheServiceAloneCouldExplain) {
  auto result = outcome();
  result.p999_spread = 1.6;
  EXPECT_NE(line_with(verdict(result), "CPU spinners").find("(cannot be told, alone varies by 1.60 x"),
            std::string::npos);
  EXPECT_NE(line_with(verdict(result), "page-fault storm").find("p99.9 3.00 x (missed)"), std::string::npos);
  result.p999_spread.reset();
  EXPECT_NE(verdict(result).find("p99.9 3.00 x (too few rounds to tell)"), std::string::npos);
}

TEST(DemoReport, DroppedMeasurementsAreCounted) {
  auto result = outcome();
  EXPECT_EQ(table(result).find("dropped"), std::string::npos);
  result.measured = 21;
  result.dropped = 2;
  EXPECT_NE(table(result).find("2 of 21 measurements were dropped"), std::string::npos);
}

TEST(DemoReport, UnrestoredFilesAreNamed) {
  auto result = outcome();
  result.restoration = {.written = 2, .restored = 1, .left = {"a/cpu.idle: was 0, is 1"}};
  const auto text = verdict(result);
  EXPECT_NE(text.find("restored: 1 of 2 files"), std::string::npos);
  EXPECT_NE(text.find("not restored: a/cpu.idle: was 0, is 1"), std::string::npos);
}

TEST(DemoReport, ThePlotHasOneLinePerPhaseAndShowsRareRequests) {
  const auto text = plot(outcome());
  const auto line = line_with(text, "spinners   managed");
  const auto bar = line.substr(line.find('|') + 1, kColumns);
  EXPECT_EQ(line.size(), line.find('|') + kColumns + 2);
  EXPECT_NE(bar[3], ' ');
  EXPECT_NE(bar[9], ' ');
  EXPECT_NE(bar[3], bar[9]);
  EXPECT_EQ(bar[5], ' ');
}

TEST(DemoReport, ListsTheAgentsWritesWithReasons) {
  auto result = outcome();
  EXPECT_NE(what_the_agent_did(result).find("nothing"), std::string::npos);
  const std::string pod = "podbbbbbbbb-0000-4000-8000-bbbbbbbbbbbb", container(64, 'b');
  result.writes = {
      {.path = "sys/fs/cgroup/cpu/top/kubepods/besteffort/" + pod + '/' + container + "/cpu.idle",
       .old_text = "0",
       .new_text = "1",
       .by = "cpu-identity",
       .why = "best effort yields"}};
  const auto text = what_the_agent_did(result);
  EXPECT_NE(text.find("cpu.idle: 0 -> 1  (cpu-identity: best effort yields)"), std::string::npos) << text;
  EXPECT_EQ(text.find(container), std::string::npos) << text;
}

TEST(DemoReport, TheJsonHasTheSameFigures) {
  const auto parsed = document::parse_json(as_json(outcome()), "demo.json");
  ASSERT_TRUE(parsed.problems.empty());
  const auto* scenarios = parsed.root.find("scenarios");
  ASSERT_TRUE(scenarios && scenarios->list());
  ASSERT_EQ(scenarios->list()->size(), 2U);
  const auto* phases = scenarios->list()->front().find("phases");
  ASSERT_TRUE(phases && phases->list());
  ASSERT_EQ(phases->list()->size(), 3U);  // none with a quota in this outcome
  EXPECT_EQ(phases->list()->at(2).find("p999_to_alone")->scalar()->text, "1.25");
  EXPECT_TRUE(phases->list()->at(0).find("batch_keeps")->null());
}

TEST(DemoAudit, ReadsWhatTheAgentLogs) {
  const auto lines = read_audit(
      R"({"time":"2026-01-01T00:00:00.000Z","now":1.5,"kind":"write","path":"a/cpu.idle","old":"0","new":"1","by":"cpu-identity","why":"because"})"
      "\n");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].kind, "write");
  EXPECT_EQ(lines[0].path, "a/cpu.idle");
  EXPECT_EQ(lines[0].new_text, "1");
}

TEST(DemoAudit, SkipsUnreadableLines) {
  EXPECT_TRUE(read_audit("").empty());
  for (const char* text : {"\n\n", "{", "[]", "null", "{\"kind\":\"write\"", "\x01\x02", "12"})
    EXPECT_TRUE(read_audit(text).empty()) << text;
  EXPECT_EQ(read_audit("{\"kind\":\"write\",\"path\":\"a\"}\n{\"kind\":\"wri").size(), 1U);
  EXPECT_EQ(read_audit("{\"kind\":{\"x\":1}}\n").front().kind, "");
}

AuditLine wrote(const std::string& path) { return {.kind = "write", .path = path}; }

TEST(DemoRestoration, CountsFilesNotWrites) {
  const ControlValues values = {{"a/cpu.idle", "0\n"}, {"b/cpuset.cpus", "0-1\n"}};
  const auto result =
      compare(values, values, {wrote("a/cpu.idle"), wrote("a/cpu.idle"), wrote("b/cpuset.cpus")});
  EXPECT_EQ(result.written, 2U);
  EXPECT_EQ(result.restored, 2U);
  EXPECT_TRUE(result.left.empty());
}

TEST(DemoRestoration, AChangedFileIsUnrestoredEvenWithoutARecordedWrite) {
  const ControlValues before = {{"a/cpu.idle", "0\n"}, {"a/cpu.shares", "2\n"}};
  const ControlValues after = {{"a/cpu.idle", "0\n"}, {"a/cpu.shares", "1024\n"}};
  const auto result = compare(before, after, {wrote("a/cpu.idle")});
  EXPECT_EQ(result.restored, 1U);
  EXPECT_EQ(result.left, std::vector<std::string>{"a/cpu.shares: was 2, is 1024"});
}

TEST(DemoRestoration, AWriteElsewhereDoesNotCountAsRestored) {
  const auto result = compare({}, {}, {wrote("sys/fs/cgroup/cpu/kubepods/cpu.idle")});
  EXPECT_EQ(result.written, 1U);
  EXPECT_EQ(result.restored, 0U);
}

}  // namespace
}  // namespace evenkeel::demo
