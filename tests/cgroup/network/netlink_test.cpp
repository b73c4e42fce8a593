// Reading the kernel's answers on a netlink socket, and the transaction that puts the packet rules of many
// pods.
#include <gtest/gtest.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <climits>

#include "cgroup/network/kernel_network.h"
#include "tests/cgroup/network/many_pods.h"

namespace evenkeel::test {
namespace {

using network::NetlinkAnswer;
using network::NetlinkMessage;

constexpr std::uint32_t kRequest = 7;

/// One datagram with these messages.
class Datagram {
 public:
  Datagram& add(const NetlinkMessage& message, std::uint32_t sequence = kRequest) {
    const auto at = bytes_.size();
    const auto* begin = reinterpret_cast<const char*>(&message.raw());
    bytes_.insert(bytes_.end(), begin, begin + message.raw().nlmsg_len);
    at_ = at;
    last().nlmsg_seq = sequence;
    return *this;
  }
  nlmsghdr& last() { return *reinterpret_cast<nlmsghdr*>(bytes_.data() + at_); }
  NetlinkAnswer read() {
    return network::read_answer(bytes_, kRequest, [this](const nlmsghdr& one) { seen_.push_back(one); });
  }
  [[nodiscard]] std::size_t seen() const { return seen_.size(); }

 private:
  std::vector<char> bytes_{};
  std::size_t at_ = 0;
  std::vector<nlmsghdr> seen_{};
};

/// The answer to a message of this kind; error 0 acknowledges it.
NetlinkMessage answer_of(int error, const std::string& words = "") {
  nlmsgerr body{};
  body.error = -error;
  NetlinkMessage out(NLMSG_ERROR, words.empty() ? NLM_F_CAPPED : NLM_F_CAPPED | NLM_F_ACK_TLVS, body);
  if (!words.empty()) out.put_text(NLMSGERR_ATTR_MSG, words);
  return out;
}

NetlinkMessage queue(int link, std::uint32_t parent, std::uint32_t handle, const std::string& kind) {
  tcmsg head{};
  head.tcm_ifindex = link;
  head.tcm_parent = parent;
  head.tcm_handle = handle;
  NetlinkMessage out(RTM_NEWQDISC, NLM_F_MULTI, head);
  out.put_value(TCA_STAB, std::uint32_t{1}).put_text(TCA_KIND, kind);
  return out;
}

TEST(NetlinkAnswers, AnAcknowledgementCompletesARequest) {
  const auto answer = Datagram().add(answer_of(0)).read();
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.error, 0);
}

TEST(NetlinkAnswers, ARefusalHasTheKernelsWordsAndEndsTheReading) {
  const auto answer = Datagram().add(answer_of(EEXIST, "table exists")).add(answer_of(0)).read();
  EXPECT_FALSE(answer.complete);
  EXPECT_EQ(answer.error, EEXIST);
  EXPECT_EQ(answer.words, "table exists");
  EXPECT_EQ(Datagram().add(answer_of(EPERM)).read().words, "");
  EXPECT_EQ(Datagram().add(answer_of(EPROTO)).read().error, EPROTO) << "the kernel's own EPROTO is a refusal";
}

TEST(NetlinkAnswers, ADumpIsReadToItsEnd) {
  Datagram first, second;
  first.add(queue(3, TC_H_ROOT, 0x10000, "htb")).add(queue(4, TC_H_ROOT, 0, "noqueue"));
  const auto part = first.read();
  EXPECT_FALSE(part.complete);
  EXPECT_EQ(part.error, 0);
  EXPECT_EQ(first.seen(), 2U);
  second.add(queue(5, TC_H_ROOT, 0, "noqueue")).add(NetlinkMessage(NLMSG_DONE, NLM_F_MULTI, 0));
  second.add(queue(6, TC_H_ROOT, 0, "noqueue"));
  EXPECT_TRUE(second.read().complete);
  EXPECT_EQ(second.seen(), 1U);
}

TEST(NetlinkAnswers, WhatAnswersAnEarlierRequestSaysNothing) {
  for (const int error : {0, EEXIST}) {
    const auto answer = Datagram().add(answer_of(error, "late"), kRequest - 1).read();
    EXPECT_FALSE(answer.complete);
    EXPECT_EQ(answer.error, 0);
  }
}

TEST(NetlinkAnswers, ADumpThatChangedMeanwhileIsAnError) {
  Datagram dump;
  dump.add(queue(3, TC_H_ROOT, 0x10000, "htb"));
  dump.last().nlmsg_flags = NLM_F_MULTI | NLM_F_DUMP_INTR;
  EXPECT_EQ(dump.read().error, EINTR);
  EXPECT_EQ(dump.seen(), 0U);
}

TEST(NetlinkAnswers, WhatCannotBeTrueIsAnError) {
  nlmsgerr positive{}, huge{};
  positive.error = EEXIST;
  huge.error = INT_MIN;
  for (const auto& message : {NetlinkMessage(NLMSG_ERROR, 0, std::int32_t{0}),
                              NetlinkMessage(NLMSG_ERROR, 0, positive), NetlinkMessage(NLMSG_ERROR, 0, huge)})
    EXPECT_EQ(Datagram().add(message).read().error, EBADMSG);
}

TEST(NetlinkAnswers, AMessageOfAnImpossibleLengthSaysNothing) {
  for (const std::uint32_t length : {0U, 15U, 37U, 4096U, 0x7fffffffU, 0x80000000U, 0xfffffff0U, 0xffffffffU})
    for (const int type : {NLMSG_ERROR, NLMSG_DONE, 5, static_cast<int>(RTM_NEWQDISC)}) {
      Datagram datagram;
      datagram.add(NetlinkMessage(type, 0, nlmsgerr{}));
      datagram.last().nlmsg_len = length;
      const auto answer = datagram.read();
      EXPECT_FALSE(answer.complete) << length << ' ' << type;
      EXPECT_EQ(answer.error, 0) << length << ' ' << type;
      EXPECT_EQ(datagram.seen(), 0U) << length << ' ' << type;
    }
  EXPECT_FALSE(network::read_answer({}, kRequest, [](const nlmsghdr&) {}).complete);
}

TEST(NetlinkAnswers, TheRootQueueOfAnInterfaceIsFoundInADump) {
  const auto ours = queue(3, TC_H_ROOT, network::kOurQdisc, "htb");
  const auto found = network::root_qdisc_in(ours.raw(), 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, "htb");
  EXPECT_EQ(found->handle, network::kOurQdisc);
  EXPECT_FALSE(network::root_qdisc_in(ours.raw(), 4));
  EXPECT_FALSE(network::root_qdisc_in(queue(3, 0x10001, 0, "fq_codel").raw(), 3)) << "of a class";
  EXPECT_FALSE(network::root_qdisc_in(NetlinkMessage(RTM_NEWQDISC, 0, std::int32_t{3}).raw(), 3));
  tcmsg head{};
  head.tcm_ifindex = 3;
  head.tcm_parent = TC_H_ROOT;
  EXPECT_FALSE(network::root_qdisc_in(NetlinkMessage(RTM_NEWTCLASS, 0, head).raw(), 3));
  const auto nameless = network::root_qdisc_in(NetlinkMessage(RTM_NEWQDISC, 0, head).raw(), 3);
  ASSERT_TRUE(nameless);
  EXPECT_EQ(nameless->kind, "");
}

TEST(NetlinkMessages, WhatDoesNotFitMakesOneIncomplete) {
  const std::string text(20000, 'x');
  NetlinkMessage message(RTM_NEWQDISC, 0, tcmsg{});
  message.put_text(1, text);
  EXPECT_TRUE(message.complete());
  EXPECT_EQ(network::text_in(message.raw(), sizeof(tcmsg), 1), text);
  EXPECT_EQ(network::text_in(message.raw(), sizeof(tcmsg), 2), "");
  message.nest(2, [&] { message.put_text(1, text); });
  EXPECT_FALSE(message.complete());
}

/// The kernel answers each message that requests it, and a socket has room for some 270 answers.
TEST(NetlinkRules, OneAcknowledgementIsRequestedForAllPods) {
  for (const int pods : {1, 320, 1000}) {
    const auto messages = network::messages_to_put(rules_of_pods(pods), true, true);
    EXPECT_GT(messages.size(), static_cast<std::size_t>(pods));
    EXPECT_TRUE(std::ranges::all_of(messages, &NetlinkMessage::complete));
    const auto asks = [](const NetlinkMessage& one) { return (one.raw().nlmsg_flags & NLM_F_ACK) != 0; };
    EXPECT_EQ(std::ranges::count_if(messages, asks), 1);
    EXPECT_TRUE(asks(messages[messages.size() - 2])) << "no message that can fail follows it";
    EXPECT_EQ(messages.front().raw().nlmsg_type, NFNL_MSG_BATCH_BEGIN);
    EXPECT_EQ(messages.back().raw().nlmsg_type, NFNL_MSG_BATCH_END);
  }
  for (const auto& messages : {network::messages_to_try(), network::messages_to_remove()})
    EXPECT_NE(messages[messages.size() - 2].raw().nlmsg_flags & NLM_F_ACK, 0);
}

}  // namespace
}  // namespace evenkeel::test
