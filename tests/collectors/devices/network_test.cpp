// Finding the interface of the default route, from routing tables and a sysfs of plain files.
#include <gtest/gtest.h>

#include "collectors/devices/devices.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/malformed.h"
#include "tests/support/scenes/sampler_node.h"

namespace evenkeel::test {
namespace {

constexpr const char* kHead =
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
std::string route(const std::string& link, const std::string& metric, const char* destination = "00000000",
                  const char* flags = "0003", const char* mask = "00000000") {
  return link + '\t' + destination + "\t0100000A\t" + flags + "\t0\t0\t" + metric + '\t' + mask +
         "\t0\t0\t0\n";
}
constexpr const char* kNone = "00000000000000000000000000000000";
std::string route6(const std::string& link, const char* metric, const char* prefix = "00",
                   const char* flags = "00000003") {
  return std::string(kNone) + ' ' + prefix + ' ' + kNone + " 00 fe800000000000000000000000000001 " + metric +
         " 00000001 00000000 " + flags + "     " + link + '\n';
}

void device(FakeHost& host, const std::string& name, const char* index, const char* speed) {
  host.file("sys/class/net/" + name + "/ifindex", std::string(index) + '\n');
  host.file("sys/class/net/" + name + "/speed", std::string(speed) + '\n');
}

struct Routes : testing::Test {
  std::optional<NetworkLink> look() {
    std::array<char, 256> buffer;  // the tables are longer
    std::string path;
    NetworkLink out;
    const auto root = std::move(*Host::open(host.root()));
    return devices::read_link(root, buffer, path, out) ? std::optional(out) : std::nullopt;
  }
  FakeHost host{};
};

TEST_F(Routes, TheDefaultRouteWithTheLowestMetricIsUsed) {
  device(host, "eth0", "2", "25000");
  device(host, "bond0", "5", "10000");
  host.file("proc/net/route", kHead + route("cni0", "0", "0000F40A", "0001", "00FFFFFF") +
                                  route("eth0", "200") + route("bond0", "100") + route("eth0", "101"));
  EXPECT_EQ(look(), (NetworkLink{"bond0", 5, BitRate(10000000000)}));
}

TEST_F(Routes, ANodeMayHaveOnlyIpv6) {
  device(host, "eth1", "3", "-1");
  host.file("proc/net/route", kHead);
  host.file("proc/net/ipv6_route", route6("lo", "ffffffff", "00", "00200200") +
                                       route6("eth0", "00000400", "40") + route6("eth1", "00000400"));
  EXPECT_EQ(look(), (NetworkLink{"eth1", 3, std::nullopt})) << "a speed of -1 is not known";
}

TEST_F(Routes, WithoutADefaultRouteThereIsNone) {
  EXPECT_EQ(look(), std::nullopt);
  host.file("proc/net/route", kHead + route("eth0", "0", "0000000A"));
  EXPECT_EQ(look(), std::nullopt);
  host.file("proc/net/route", kHead + route("eth0", "0"));
  EXPECT_EQ(look(), std::nullopt) << "an interface that sysfs does not know";
}

TEST_F(Routes, RejectedDownAndLocalOnesAreNotUsable) {
  for (const auto& line : {route("lo", "0"), route("eth0", "0", "00000000", "0002"),
                           route("eth0", "0", "00000000", "0201"), route("eth0", "x"), route("../x", "0")})
    EXPECT_FALSE(devices::read_route(line)) << line;
}

TEST_F(Routes, MalformedTextIsIgnored) {
  auto texts = malformed_texts();
  for (const auto& line : {route("eth0", "100"), route6("eth0", "00000400")})
    for (std::size_t end = 0; end < line.size(); ++end) texts.push_back(line.substr(0, end));
  for (const auto& text : texts)
    for (const auto& read : {devices::read_route(text), devices::read_route6(text)})
      EXPECT_TRUE(!read || std::string_view("eth0").starts_with(read->link)) << text;
}

TEST(NetworkInTheSnapshot, IsReadOnlyWhenConfiguredAndASteadyTickAllocatesNothing) {
  SampledNode sampled;
  sampled.fake.machine().v2().kubepods();
  sampled.fake.file("proc/net/route", kHead + route("eth-with-a-long-name", "0"));
  device(sampled.fake, "eth-with-a-long-name", "2", "1000");
  sampled.start();
  EXPECT_EQ(sampled.tick().network, nullptr);
  auto slo = std::make_shared<NodeSlo>();
  slo->qos.be.network = NetworkQos{.enable = true};
  sampled.slo = slo;
  sampled.rescan();
  ASSERT_NE(sampled.tick().network, nullptr);
  EXPECT_EQ(sampled.node.network->speed, BitRate(1000000000));
  const auto* before = sampled.node.network.get();
  for (int i = 0; i < 15; ++i) sampled.tick();
  {
    const AllocGuard guard;
    for (int i = 0; i < 25; ++i)
      sampled.sampler().collect(sampled.node, sampled.node.at + std::chrono::seconds(1));
    EXPECT_EQ(guard.allocations(), 0U);
  }
  EXPECT_EQ(sampled.node.network.get(), before);
}

}  // namespace
}  // namespace evenkeel::test
