#include "cgroup/network/netlink.h"

#include <arpa/inet.h>
#include <endian.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cstring>

namespace evenkeel::network {
namespace {

constexpr std::size_t kUsualMessage = 512, kLargestMessage = 32768;

constexpr std::size_t kHeader = NLMSG_HDRLEN, kAttributeHeader = NLA_HDRLEN;
constexpr std::size_t aligned(std::size_t size) { return NLMSG_ALIGN(size); }  // as of attributes

/// Returns the complete item at the front of `rest`, and advances `rest` past it; null: no complete item is
/// left.
template <class Item, class Length>
const Item* next_item(std::span<const char>& rest, Length Item::*length) {
  if (rest.size() < sizeof(Item)) return nullptr;
  const auto* item = reinterpret_cast<const Item*>(rest.data());
  const std::size_t size = item->*length;
  if (size < sizeof(Item) || size > rest.size()) return nullptr;
  rest = rest.subspan(std::min(aligned(size), rest.size()));
  return item;
}

/// Calls f(message) for each received message, until it returns false.
template <class F>
void for_each_message(std::span<const char> received, F&& f) {
  while (const auto* one = next_item(received, &nlmsghdr::nlmsg_len))
    if (!f(*one)) return;
}

std::span<const char> payload_of(const nlmsghdr& message) {
  return {reinterpret_cast<const char*>(&message) + kHeader, message.nlmsg_len - kHeader};
}

}  // namespace

NetlinkMessage::NetlinkMessage(int type, int flags, const void* header, std::size_t size)
    : bytes_(kUsualMessage) {
  raw().nlmsg_type = static_cast<std::uint16_t>(type);
  raw().nlmsg_flags = static_cast<std::uint16_t>(flags);
  raw().nlmsg_len = static_cast<std::uint32_t>(kHeader + aligned(size));
  std::memcpy(bytes_.data() + kHeader, header, size);
}

bool NetlinkMessage::make_room(std::size_t more) {
  const auto needed = aligned(raw().nlmsg_len + kAttributeHeader + more);
  complete_ = complete_ && needed <= kLargestMessage;
  if (complete_ && needed > bytes_.size()) bytes_.resize(std::min(2 * needed, kLargestMessage));
  return complete_;
}

NetlinkMessage& NetlinkMessage::put(int attribute, const void* data, std::size_t size) {
  if (!make_room(size)) return *this;
  const nlattr head{static_cast<std::uint16_t>(kAttributeHeader + size),
                    static_cast<std::uint16_t>(attribute)};
  char* at = bytes_.data() + raw().nlmsg_len;
  std::memcpy(at, &head, sizeof head);
  if (size > 0) std::memcpy(at + kAttributeHeader, data, size);
  raw().nlmsg_len += static_cast<std::uint32_t>(aligned(head.nla_len));
  return *this;
}

NetlinkMessage& NetlinkMessage::put_big(int attribute, std::uint32_t value) {
  return put_value(attribute, htonl(value));
}

NetlinkMessage& NetlinkMessage::put_big64(int attribute, std::uint64_t value) {
  return put_value(attribute, htobe64(value));
}

NetlinkMessage& NetlinkMessage::nest(int attribute, const std::function<void()>& fill) {
  const auto start = raw().nlmsg_len;  // the message may move while it is filled
  put(attribute | NLA_F_NESTED, nullptr, 0);
  if (!complete_) return *this;
  fill();
  reinterpret_cast<nlattr*>(bytes_.data() + start)->nla_len =
      static_cast<std::uint16_t>(raw().nlmsg_len - start);
  return *this;
}

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
  while (receive(false)) {  // the rest of an earlier answer
  }
  std::vector<char> all;
  for (const auto& message : messages) {
    if (!message.complete()) return fail(EMSGSIZE, Op::write, "netlink");
    const auto start = all.size();
    const auto* bytes = reinterpret_cast<const char*>(&message.raw());
    all.insert(all.end(), bytes, bytes + message.raw().nlmsg_len);  // which is aligned
    reinterpret_cast<nlmsghdr*>(all.data() + start)->nlmsg_seq = ++sequence_;
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
  if (payload_of(message).size() < sizeof(nlmsgerr)) return EBADMSG;
  const auto* body = reinterpret_cast<const nlmsgerr*>(payload_of(message).data());
  if (body->error == 0) return 0;
  words_.clear();
  // Attributes follow the header of the refused message (NETLINK_CAP_ACK: only its header is returned).
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
    int error = 0;
    for_each_message(*answer, [&](const nlmsghdr& one) {
      if (one.nlmsg_type != NLMSG_ERROR) return true;
      error = error_in(one);
      awaited -= std::min<std::size_t>(awaited, 1);
      return error == 0;
    });
    if (error != 0) return fail(error, Op::write, "netlink");
  }
  return {};
}

Result<> NetlinkSocket::dump(const NetlinkMessage& request, const std::function<void(const nlmsghdr&)>& f) {
  words_.clear();
  if (auto sent = send({&request, 1}); !sent) return sent;
  for (bool over = false; !over;) {
    const auto answer = receive(true);
    if (!answer) return tl::unexpected(answer.error());
    int error = 0;
    for_each_message(*answer, [&](const nlmsghdr& one) {
      over = over || one.nlmsg_type == NLMSG_DONE;
      if (one.nlmsg_type == NLMSG_ERROR) error = error_in(one);
      if (!over && one.nlmsg_type != NLMSG_ERROR) f(one);
      return !over && error == 0;
    });
    if (error != 0) return fail(error, Op::read, "netlink");
  }
  return {};
}

std::vector<const nlattr*> attributes_of(const nlmsghdr& message, std::size_t header, int most) {
  std::vector<const nlattr*> out(static_cast<std::size_t>(most) + 1, nullptr);
  auto rest = payload_of(message);
  rest = rest.subspan(std::min(aligned(header), rest.size()));
  while (const auto* one = next_item(rest, &nlattr::nla_len))
    if (const int type = one->nla_type & NLA_TYPE_MASK; type <= most)
      out[static_cast<std::size_t>(type)] = one;
  return out;
}

std::string_view text_of(const nlattr& attribute) {
  const auto* text = reinterpret_cast<const char*>(&attribute) + kAttributeHeader;
  return {text, ::strnlen(text, attribute.nla_len - kAttributeHeader)};
}

}  // namespace evenkeel::network
