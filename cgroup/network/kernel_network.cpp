#include "cgroup/network/kernel_network.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>

namespace evenkeel::network {
namespace {

constexpr std::uint32_t kHtbVersion = 3, kRateToQuantum = 10;
/// Bytes that a class may send before the next class of its rank is served: some large packets.
constexpr std::uint32_t kQuantumBytes = 60000;
/// Bytes that a class may send at once: its rate times 10 ms, and one packet of any size.
constexpr std::int64_t kBurstsPerSecond = 100, kLargestPacketBytes = 65536;
constexpr std::int64_t kNanosecondsPerTick = 64;  // include/net/pkt_sched.h: PSCHED_SHIFT

tcmsg about(int link, std::uint32_t parent, std::uint32_t handle) {
  tcmsg out{};
  out.tcm_family = AF_UNSPEC;
  out.tcm_ifindex = link;
  out.tcm_parent = parent;
  out.tcm_handle = handle;
  return out;
}

std::int64_t bytes_per_second(BitRate rate) { return std::max<std::int64_t>(rate.count() / 8, 1); }

/// The kernel takes a burst as its transmission time at the rate.
std::uint32_t burst_in_ticks(BitRate rate) {
  const auto bytes = std::max(bytes_per_second(rate) / kBurstsPerSecond, kLargestPacketBytes);
  const auto ticks = scaled(bytes, 1000000000, bytes_per_second(rate)) / kNanosecondsPerTick;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ticks, 1, UINT32_MAX));
}

tc_ratespec spec_of(BitRate rate) {
  tc_ratespec out{};
  out.linklayer = TC_LINKLAYER_ETHERNET;
  out.rate = static_cast<std::uint32_t>(std::min<std::int64_t>(bytes_per_second(rate), UINT32_MAX));
  return out;
}

/// Runs it on a thread of its own, and waits. False: there can be no other thread. Not by std::thread, which
/// throws then: whoever forks without end could end the agent.
template <class F>
bool on_a_thread(F f) {
  const auto run = [](void* what) -> void* {
    (*static_cast<F*>(what))();
    return nullptr;
  };
  pthread_t id{};
  if (::pthread_create(&id, nullptr, run, &f) != 0) return false;
  ::pthread_join(id, nullptr);
  return true;
}

Fd nodes_cgroups(const Host& host) {
  return Fd(::openat(host.root_fd(), "proc/1/ns/cgroup", O_RDONLY | O_CLOEXEC));
}

/// The kernel counts cgroup levels from the root of the calling thread's cgroup namespace. A container has
/// its own and enters the node's, for as long as the thread lives.
bool enter_cgroups_of(const Host& host) {
  const Fd node = nodes_cgroups(host);
  return node && ::setns(node.get(), CLONE_NEWCGROUP) == 0;
}

/// Whether rules for cgroups can match packets: they do not if the agent may not enter the node's namespace.
bool reaches_the_nodes_cgroups(const Host& host) {
  constexpr ino_t kInitial = 0xEFFFFFFB;  // include/linux/proc_ns.h: PROC_CGROUP_INIT_INO
  struct stat own {
  }, of_node{};
  if (::stat("/proc/self/ns/cgroup", &own) != 0 || own.st_ino == kInitial) return true;
  const Fd node = nodes_cgroups(host);
  if (node && ::fstat(node.get(), &of_node) == 0 && of_node.st_ino != own.st_ino) {
    bool entered = false;
    return on_a_thread([&] { entered = enter_cgroups_of(host); }) && entered;
  }
  // Process 1 is in the same namespace: it is the container's own, and the container sees its own cgroup as
  // the root; or it is init of a machine that runs inside a container.
  const auto place = host.slurp("proc/self/cgroup");
  return place && place->find("0::/\n") == std::string::npos;
}

/// Whether the visible interfaces are the node's. Where this cannot be determined, true is assumed.
bool sees_the_nodes_network(const Host& host) {
  struct stat of_node {
  }, own{};
  if (::fstatat(host.root_fd(), "proc/1/ns/net", &of_node, 0) != 0) return true;
  return ::stat("/proc/self/ns/net", &own) != 0 || of_node.st_ino == own.st_ino;
}

}  // namespace

std::optional<RootQdisc> root_qdisc_in(const nlmsghdr& message, int link) {
  const auto* head = header_of<tcmsg>(message);
  if (message.nlmsg_type != RTM_NEWQDISC || head == nullptr) return std::nullopt;
  if (head->tcm_ifindex != link || head->tcm_parent != TC_H_ROOT) return std::nullopt;
  return RootQdisc{std::string(text_in(message, sizeof(tcmsg), TCA_KIND)), head->tcm_handle};
}

KernelNetworkPort::KernelNetworkPort(const Host& host) : host_(host) {
  if (!host.on_kernel_fs("proc")) {
    unavailable_reason_ = "below a fake root there is no network";
  } else if (!sees_the_nodes_network(host)) {
    unavailable_reason_ = "the agent is in a network namespace of its own: it needs the node's (hostNetwork)";
  }
}

bool KernelNetworkPort::supports_cgroup_match() const { return reaches_the_nodes_cgroups(host_); }

Result<> KernelNetworkPort::with(std::optional<NetlinkSocket>& socket, int protocol,
                                 const std::function<Result<>(NetlinkSocket&)>& f) {
  words_ = unavailable_reason_;
  if (!unavailable_reason_.empty()) return fail(EXDEV, Op::open, "netlink");
  if (!socket) {
    auto opened = NetlinkSocket::open(protocol);
    if (!opened) return tl::unexpected(opened.error());
    socket.emplace(std::move(*opened));
  }
  auto done = f(*socket);
  if (!done) words_ = socket->words();
  if (!done && done.error().code == EPERM) words_ += words_.empty() ? "CAP_NET_ADMIN is missing" : "";
  return done;
}

Result<> KernelNetworkPort::route(const NetlinkMessage& message) {
  return with(route_, NETLINK_ROUTE, [&](NetlinkSocket& socket) { return socket.ask({&message, 1}); });
}

Result<> KernelNetworkPort::filter(std::vector<NetlinkMessage> messages) {
  return with(filter_, NETLINK_NETFILTER, [&](NetlinkSocket& socket) {
    Result<> done;
    const bool ran = on_a_thread([&] {
      enter_cgroups_of(host_);
      done = socket.ask(messages);
    });
    return ran ? done : Result<>(fail(EAGAIN, Op::other, "thread"));
  });
}

Result<RootQdisc> KernelNetworkPort::root_qdisc(int link) {
  RootQdisc out;
  const NetlinkMessage request(RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP, about(link, 0, 0));
  const auto done = with(route_, NETLINK_ROUTE, [&](NetlinkSocket& socket) {
    return socket.dump(request, [&](const nlmsghdr& answer) {
      if (auto root = root_qdisc_in(answer, link)) out = std::move(*root);
    });
  });
  if (!done) return tl::unexpected(done.error());
  return out;
}

Result<> KernelNetworkPort::make_qdisc(int link, std::uint16_t fallback) {
  NetlinkMessage message(RTM_NEWQDISC, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
                         about(link, TC_H_ROOT, kOurQdisc));
  message.put_text(TCA_KIND, "htb");
  tc_htb_glob settings{};
  settings.version = kHtbVersion;
  settings.rate2quantum = kRateToQuantum;
  settings.defcls = fallback;
  message.nest(TCA_OPTIONS, [&] { message.put_value(TCA_HTB_INIT, settings); });
  return route(message);
}

Result<> KernelNetworkPort::remove_qdisc(int link) {
  return route(NetlinkMessage(RTM_DELQDISC, NLM_F_REQUEST | NLM_F_ACK, about(link, TC_H_ROOT, kOurQdisc)));
}

Result<> KernelNetworkPort::put_class(int link, const HtbClass& wanted) {
  const auto parent = wanted.parent == 0 ? kOurQdisc : kOurQdisc | wanted.parent;
  NetlinkMessage message(RTM_NEWTCLASS, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE,
                         about(link, parent, kOurQdisc | wanted.minor));
  message.put_text(TCA_KIND, "htb");
  tc_htb_opt options{};
  options.rate = spec_of(wanted.rate);
  options.ceil = spec_of(wanted.ceil);
  options.buffer = burst_in_ticks(wanted.rate);
  options.cbuffer = burst_in_ticks(wanted.ceil);
  options.quantum = kQuantumBytes;
  options.prio = wanted.priority;
  message.nest(TCA_OPTIONS, [&] {
    message.put_value(TCA_HTB_PARMS, options);
    message.put_value(TCA_HTB_RATE64, static_cast<std::uint64_t>(bytes_per_second(wanted.rate)));
    message.put_value(TCA_HTB_CEIL64, static_cast<std::uint64_t>(bytes_per_second(wanted.ceil)));
  });
  return route(message);
}

Result<> KernelNetworkPort::remove_class(int link, std::uint16_t minor) {
  return route(NetlinkMessage(RTM_DELTCLASS, NLM_F_REQUEST | NLM_F_ACK, about(link, 0, kOurQdisc | minor)));
}

Result<> KernelNetworkPort::add_fair_queue(int link, std::uint16_t minor) {
  NetlinkMessage message(RTM_NEWQDISC, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE,
                         about(link, kOurQdisc | minor, 0));
  message.put_text(TCA_KIND, "fq_codel");
  return route(message);
}

Result<> KernelNetworkPort::put_rules(const PacketRules& wanted) {
  auto done = filter(messages_to_put(wanted, has_table_, owned_));
  // Linux before 5.12 has no table owners: then only the journal records the table.
  if (!done && owned_ && !has_table_ && (done.error().code == EOPNOTSUPP || done.error().code == EINVAL)) {
    owned_ = false;
    done = filter(messages_to_put(wanted, has_table_, owned_));
  }
  // A crash may have left one behind: no other program uses this name.
  if (!done && done.error().code == EEXIST && !has_table_) {
    if (filter(messages_to_remove())) done = filter(messages_to_put(wanted, has_table_, owned_));
  }
  // Another process has flushed it. ENOENT may also be about a part of the rules, and then the earlier ones
  // stay.
  if (!done && done.error().code == ENOENT && has_table_)
    if (const auto there = has_rules(); there && !*there)
      done = filter(messages_to_put(wanted, has_table_, owned_));
  if (done) has_table_ = true;
  return done;
}

Result<bool> KernelNetworkPort::has_rules() {
  const auto request = message_to_find();
  const auto done = with(filter_, NETLINK_NETFILTER, [&](NetlinkSocket& socket) {
    return socket.ask({&request, 1});
  });
  if (!done && done.error().code != ENOENT) return tl::unexpected(done.error());
  has_table_ = done.has_value();
  return has_table_;
}

Result<> KernelNetworkPort::try_rules() { return filter(messages_to_try()); }

Result<> KernelNetworkPort::remove_rules() {
  auto done = filter(messages_to_remove());
  if (done || done.error().code == ENOENT) has_table_ = false;
  return done || done.error().code == ENOENT ? Result<>() : done;
}

std::string network_unavailable_reason(const Host& host) {
  KernelNetworkPort port(host);
  const auto done = port.try_rules();
  if (done) return {};
  const auto words = port.words();
  return std::string(errno_name(done.error().code)) + (words.empty() ? "" : ": " + words);
}

}  // namespace evenkeel::network
