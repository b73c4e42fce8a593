#include "cgroup/network/netlink.h"

#include <arpa/inet.h>
#include <endian.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace evenkeel::network {
namespace {

constexpr std::size_t kUsualMessage = 512, kLargestMessage = 32768, kLargestDatagram = 32768;
/// A transaction is one datagram. The default limit of 208 KiB is the rules of some 800 pods with two
/// addresses and a limit of their own.
constexpr int kLargestTransaction = 4 << 20;
constexpr int kPatienceMs = 1000;

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

std::span<const char> payload_of(const nlmsghdr& message) {
  return {reinterpret_cast<const char*>(&message) + kHeader, message.nlmsg_len - kHeader};
}

/// The refusal in an NLMSG_ERROR, as errno; 0: an acknowledgement.
int refusal_in(const nlmsghdr& message, std::string& words) {
  constexpr int kLargestErrno = 4095;  // include/linux/err.h: MAX_ERRNO
  constexpr int kHasWords = NLM_F_CAPPED | NLM_F_ACK_TLVS;
  const auto* body = header_of<nlmsgerr>(message);
  if (body == nullptr || body->error > 0 || body->error < -kLargestErrno) return EBADMSG;
  // Attributes follow the header of the refused message (NETLINK_CAP_ACK: only its header is returned).
  if (body->error != 0 && (message.nlmsg_flags & kHasWords) == kHasWords)
    words = text_in(message, sizeof(nlmsgerr), NLMSGERR_ATTR_MSG);
  return -body->error;
}

}  // namespace

NetlinkMessage::NetlinkMessage(int type, int flags, const void* header, std::size_t size)
    : bytes_(kUsualMessage) {
  head()->nlmsg_type = static_cast<std::uint16_t>(type);
  head()->nlmsg_flags = static_cast<std::uint16_t>(flags);
  head()->nlmsg_len = static_cast<std::uint32_t>(kHeader + aligned(size));
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
  const nlattr front{static_cast<std::uint16_t>(kAttributeHeader + size),
                     static_cast<std::uint16_t>(attribute)};
  char* at = bytes_.data() + raw().nlmsg_len;
  std::memcpy(at, &front, sizeof front);
  if (size > 0) std::memcpy(at + kAttributeHeader, data, size);
  head()->nlmsg_len += static_cast<std::uint32_t>(aligned(front.nla_len));
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

NetlinkMessage& NetlinkMessage::request_ack() {
  head()->nlmsg_flags = static_cast<std::uint16_t>(raw().nlmsg_flags | NLM_F_ACK);
  return *this;
}

const void* payload_of(const nlmsghdr& message, std::size_t size) {
  const auto payload = payload_of(message);
  return payload.size() < size ? nullptr : payload.data();
}

std::string_view text_in(const nlmsghdr& message, std::size_t header_size, int attribute) {
  auto rest = payload_of(message);
  rest = rest.subspan(std::min(aligned(header_size), rest.size()));
  while (const auto* one = next_item(rest, &nlattr::nla_len)) {
    if ((one->nla_type & NLA_TYPE_MASK) != attribute) continue;
    const auto* text = reinterpret_cast<const char*>(one) + kAttributeHeader;
    return {text, ::strnlen(text, one->nla_len - kAttributeHeader)};
  }
  return {};
}

NetlinkAnswer read_answer(std::span<const char> datagram, std::uint32_t sequence, const OnMessage& f) {
  NetlinkAnswer out;
  while (!out.complete && out.error == 0) {
    const auto* one = next_item(datagram, &nlmsghdr::nlmsg_len);
    if (one == nullptr || (sequence != 0 && one->nlmsg_seq != sequence)) break;
    if ((one->nlmsg_flags & NLM_F_DUMP_INTR) != 0) {
      out.error = EINTR;
    } else if (one->nlmsg_type == NLMSG_ERROR) {
      out.error = refusal_in(*one, out.words);
      out.complete = out.error == 0;
    } else if (one->nlmsg_type == NLMSG_DONE) {
      out.complete = true;
    } else if (one->nlmsg_type >= NLMSG_MIN_TYPE) {
      f(*one);
    }
  }
  return out;
}

Result<NetlinkSocket> NetlinkSocket::open(int protocol) {
  Fd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
  if (!fd) return fail(errno, Op::open, "netlink");
  const int on = 1;
  for (const int option : {NETLINK_EXT_ACK, NETLINK_CAP_ACK})
    ::setsockopt(fd.get(), SOL_NETLINK, option, &on, sizeof on);
  ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUFFORCE, &kLargestTransaction, sizeof kLargestTransaction);
  sockaddr_nl self{};
  self.nl_family = AF_NETLINK;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&self), sizeof self) != 0)
    return fail(errno, Op::open, "netlink");
  return NetlinkSocket(std::move(fd));
}

Result<> NetlinkSocket::send(std::span<const NetlinkMessage> messages) {
  words_.clear();
  ++sequence_;
  std::vector<char> all;
  for (const auto& message : messages) {
    if (!message.complete()) return fail(EMSGSIZE, Op::write, "netlink");
    const auto start = all.size();
    const auto* bytes = reinterpret_cast<const char*>(&message.raw());
    all.insert(all.end(), bytes, bytes + message.raw().nlmsg_len);  // which is aligned
    reinterpret_cast<nlmsghdr*>(all.data() + start)->nlmsg_seq = sequence_;
  }
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  const auto sent = ::sendto(fd_.get(), all.data(), all.size(), 0, reinterpret_cast<const sockaddr*>(&kernel),
                             sizeof kernel);
  return sent < 0 ? Result<>(fail(errno, Op::write, "netlink")) : Result<>();
}

Result<std::span<const char>> NetlinkSocket::receive(bool wait) {
  buffer_.resize(kLargestDatagram);
  pollfd socket{.fd = fd_.get(), .events = POLLIN, .revents = 0};
  int ready = -1;
  while ((ready = ::poll(&socket, 1, wait ? kPatienceMs : 0)) < 0 && errno == EINTR) {
  }
  if (ready == 0) return fail(ETIMEDOUT, Op::read, "netlink");
  const auto size = ready < 0 ? -1 : ::recv(fd_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (size < 0) return fail(errno, Op::read, "netlink");
  return std::span<const char>(buffer_.data(), static_cast<std::size_t>(size));
}

/// The kernel has queued its answer by the time send() returns. After an error whatever else it said is read
/// without waiting: it would fill the socket before the next request.
Result<> NetlinkSocket::read_answers(Op op, const OnMessage& f) {
  for (int error = 0;;) {
    const auto datagram = receive(error == 0);
    if (!datagram && error != 0) return fail(error, op, "netlink");
    if (!datagram && datagram.error().code != ENOBUFS) return tl::unexpected(datagram.error());
    if (!datagram) {  // some answers are lost; one of the others may say more
      error = ENOBUFS;
      continue;
    }
    auto answer = read_answer(*datagram, sequence_, f);
    if (answer.complete && error == 0) return {};
    if (answer.error == 0 || (error != 0 && error != ENOBUFS)) continue;
    error = answer.error;
    words_ = std::move(answer.words);
  }
}

Result<> NetlinkSocket::ask(std::span<const NetlinkMessage> messages) {
  if (auto sent = send(messages); !sent) return sent;
  return read_answers(Op::write, [](const nlmsghdr&) {});
}

Result<> NetlinkSocket::dump(const NetlinkMessage& request, const OnMessage& f) {
  if (auto sent = send({&request, 1}); !sent) return sent;
  return read_answers(Op::read, f);
}

}  // namespace evenkeel::network
