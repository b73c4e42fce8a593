// The real program on a fake host, for tests of its endpoint.
#pragma once

#include <string>
#include <vector>

#include "agent/http/http_client.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {

struct EndpointProgram {
  EndpointProgram() {
    host.machine({.cpus = 4}).v1().cgroupfs().kubepods();
    host.pod(KubeQos::burstable, "07c5ca87-3cee-419b-8d73-19bc1d676c1c", {"c1"});
  }
  /// So many pods of three containers more.
  void populate(int pods) {
    for (int i = 0; i < pods; ++i) {
      const std::string number = std::to_string(100 + i);
      host.pod(KubeQos::burstable, "07c5ca87-3cee-419b-8d73-000000000" + number,
               {"a" + number, "b" + number, "c" + number});
    }
  }
  [[nodiscard]] std::string at(const std::string& name) const { return dir.path + "/" + name; }
  [[nodiscard]] std::vector<std::string> args(const std::string& listen,
                                              const std::string& interval = "50ms") const {
    return {"--host-root", host.root(), "--state-dir", at("state"), "--pods",      "cgroup",
            "--listen",    listen,      "--interval",  interval,    "--node-name", "node-1"};
  }
  /// 0: it does not listen.
  static int port_of(const LiveAgent& agent) {
    if (!agent.logged("event=listening address=127", std::chrono::seconds(10))) return 0;
    const std::string log = agent.log();
    return std::stoi(log.substr(log.find("port=") + 5));
  }

  FakeHost host{};
  StateDir dir{};
};

/// One that serves a unix socket and no port.
struct SocketProgram {
  [[nodiscard]] bool is_ready() const {
    return soon([&] { return http::http_get("http://localhost/readyz", socket).status == 200; });
  }
  EndpointProgram program{};
  std::string socket = program.at("evenkeel.sock");
  std::string listen = "unix:" + socket;
  LiveAgent agent{program.args(listen)};
};

}  // namespace evenkeel::test
