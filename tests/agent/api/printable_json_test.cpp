// What `evenkeel explain --json` prints is JSON that steers no terminal, whatever process has answered.
#include <gtest/gtest.h>

#include <string>

#include "agent/api/pages.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/served.h"

namespace evenkeel::test {
namespace {

TEST(PrintableJson, EscapesWhatSteersATerminalAndChangesNothingElse) {
  const std::string plain = "{\"a\": [1, \"say \\\"yes\\\" \xc3\xa4 \\u001b\"],\n \"b\": null}\n";
  EXPECT_EQ(api::printable_json(plain), plain);
  EXPECT_EQ(api::printable_json("{\"a\":\t\"\x7f\xc2\x9b\"}\r\n"), "{\"a\": \"\\u007f\\u009b\"} \n");
}

TEST(PrintableJson, RefusesWhatIsNoJson) {
  for (const char* odd :
       {"", "<html>", "{\"a\":\"\x1b[2J\"}", "{\"a\":\"\xff\"}", "{\"a\":1}\x1b[2J", "{\"a\":"})
    EXPECT_EQ(api::printable_json(odd), std::nullopt) << odd;
}

Ran explained(const std::string& body) {
  const Served impostor({}, [body](const http::HttpRequest&) {
    return http::HttpAnswer{200, "application/json", body};
  });
  return run_evenkeel({"explain", "--json", "--listen", "127.0.0.1:" + std::to_string(impostor.port())});
}

TEST(ExplainProgram, PrintsNoAnswerRaw) {
  const Ran steering = explained("{\"managed\":[],\"x\":\"\xc2\x9b\"}\n");
  EXPECT_EQ(steering.exit_status, 0) << steering.err;
  EXPECT_EQ(steering.out, "{\"managed\":[],\"x\":\"\\u009b\"}\n");
  const Ran odd = explained("\x1b[2J\n");
  EXPECT_EQ(odd.exit_status, 1);
  EXPECT_EQ(odd.out, "");
  EXPECT_NE(odd.err.find("the answer is no JSON"), std::string::npos) << odd.err;
}

}  // namespace
}  // namespace evenkeel::test
