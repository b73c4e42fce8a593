#include "agent/cli/ask.h"

#include <algorithm>
#include <iostream>

#include "agent/api/pages.h"
#include "agent/cli/endpoint.h"
#include "agent/cli/setup.h"
#include "agent/http/http_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/printable.h"

namespace evenkeel::cli {

namespace {

constexpr int kOk = 200, kNotForYou = 403;

std::string without_line_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

/// Its lines stay lines.
std::string printable_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    out += runtime::printable(text.substr(0, end)) + '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

http::HttpGetResult ask_one(const http::ListenAddress& address, const std::string& page, Duration patience) {
  // In less time nothing answers, and the library takes no time at all for no limit.
  if (patience < std::chrono::milliseconds(10)) return {.error = "not asked, the time is up"};
  const std::string host = address.socket.empty() ? address.text() : "localhost";
  return http::http_get("http://" + host + page, address.socket, patience);
}

/// The exit status: 0, and the page in `body`.
int get_page(const Flags& flags, const std::string& page, std::string& body) {
  const auto addresses = asked_addresses(flags);
  if (!addresses.error.empty()) return usage_error(addresses.error);
  auto answer = ask(addresses.all, page);
  if (answer.status != kOk) {
    std::cerr << "evenkeel: " << no_page(answer) << '\n';
    return 1;
  }
  body = std::move(answer.body);
  return 0;
}

/// Prints what answered as JSON: it need not have been the agent. Returns the exit status.
int print_json(const std::string& body) {
  const auto json = api::printable_json(body);
  if (!json) {
    std::cerr << "evenkeel: the answer is no JSON\n";
    return 1;
  }
  std::cout << *json;
  return 0;
}

}  // namespace

Answer ask(const std::vector<http::ListenAddress>& addresses, const std::string& page, Duration patience) {
  const runtime::SystemClock clock;
  const MonoTime end = clock.now() + patience;
  Answer answer;
  for (const auto& address : addresses) {
    auto got = ask_one(address, page, end - clock.now());
    const std::string why = without_line_end(got.error.empty() ? got.body : got.error);
    answer.failures +=
        (answer.failures.empty() ? "" : "; ") + address.text() + ": " + runtime::printable(why);
    if (got.status == 0 || got.status == kNotForYou) continue;
    answer.status = got.status;
    answer.body = std::move(got.body);
    if (got.status == kOk) answer.failures.clear();
    break;
  }
  return answer;
}

std::string no_page(const Answer& answer) { return "no running agent gives the page: " + answer.failures; }

int run_explain(const Flags& flags) {
  std::string body;
  const std::string page = "/v1/explain?pod=" + http::escaped(flags.pod);
  if (const int status = get_page(flags, page, body); status != 0) return status;
  if (flags.json) return print_json(body);
  std::cout << api::explain_sentences(body);
  return api::is_about_unknown_pod(body) ? 1 : 0;
}

int run_proof(const Flags& flags) {
  std::string body;
  if (const int status = get_page(flags, "/v1/proof", body); status != 0) return status;
  if (flags.json) return print_json(body);
  std::cout << api::proof_table(body);
  return 0;
}

int run_health(const Flags& flags) {
  const auto addresses = asked_addresses(flags);
  if (!addresses.error.empty()) return usage_error(addresses.error);
  const auto answer = ask(addresses.all, flags.ready ? "/readyz" : "/healthz");
  if (answer.status == 0) {
    std::cerr << "evenkeel: " << no_page(answer) << '\n';
  } else {
    (answer.status == kOk ? std::cout : std::cerr) << printable_lines(answer.body);
  }
  return answer.status == kOk ? 0 : 1;
}

}  // namespace evenkeel::cli
