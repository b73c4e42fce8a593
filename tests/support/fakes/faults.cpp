#include "tests/support/fakes/faults.h"

#include <array>
#include <sstream>

namespace evenkeel::test {
namespace {

using Kind = Fault::Kind;

struct Word {
  const char* name;
  Kind kind;
};
constexpr Word kWords[] = {{"none", Kind::none}, {"status", Kind::status},   {"delay", Kind::delay},
                           {"hang", Kind::hang}, {"reset", Kind::reset},     {"cut", Kind::cut},
                           {"drip", Kind::drip}, {"garbage", Kind::garbage}, {"huge", Kind::huge},
                           {"deep", Kind::deep}, {"empty", Kind::empty},     {"crowd", Kind::crowd}};

/// Passes that many bytes and closes the connection.
void let_through(Exchange& exchange, int bytes, bool reset) {
  exchange.on_send(
      [left = static_cast<std::size_t>(bytes), reset](Exchange& to, std::string_view piece) mutable {
        to.send_on(piece.substr(0, left));
        left -= std::min(left, piece.size());
        if (left > 0) return true;
        if (reset) {
          to.reset();
        } else {
          to.close();
        }
        return false;
      });
}

void drip(Exchange& exchange, std::chrono::milliseconds every) {
  exchange.on_send([every](Exchange& to, std::string_view piece) {
    for (const char byte : piece)
      if (!to.send_on(std::string_view(&byte, 1)) || !to.wait(every)) return false;
    return true;
  });
}

void endless(Exchange& exchange) {
  exchange.send(chunked_head() + chunk(R"({"kind":"PodList","items":[{})"));
  std::string piece;
  // Spaces between the items: what stands beside them grows fast, so that few items have to be read.
  for (int i = 0; i < 2048; ++i) piece += "," + std::string(62, ' ') + R"({"metadata":{}})";
  while (exchange.send(chunk(piece))) {
  }
  exchange.close();
}

std::string pod_list(int pods) {
  std::string items;
  for (int i = 0; i < pods; ++i)
    items += (i > 0 ? "," : "") +
             (R"({"metadata":{"name":"p","namespace":"crowd","uid":"crowd-)" + std::to_string(i)) +
             R"("},"status":{"phase":"Running"}})";
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":)" +
         (pods > 0 ? "[" + items + "]}" : "null}");
}

}  // namespace

std::optional<Fault> parse_fault(const std::string& line) {
  std::istringstream words(line);
  std::string name, rest;
  int number = 0;
  words >> name >> number >> std::ws;
  std::getline(words, rest);
  for (const auto& word : kWords)
    if (name == word.name)
      return Fault{word.kind, number, std::chrono::milliseconds(number), rest.empty() ? "" : rest + "\r\n"};
  return std::nullopt;
}

ScriptedServer::Script with_fault(ScriptedServer::Script script, const Fault& fault) {
  return [script = std::move(script), fault](const Asked& asked, Exchange& exchange) {
    switch (fault.kind) {
      case Kind::status:
        return void(exchange.send(http_answer(fault.number, "trouble", fault.text, "text/plain")));
      case Kind::hang:
        return exchange.hang();
      case Kind::garbage:
        return void(exchange.send(http_answer(200, "<!doctype html><p>Welcome to nginx!", {}, "text/html")));
      case Kind::huge:
        return endless(exchange);
      case Kind::deep:
        return void(exchange.send(chunked_answer("{\"items\":" + std::string(1'000'000, '['), 65536)));
      case Kind::empty:
      case Kind::crowd:
        return void(exchange.send(chunked_answer(pod_list(fault.number), 65536)));
      case Kind::delay:
        exchange.wait(fault.time);
        break;
      case Kind::reset:
      case Kind::cut:
        let_through(exchange, fault.number, fault.kind == Kind::reset);
        break;
      case Kind::drip:
        drip(exchange, fault.time);
        break;
      case Kind::none:
        break;
    }
    script(asked, exchange);
  };
}

ScriptedServer::Script forwarding_to(int port, bool tls) {
  return [port, tls](const Asked& asked, Exchange& exchange) {
    Fd socket = connect_to(port);
    if (!socket) return exchange.close();
    const auto server = tls ? connect_tls(std::move(socket)) : plain_stream(std::move(socket));
    if (!server) return exchange.close();
    server->write(asked.head + "\r\nConnection: close\r\n\r\n" + asked.body);
    std::array<char, 16384> piece{};
    for (long got = server->read(piece.data(), piece.size()); got > 0;
         got = server->read(piece.data(), piece.size()))
      if (!exchange.send(std::string_view(piece.data(), static_cast<std::size_t>(got)))) break;
    exchange.close();
  };
}

}  // namespace evenkeel::test
