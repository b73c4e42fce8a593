#include "cgroup/netlink.h"

#include <arpa/inet.h>
#include <endian.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cstring>

namespace evenkeel {
namespace {

constexpr std::size_t kLargestMessage = 32768;

void check(bool& complete, int result) {
  if (result < 0) complete = false;
}

}  // namespace

void NetlinkMessage::Free::operator()(nl_msg* message) const { ::nlmsg_free(message); }

NetlinkMessage::NetlinkMessage(int type, int flags, const void* header, std::size_t size)
    : message_(::nlmsg_alloc_size(kLargestMessage)) {
  const auto* head = message_ ? ::nlmsg_put(message_.get(), 0, 0, type, 0, flags) : nullptr;
  complete_ =
      head != nullptr && ::nlmsg_append(message_.get(), const_cast<void*>(header), size, NLMSG_ALIGNTO) == 0;
}

NetlinkMessage& NetlinkMessage::put(int attribute, const void* data, std::size_t size) {
  if (complete_) check(complete_, ::nla_put(message_.get(), attribute, static_cast<int>(size), data));
  return *this;
}

NetlinkMessage& NetlinkMessage::put_big(int attribute, std::uint32_t value) {
  return put_value(attribute, htonl(value));
}

NetlinkMessage& NetlinkMessage::put_big64(int attribute, std::uint64_t value) {
  return put_value(attribute, htobe64(value));
}

NetlinkMessage& NetlinkMessage::nest(int attribute, const std::function<void()>& fill) {
  if (!complete_) return *this;
  auto* start = ::nla_nest_start(message_.get(), attribute | NLA_F_NESTED);
  if (start == nullptr) {
    complete_ = false;
    return *this;
  }
  fill();
  if (complete_) ::nla_nest_end_keep_empty(message_.get(), start);
  return *this;
}

nlmsghdr& NetlinkMessage::raw() const { return *::nlmsg_hdr(message_.get()); }

Result<NetlinkSocket> NetlinkSocket::open(int protocol) {
  Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
  if (!fd) return fail(errno, Op::open, "netlink");
  const int on = 1;
  const timeval patience{1, 0};
  ::setsockopt(fd.get(), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof on);
  ::setsockopt(fd.get(), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof on);
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_nl self{};
  self.nl_family = AF_NETLINK;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&self), sizeof self) != 0)
    return fail(errno, Op::open, "netlink");
  return NetlinkSocket(std::move(fd));
}

Result<> NetlinkSocket::send(std::span<const NetlinkMessage> messages) {
  while (receive(false)) {  // what is left of an earlier answer
  }
  std::vector<char> all;
  for (const auto& message : messages) {
    if (!message.complete()) return fail(EMSGSIZE, Op::write, "netlink");
    auto& head = message.raw();
    head.nlmsg_seq = ++sequence_;
    const auto* bytes = reinterpret_cast<const char*>(&head);
    all.insert(all.end(), bytes, bytes + NLMSG_ALIGN(head.nlmsg_len));
  }
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  const auto sent = ::sendto(fd_.get(), all.data(), all.size(), 0, reinterpret_cast<const sockaddr*>(&kernel),
                             sizeof kernel);
  return sent < 0 ? Result<>(fail(errno, Op::write, "netlink")) : Result<>();
}

Result<std::span<const char>> NetlinkSocket::receive(bool wait) {
  buffer_.resize(32768);
  for (;;) {
    const auto size = ::recv(fd_.get(), buffer_.data(), buffer_.size(), wait ? 0 : MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(errno == EAGAIN && wait ? ETIMEDOUT : errno, Op::read, "netlink");
    return std::span<const char>(buffer_.data(), static_cast<std::size_t>(size));
  }
}

int NetlinkSocket::error_in(const nlmsghdr& message) {
  const auto* body = static_cast<const nlmsgerr*>(::nlmsg_data(&message));
  if (body->error == 0) return 0;
  words_.clear();
  // Attributes follow the head of the message that was refused (NETLINK_CAP_ACK: nothing more of it).
  if ((message.nlmsg_flags & NLM_F_ACK_TLVS) != 0) {
    const auto attributes = attributes_of(message, sizeof(nlmsgerr), NLMSGERR_ATTR_MSG);
    if (const auto* said = attributes[NLMSGERR_ATTR_MSG]) words_ = text_of(*said);
  }
  return -body->error;
}

Result<> NetlinkSocket::ask(std::span<const NetlinkMessage> messages) {
  words_.clear();
  std::size_t awaited = 0;
  for (const auto& message : messages)
    if (message.complete() && (message.raw().nlmsg_flags & NLM_F_ACK) != 0) ++awaited;
  if (auto sent = send(messages); !sent) return sent;
  while (awaited > 0) {
    const auto answer = receive(true);
    if (!answer) return tl::unexpected(answer.error());
    auto left = static_cast<int>(answer->size());
    for (auto* one = reinterpret_cast<nlmsghdr*>(const_cast<char*>(answer->data()));
         ::nlmsg_ok(one, left) != 0; one = ::nlmsg_next(one, &left)) {
      if (one->nlmsg_type != NLMSG_ERROR) continue;
      if (const int error = error_in(*one); error != 0) return fail(error, Op::write, "netlink");
      --awaited;
    }
  }
  return {};
}

Result<> NetlinkSocket::dump(const NetlinkMessage& request, const std::function<void(const nlmsghdr&)>& f) {
  words_.clear();
  if (auto sent = send({&request, 1}); !sent) return sent;
  for (;;) {
    const auto answer = receive(true);
    if (!answer) return tl::unexpected(answer.error());
    auto left = static_cast<int>(answer->size());
    for (auto* one = reinterpret_cast<nlmsghdr*>(const_cast<char*>(answer->data()));
         ::nlmsg_ok(one, left) != 0; one = ::nlmsg_next(one, &left)) {
      if (one->nlmsg_type == NLMSG_DONE) return {};
      if (one->nlmsg_type != NLMSG_ERROR) {
        f(*one);
      } else if (const int error = error_in(*one); error != 0) {
        return fail(error, Op::read, "netlink");
      }
    }
  }
}

std::vector<const nlattr*> attributes_of(const nlmsghdr& message, std::size_t header, int most) {
  std::vector<const nlattr*> out(static_cast<std::size_t>(most) + 1, nullptr);
  auto left = ::nlmsg_attrlen(&message, static_cast<int>(header));
  for (const auto* one = ::nlmsg_attrdata(&message, static_cast<int>(header)); ::nla_ok(one, left) != 0;
       one = ::nla_next(one, &left))
    if (::nla_type(one) <= most) out[static_cast<std::size_t>(::nla_type(one))] = one;
  return out;
}

std::string_view text_of(const nlattr& attribute) {
  const auto* text = static_cast<const char*>(::nla_data(&attribute));
  return {text, ::strnlen(text, static_cast<std::size_t>(::nla_len(&attribute)))};
}

}  // namespace evenkeel
