// The network writer on a model of the network, with a plan: a service with two addresses, a batch pod with
// the node's; 100 Mbit/s.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cgroup/network/writer.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/fakes/fake_network.h"

namespace evenkeel::test {

constexpr BitRate mbit(std::int64_t count) { return BitRate(count * 1000000); }

constexpr const char* kShop = "11111111-2222-3333-4444-555555555551";
constexpr const char* kNight = "11111111-2222-3333-4444-555555555552";

inline IpAddress address(std::uint8_t last) { return {.bytes = {10, 0, 0, last}}; }

struct NetworkSharing : testing::Test {
  NetworkSharing() {
    host.v2().bare().kubepods();
    shop = host.pod(KubeQos::burstable, kShop, {"a"});
    night = host.pod(KubeQos::besteffort, kNight, {"b"});
    root.emplace(std::move(*Host::open(host.root())));
    tree.emplace(*root, *tree::detect_layout(*root, ""));
    tree->scan();
    restart();
    plan.state = decide::NetworkPlan::State::on;
    plan.link = &link;
    plan.total = mbit(100);
    plan.classes = {
        decide::NetworkShare{mbit(40), mbit(100), {}}, decide::NetworkShare{mbit(20), mbit(100), {}},
        decide::NetworkShare{mbit(30), mbit(100), {}}, decide::NetworkShare{mbit(10), mbit(50), mbit(20)}};
    plan.members = {{id(shop), decide::NetworkClass::ls, false, addresses, {}, {}},
                    {id(night), decide::NetworkClass::be, true, {}, {}, {}}};
  }
  void restart(bool dry_run = false) { writer.emplace(*tree, port, journal, dry_run); }
  [[nodiscard]] CgroupId id(const std::string& cgroup) const { return tree->find_path(cgroup)->id; }
  executor::Report tick(int after = 1) {
    now += std::chrono::seconds(after);
    executor::Report report;
    writer->apply(plan, now, report);
    return report;
  }
  executor::Report off() {
    now += std::chrono::seconds(1);
    executor::Report report;
    writer->apply({}, now, report);
    return report;
  }
  void expect_untouched() const {
    EXPECT_TRUE(port.roots.empty());
    EXPECT_TRUE(port.classes.empty());
    EXPECT_FALSE(port.rules);
    EXPECT_TRUE(journal.directories().empty());
  }

  FakeHost host{};
  FakeNetwork port{};
  executor::Journal journal = executor::Journal::in_memory();
  std::vector<IpAddress> addresses{address(1), address(2)};
  NetworkLink link{"eth0", 7, {}};
  decide::NetworkPlan plan{};
  std::string shop, night;
  std::optional<Host> root{};
  std::optional<tree::CgroupTree> tree{};
  std::optional<network::NetworkWriter> writer{};
  MonoTime now{std::chrono::hours(1)};
};

}  // namespace evenkeel::test
