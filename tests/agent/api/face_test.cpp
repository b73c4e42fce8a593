// Tests the agent's output: JSON, log lines, audit log, metrics text, addresses.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <future>

#include "agent/api/metrics.h"
#include "agent/api/pages.h"
#include "agent/http/http_server.h"
#include "agent/record/audit.h"
#include "agent/runtime/json.h"
#include "agent/runtime/log.h"
#include "agent/runtime/printable.h"
#include "tests/support/fakes/fixed_wall.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

TEST(JsonWriter, EscapesWhatMustBeEscaped) {
  std::string out;
  runtime::Json(out)
      .begin_object()
      .member("a\"b", "x\\y\n\x01\x7f")
      .key("n")
      .null()
      .member("d", 1.0)
      .end_object();
  EXPECT_EQ(out, "{\"a\\\"b\":\"x\\\\y\\n\\u0001\\u007f\",\"n\":null,\"d\":1.0}");
}

TEST(JsonWriter, WritesValidUtf8WhateverItGets) {
  const auto written = [](std::string_view text) {
    std::string out;
    runtime::Json(out).value(text);
    return out.substr(1, out.size() - 2);
  };
  for (const char* good :
       {"\xc3\xa4", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(written(good), good);
  EXPECT_EQ(written("a\xff"), "a\\ufffd");
  EXPECT_EQ(written("\xc3"), "\\ufffd") << "cut off";
  EXPECT_EQ(written("\xc0\xaf"), "\\ufffd\\ufffd") << "overlong";
  EXPECT_EQ(written("\xed\xa0\x80"), "\\ufffd\\ufffd\\ufffd") << "a surrogate";
  EXPECT_EQ(written("\xf4\x90\x80\x80"), "\\ufffd\\ufffd\\ufffd\\ufffd") << "above U+10FFFF";
  EXPECT_EQ(written("\xc2\x9b"), "\\u009b") << "begins a control sequence in some terminals";
}

TEST(JsonWriter, PutsCommasBetweenMembersAndItems) {
  std::string out;
  runtime::Json json(out);
  json.begin_array().value(1).begin_object().end_object().value(true).begin_array().end_array().end_array();
  EXPECT_EQ(out, "[1,{},true,[]]");
}

TEST(JsonWriter, WritesNullForNan) {
  std::string out;
  runtime::Json(out).value(0.0 / 0.0);
  EXPECT_EQ(out, "null");
}

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK), 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  std::string read() const {
    std::array<char, 4096> buffer{};
    const auto got = ::read(ends[0], buffer.data(), buffer.size());
    return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
  }
  std::array<int, 2> ends{};
};

TEST(LogLine, IsOneEventWithItsNumbers) {
  const Pipe pipe;
  const FixedWallClock clock(1795256130.25);
  runtime::Log log(pipe.ends[1], runtime::LogFormat::text, runtime::LogLevel::info, &clock);
  log.info("write").with("path", "a/b").with("why", "two words").with("n", 3);
  EXPECT_EQ(pipe.read(),
            "time=2026-11-21T10:15:30.250Z level=info event=write path=a/b why=\"two words\" n=3\n");
  log.debug("not wanted");
  EXPECT_EQ(pipe.read(), "");
}

TEST(LogLine, AValueCannotForgeALine) {
  const Pipe pipe;
  runtime::Log log(pipe.ends[1], runtime::LogFormat::text, runtime::LogLevel::info, nullptr);
  log.info("x").with("v", "a\nevent=forged");
  EXPECT_EQ(pipe.read(), "level=info event=x v=\"a\\nevent=forged\"\n");
}

TEST(LogLine, AValueCannotSteerATerminal) {
  const Pipe pipe;
  runtime::Log log(pipe.ends[1], runtime::LogFormat::text, runtime::LogLevel::info, nullptr);
  log.info("x")
      .with("v", "\x1b[2J")
      .with("w",
            "\xc2\x9b"
            "2J");
  EXPECT_EQ(pipe.read(), "level=info event=x v=\"\\u001b[2J\" w=\"\\u009b2J\"\n");
}

TEST(LogLine, IsJsonWhenConfigured) {
  const Pipe pipe;
  runtime::Log log(pipe.ends[1], runtime::LogFormat::json, runtime::LogLevel::info, nullptr);
  log.warning("x").with("n", 3).with("s", "t");
  EXPECT_EQ(pipe.read(), "{\"level\":\"warning\",\"event\":\"x\",\"n\":3,\"s\":\"t\"}\n");
}

TEST(LogLine, IsDroppedAndCountedWithoutAReader) {
  const Pipe pipe;
  runtime::Log log(pipe.ends[1], runtime::LogFormat::text, runtime::LogLevel::info, nullptr);
  for (int i = 0; i < 5000; ++i) log.info("flood").with("n", i);
  EXPECT_GT(log.dropped(), 1000U);
}

TEST(LogLine, DoesNotBlockWhenItIsLongerThanAPage) {
  const Pipe pipe;
  ::fcntl(pipe.ends[1], F_SETFL, ::fcntl(pipe.ends[1], F_GETFL) & ~O_NONBLOCK);
  runtime::Log log(pipe.ends[1], runtime::LogFormat::text, runtime::LogLevel::info, nullptr);
  log.info("short");
  const auto writing = std::async(std::launch::async, [&] {
    for (int i = 0; i < 100; ++i) log.info("flood").with("text", std::string(5000, 'x'));
  });
  EXPECT_EQ(writing.wait_for(std::chrono::seconds(5)), std::future_status::ready);
  EXPECT_NE(pipe.read().find("event=flood text=x"), std::string::npos) << "it is written while there is room";
  while (writing.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) pipe.read();
  EXPECT_GT(log.dropped(), 50U);
}

TEST(AuditLog, RemembersAndRotates) {
  const std::string dir = temporary_file() + ".d";
  std::filesystem::create_directories(dir);
  auto audit = record::Audit::open(dir, nullptr);
  ASSERT_TRUE(audit);
  const std::string why(10000, 'w');
  for (int i = 0; i < 1200; ++i)
    audit->record({.kind = "write", .path = "p", .why = why, .pod = "a/b"}, MonoTime{});
  EXPECT_EQ(audit->remembered().size(), record::Audit::kRecentLines);
  EXPECT_EQ(audit->remembered().back().pod, "a/b");
  EXPECT_TRUE(std::filesystem::exists(dir + "/audit.jsonl.1"));
  EXPECT_LT(std::filesystem::file_size(dir + "/audit.jsonl"), record::Audit::kRotateBytes + 20000);
  EXPECT_EQ(audit->lost(), 0U);
  std::filesystem::remove_all(dir);
}

TEST(ExpositionText, DropsAndCountsSeriesBeyondTheLimit) {
  api::Exposition out(2);
  out.gauge("a", "help a", 1.5, {{"l", "x\"y"}});
  out.counter("b_total", "help b", 2);
  out.gauge("c", "help c", 3);
  EXPECT_EQ(out.dropped(), 1U);
  const std::string text = out.text();
  EXPECT_NE(text.find("# HELP a help a\n# TYPE a gauge\na{l=\"x\\\"y\"} 1.5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# TYPE b_total counter\nb_total 2\n"), std::string::npos) << text;
}

TEST(ListenAddressText, IsReadStrictly) {
  EXPECT_EQ(http::parse_listen("127.0.0.1:9319").address.port, 9319);
  EXPECT_TRUE(http::parse_listen("localhost:1").address.on_host());
  EXPECT_TRUE(http::parse_listen("[::1]:0").address.on_host());
  EXPECT_FALSE(http::parse_listen(":9319").address.on_host());
  EXPECT_FALSE(http::parse_listen("10.0.0.1:80").address.on_host());
  for (const char* bad : {"", "9319", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "127.0.0.1:-1",
                          "host.example:80", "1.2.3:4"})
    EXPECT_FALSE(http::parse_listen(bad).error.empty()) << bad;
}

TEST(ExplainSentences, SayWhatIsManagedAndWhy) {
  const std::string text = api::explain_sentences(
      R"({"managed":[{"cgroup":"kubepods/x","file":"cpu.idle","value":"1","original":"0","policy":"p","sentence":"because","pod":"a/b"}]})");
  EXPECT_EQ(text, "kubepods/x (pod a/b)\n  cpu.idle is 1, was 0, by p: because\n");
  EXPECT_EQ(
      api::explain_sentences(
          R"({"managed":[],"inputs":[{"name":"nodeslo","source":"nodeslos/n","good":true,"age_seconds":12.75,"notices":[]},)"
          R"({"name":"pods","source":"f","good":false,"error":"f:1:1: no","notices":["a pod was left out"]}]})"),
      "nodeslo: nodeslos/n, confirmed 12 s ago\npods: f; not usable now: f:1:1: no\n  a pod was left out\n"
      "nothing is managed: every value is its owner's\n");
  EXPECT_NE(api::explain_sentences(R"({"managed":[]})").find("nothing is managed"), std::string::npos);
  EXPECT_EQ(
      api::explain_sentences(
          R"({"managed":[],"withdrawn":[{"lever":"besteffort-quota","why":"the lever harms services"}]})"),
      "besteffort-quota is withdrawn: the lever harms services\n"
      "nothing is managed: every value is its owner's\n");
  EXPECT_EQ(api::explain_sentences(
                R"({"managed":[],"limitations":[{"of":"brake","sentence":"the CPU is not cut: a reason"}]})"),
            "brake: the CPU is not cut: a reason\nnothing is managed: every value is its owner's\n");
  EXPECT_NE(api::explain_sentences("<html>").find("could not be read"), std::string::npos);
}

TEST(ExplainSentences, AValueThatAnotherProcessHasSetIsNotCalledTheAgents) {
  EXPECT_EQ(
      api::explain_sentences(
          R"({"managed":[{"cgroup":"kubepods/x","file":"cpu.idle","value":"1","original":"0","policy":"p","sentence":"because","yielded":true}]})"),
      "kubepods/x\n  cpu.idle is left to another process; p wanted 1: because\n");
}

TEST(ExplainSentences, SayWhetherThePodIsKnown) {
  const std::string known = R"({"pod":{"name":"a/b","known":true},"managed":[]})";
  EXPECT_EQ(api::explain_sentences(known), "nothing is managed for this pod: every value is its owner's\n");
  EXPECT_FALSE(api::is_about_unknown_pod(known));
  const std::string unknown = R"({"pod":{"name":"a/typo","known":false},"managed":[]})";
  EXPECT_EQ(api::explain_sentences(unknown), "no such pod on this node: a/typo\n");
  EXPECT_TRUE(api::is_about_unknown_pod(unknown));
  const std::string no_list = R"({"pod":{"name":"a/b","known":null},"managed":[]})";
  EXPECT_EQ(api::explain_sentences(no_list),
            "the agent does not know the names of all pods here, so it cannot say whether this node has the "
            "pod a/b\n");
  EXPECT_TRUE(api::is_about_unknown_pod(no_list));
  EXPECT_FALSE(api::is_about_unknown_pod(R"({"managed":[]})")) << "all pods, or an older agent";
  EXPECT_FALSE(api::is_about_unknown_pod("<html>"));
}

TEST(PrintableText, IsOneLineThatSteersNothing) {
  EXPECT_EQ(runtime::printable("\x1b[2Jx\r\ny\x7f"), "\\u001b[2Jx\\u000d\\ny\\u007f");
  EXPECT_EQ(runtime::printable("a\xff\xc2\x9b"), "a\\ufffd\\u009b");
  for (const std::string plain : {"", "\"", "\\", "say \"yes\" or C:\\x\\", "\xc3\xa4 \xe2\x82\xac"})
    EXPECT_EQ(runtime::printable(plain), plain);
}

/// A tenant chooses what a notice quotes. The agent's JSON is correct, and reading it gives the characters.
TEST(ExplainSentences, ANoticeCannotSteerATerminal) {
  const std::string text = api::explain_sentences(
      R"({"managed":[],"inputs":[{"name":"pods","source":"f","good":true,"error":"",)"
      R"("notices":["found '\u001b[2J\nnodeslo: f\u009b'"]}],"objectives":[{"name":"o","problem":"\u001b]0;x\u0007"}]})");
  EXPECT_EQ(text.find_first_of("\x1b\x07\xc2"), std::string::npos) << text;
  EXPECT_NE(text.find("  found '\\u001b[2J\\nnodeslo: f\\u009b'\n"), std::string::npos) << text;
  EXPECT_EQ(api::proof_table(R"({"enabled":true,"levers":[{"lever":"\u001b[2J"}]})").find('\x1b'),
            std::string::npos)
      << "another process may have answered";
}

TEST(ExplainSentences, SayWhichValuesStayTheirOwners) {
  EXPECT_EQ(
      api::explain_sentences(
          R"({"managed":[],"kept":[{"cgroup":"kubepods/x","file":"memory.low","value":"67108864",)"
          R"("wanted":"4194304","policy":"memory-qos","sentence":"the owner's goes further","pod":"a/b"}]})"),
      "kubepods/x (pod a/b)\n  memory.low stays 67108864, memory-qos wants 4194304: the owner's goes "
      "further\n"
      "nothing is managed: every value is its owner's\n");
}

TEST(ProofTable, SaysWhatEachLeverDoesToServices) {
  const std::string text = api::proof_table(
      R"({"enabled":true,"levers":[{"lever":"besteffort-quota","feeling":"run-queue wait","trials":9,"ratio":8.1,)"
      R"("ratio_low":4.02,"ratio_high":16.4,"verdict":"harms","withdrawn":true},)"
      R"({"lever":"cpu-burst","feeling":"throttling","trials":0,"standing":"not in force","verdict":"unknown",)"
      R"("withdrawn":false}],"trouble":"brake","run_queue_waits":"none","run_queue_waits_why":"no rights"})");
  EXPECT_NE(text.find("9  8.10 (4.02 to 16.40)  harms          withdrawn\n"), std::string::npos) << text;
  EXPECT_NE(text.find("unknown        not in force\n"), std::string::npos) << text;
  EXPECT_NE(text.find("in brackets: 95 % confidence intervals that hold however often they are looked at\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("no trial begins for at most ten minutes: brake\n"), std::string::npos) << text;
  EXPECT_NE(text.find("measurement of waits for a CPU: none (no rights)\n"), std::string::npos) << text;
  const std::string both = api::proof_table(
      R"({"enabled":true,"levers":[{"lever":"cpu-idle","feeling":"run-queue wait","trials":9,)"
      R"("felt_verdict":"no difference","verdict":"harms","decided_by":"reported figure","withdrawn":true,)"
      R"("reported":{"trials":5,"ratio":1.5,"ratio_low":1.4,"ratio_high":1.6,"verdict":"harms"}}]})");
  EXPECT_NE(both.find("no difference  withdrawn\n"), std::string::npos) << both;
  EXPECT_NE(both.find("reported figure        5  1.50 (1.40 to 1.60)   harms"), std::string::npos) << both;
  EXPECT_NE(api::proof_table(R"({"enabled":false,"levers":[]})").find("proof.enable turns it on"),
            std::string::npos);
  EXPECT_NE(api::proof_table("<html>").find("could not be read"), std::string::npos);
}

TEST(ExplainSentences, SayWhyNoPodIsEvicted) {
  const std::string text = api::explain_sentences(
      R"({"managed":[],"eviction":[{"trigger":"BEMemoryEvict","by":"memory-evict","needed":false,)"
      R"("why":"the node uses 10 GiB of 100 GiB memory, the threshold is 70 %","outcome":"no pod must be evicted",)"
      R"("way":"only reported"},{"trigger":"CPUEvict","by":"cpu-priority-evict","needed":true,"why":"w",)"
      R"("outcome":"waits until the pod that was asked 2 s ago has gone","way":"evicted through the API server","waits_for":"a/b"}]})");
  EXPECT_NE(
      text.find(
          "eviction by BEMemoryEvict (memory-evict): no pod must be evicted: the node uses 10 GiB of 100 GiB "
          "memory, the threshold is 70 %\n"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find("eviction by CPUEvict (cpu-priority-evict): waits until the pod that was asked 2 s ago has "
                "gone, a/b: w (a chosen pod is evicted through the API server)\n"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace evenkeel::test
