// fault_proxy UPSTREAM_PORT CA_FILE [PORT]: a proxy in front of the TLS server on 127.0.0.1:UPSTREAM_PORT
// that injects the faults given on standard input (see tests/support/fakes/faults.h) into all later requests.
// Its certificate (127.0.0.1, localhost) is signed by the CA that it writes to CA_FILE. Prints "listening
// PORT", then "ok" or "unknown" for each line. Does not pass on client certificates; tokens pass.
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
