// Netlink on this machine's kernel: answers that do not fit the socket, and the packet rules of more pods
// than it has room for acknowledgements. The rules are in a network namespace of their own.
#include <gtest/gtest.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <thread>

#include "cgroup/network/kernel_network.h"
#include "tests/cgroup/network/many_pods.h"

namespace evenkeel::test {
namespace {

using network::NetlinkMessage;
using network::NetlinkSocket;

/// The kernel only acknowledges the first, and refuses the second: neither needs a capability.
constexpr int kAcknowledged = NLMSG_NOOP, kRefused = 0xfff;
constexpr std::size_t kMoreThanFit = 5000;

std::vector<NetlinkMessage> messages(std::size_t count, int type, int flags) {
  const NetlinkMessage one(type, NLM_F_REQUEST | flags, rtgenmsg{});
  return std::vector<NetlinkMessage>(count, one);
}

class LiveNetlink : public testing::Test {
 protected:
  void SetUp() override {
    int room = 0;
    std::ifstream("/proc/sys/net/core/rmem_default") >> room;
    if (room > 1 << 20) GTEST_SKIP() << "a socket here has room for " << room << " bytes of answers";
    auto opened = NetlinkSocket::open(NETLINK_ROUTE);
    ASSERT_TRUE(opened);
    socket_.emplace(std::move(*opened));
  }
  /// The error of a request; 0: none.
  int ask(const std::vector<NetlinkMessage>& all) {
    const auto done = socket_->ask(all);
    return done ? 0 : done.error().code;
  }
  std::optional<NetlinkSocket> socket_{};
};

TEST_F(LiveNetlink, LostAnswersAreAnErrorAndTheNextRequestIsAnswered) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(ask(messages(kMoreThanFit, kAcknowledged, NLM_F_ACK)), ENOBUFS);
    EXPECT_EQ(ask(messages(1, kAcknowledged, NLM_F_ACK)), 0);
  }
}

TEST_F(LiveNetlink, OneAcknowledgementForManyMessagesIsNotLost) {
  auto many = messages(kMoreThanFit, kAcknowledged, 0);
  many.back().request_ack();
  EXPECT_EQ(ask(many), 0);
}

TEST_F(LiveNetlink, OfMoreRefusalsThanFitTheFirstIsTheError) {
  EXPECT_EQ(ask(messages(kMoreThanFit, kRefused, 0)), EOPNOTSUPP);
  EXPECT_EQ(ask(messages(1, kAcknowledged, NLM_F_ACK)), 0);
}

TEST_F(LiveNetlink, NoAnswerIsAnError) {
  EXPECT_EQ(ask(messages(1, kAcknowledged, 0)), ETIMEDOUT);
  EXPECT_EQ(ask(messages(1, kAcknowledged, NLM_F_ACK)), 0);
}

/// How many limits the table of rules has.
int limits_in_table() {
  auto socket = NetlinkSocket::open(NETLINK_NETFILTER);
  if (!socket) return -1;
  int count = 0;
  const auto done = socket->dump(NetlinkMessage((NFNL_SUBSYS_NFTABLES << 8) | NFT_MSG_GETOBJ,
                                                NLM_F_REQUEST | NLM_F_DUMP, nfgenmsg{NFPROTO_INET, 0, 0}),
                                 [&](const nlmsghdr&) { ++count; });
  return done ? count : -1;
}

/// Runs it on a thread in a new network namespace.
template <class F>
void in_own_network(F&& f) {
  std::thread([&] {
    ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
    f();
  }).join();
}

TEST(LivePacketRules, OfMorePodsThanASocketHasRoomForAcknowledgements) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes network namespaces";
  const Host host = std::move(*Host::open("/"));
  if (const auto why = network::network_unavailable_reason(host); !why.empty()) GTEST_SKIP() << why;
  in_own_network([&] {
    network::KernelNetworkPort port(host);
    for (const int pods : {320, 1000, 320}) {
      const auto done = port.put_rules(rules_of_pods(pods));
      ASSERT_TRUE(done) << pods << ": " << errno_name(done.error().code) << ' ' << port.words();
      EXPECT_EQ(limits_in_table(), pods);
    }
    ASSERT_TRUE(port.remove_rules());
    EXPECT_EQ(limits_in_table(), 0);
  });
}

// No other socket may remove a table that has an owner, so the test makes one without.
TEST(LivePacketRules, AFlushedTableIsNoticedAndPutAgain) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes network namespaces";
  const Host host = std::move(*Host::open("/"));
  if (const auto why = network::network_unavailable_reason(host); !why.empty()) GTEST_SKIP() << why;
  in_own_network([&] {
    auto other = *NetlinkSocket::open(NETLINK_NETFILTER);
    network::KernelNetworkPort port(host);
    EXPECT_FALSE(*port.has_rules());
    ASSERT_TRUE(other.ask(network::messages_to_put(rules_of_pods(3), false, false)));
    EXPECT_TRUE(*port.has_rules());
    ASSERT_TRUE(port.put_rules(rules_of_pods(4))) << "in its place";
    EXPECT_EQ(limits_in_table(), 4);
    ASSERT_TRUE(port.remove_rules());
    ASSERT_TRUE(other.ask(network::messages_to_put(rules_of_pods(3), false, false)));
    EXPECT_TRUE(*port.has_rules());
    ASSERT_TRUE(other.ask(network::messages_to_remove()));
    const auto done = port.put_rules(rules_of_pods(5));
    ASSERT_TRUE(done) << errno_name(done.error().code) << ' ' << port.words();
    EXPECT_EQ(limits_in_table(), 5);
  });
}

}  // namespace
}  // namespace evenkeel::test
