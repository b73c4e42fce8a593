// fault_proxy UPSTREAM_PORT CA_FILE [PORT]: stands between a client and the TLS server on
// 127.0.0.1:UPSTREAM_PORT and makes trouble as the lines of standard input say (see
// tests/support/fakes/faults.h), for all requests from then on. Its certificate (127.0.0.1, localhost) is
// vouched for by what it writes to CA_FILE. Answers "listening PORT", then "ok" or "unknown" for each line.
// Client certificates do not get through; tokens do.
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/support/fakes/faults.h"

int main(int argc, char** argv) {
  using namespace evenkeel::test;
  if (argc < 3) {
    std::cerr << "usage: fault_proxy UPSTREAM_PORT CA_FILE [PORT]\n";
    return 2;
  }
  const auto forward = forwarding_to(std::atoi(argv[1]), true);
  ScriptedServer server({.tls = true, .port = argc > 3 ? std::atoi(argv[3]) : 0});
  std::ofstream(argv[2]) << server.authority().certificate();
  server.answers(forward);
  std::cout << "listening " << server.port() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const auto fault = parse_fault(line);
    if (fault) server.answers(with_fault(forward, *fault));
    std::cout << (fault ? "ok" : "unknown") << std::endl;
  }
  return 0;
}
