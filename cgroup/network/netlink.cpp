#include "cgroup/network/netlink.h"

#include <arpa/inet.h>
#include <endian.h>
#include <libmnl/libmnl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

namespace evenkeel::network {
namespace {

constexpr std::size_t kUsualMessage = 512, kLargestMessage = 32768, kLargestDatagram = 32768;
/// A transaction is one datagram. The default limit of 208 KiB is the rules of some 800 pods with two
/// addresses and a limit of their own.
constexpr int kLargestTransaction = 4 << 20;
constexpr int kPatienceMs = 1000;

struct Reading {
  const OnMessage& f;
  NetlinkAnswer answer{};
};

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

/// Called by libmnl for each message whose sequence number is right.
int on_message(const nlmsghdr* message, void* data) {
  auto& [f, answer] = *static_cast<Reading*>(data);
  if (message->nlmsg_len > INT_MAX) return MNL_CB_STOP;  // libmnl 1.0.4 takes it for negative: it would fit
  if (message->nlmsg_type == NLMSG_ERROR) answer.error = refusal_in(*message, answer.words);
  answer.complete =
      message->nlmsg_type == NLMSG_DONE || (message->nlmsg_type == NLMSG_ERROR && answer.error == 0);
  if (message->nlmsg_type >= NLMSG_MIN_TYPE) f(*message);
  return answer.complete || answer.error != 0 ? MNL_CB_STOP : MNL_CB_OK;
}

}  // namespace

NetlinkMessage::NetlinkMessage(int type, int flags, const void* header, std::size_t size)
    : bytes_(kUsualMessage) {
  auto* message = ::mnl_nlmsg_put_header(bytes_.data());
  message->nlmsg_type = static_cast<std::uint16_t>(type);
  message->nlmsg_flags = static_cast<std::uint16_t>(flags);
  std::memcpy(::mnl_nlmsg_put_extra_header(message, size), header, size);
}

bool NetlinkMessage::make_room(std::size_t more) {
  const std::size_t needed = raw().nlmsg_len + MNL_ATTR_HDRLEN + MNL_ALIGN(more);
  complete_ = complete_ && needed <= kLargestMessage;
  if (complete_ && needed > bytes_.size()) bytes_.resize(std::min(2 * needed, kLargestMessage));
  return complete_;
}

NetlinkMessage& NetlinkMessage::put(int attribute, const void* data, std::size_t size) {
  if (make_room(size)) ::mnl_attr_put(head(), static_cast<std::uint16_t>(attribute), size, data);
  return *this;
}

NetlinkMessage& NetlinkMessage::put_big(int attribute, std::uint32_t value) {
  return put_value(attribute, htonl(value));
}

NetlinkMessage& NetlinkMessage::put_big64(int attribute, std::uint64_t value) {
  return put_value(attribute, htobe64(value));
}

NetlinkMessage& NetlinkMessage::nest(int attribute, const std::function<void()>& fill) {
  if (!make_room(0)) return *this;
  const auto start = raw().nlmsg_len;  // the message may move while it is filled
  ::mnl_attr_nest_start(head(), static_cast<std::uint16_t>(attribute));
  fill();
  ::mnl_attr_nest_end(head(), reinterpret_cast<nlattr*>(bytes_.data() + start));
  return *this;
}

NetlinkMessage& NetlinkMessage::request_ack() {
  head()->nlmsg_flags = static_cast<std::uint16_t>(raw().nlmsg_flags | NLM_F_ACK);
  return *this;
}

const void* payload_of(const nlmsghdr& message, std::size_t size) {
  return ::mnl_nlmsg_get_payload_len(&message) < size ? nullptr : ::mnl_nlmsg_get_payload(&message);
}

std::string_view text_in(const nlmsghdr& message, std::size_t header_size, int attribute) {
  const auto* end = static_cast<const char*>(::mnl_nlmsg_get_payload_tail(&message));
  for (const auto* one = static_cast<const nlattr*>(::mnl_nlmsg_get_payload_offset(&message, header_size));
       ::mnl_attr_ok(one, static_cast<int>(end - reinterpret_cast<const char*>(one)));
       one = ::mnl_attr_next(one)) {
    if (::mnl_attr_get_type(one) != attribute) continue;
    const auto* text = static_cast<const char*>(::mnl_attr_get_payload(one));
    return {text, ::strnlen(text, ::mnl_attr_get_payload_len(one))};
  }
  return {};
}

NetlinkAnswer read_answer(std::span<const char> datagram, std::uint32_t sequence, const OnMessage& f) {
  Reading reading{f};
  std::array<mnl_cb_t, NLMSG_MIN_TYPE> control{};
  control.fill(on_message);
  const int done = ::mnl_cb_run2(datagram.data(), datagram.size(), sequence, 0, on_message, &reading,
                                 control.data(), control.size());
  if (done < 0 && errno == EPROTO) return {};  // another sequence number
  if (done < 0) reading.answer.error = errno;
  return std::move(reading.answer);
}

void NetlinkSocket::Close::operator()(mnl_socket* socket) const { ::mnl_socket_close(socket); }

Result<NetlinkSocket> NetlinkSocket::open(int protocol) {
  Owner socket(::mnl_socket_open2(protocol, SOCK_CLOEXEC));
  if (!socket) return fail(errno, Op::open, "netlink");
  int on = 1;
  for (const int option : {NETLINK_EXT_ACK, NETLINK_CAP_ACK})
    ::mnl_socket_setsockopt(socket.get(), option, &on, sizeof on);
  ::setsockopt(::mnl_socket_get_fd(socket.get()), SOL_SOCKET, SO_SNDBUFFORCE, &kLargestTransaction,
               sizeof kLargestTransaction);
  if (::mnl_socket_bind(socket.get(), 0, MNL_SOCKET_AUTOPID) != 0) return fail(errno, Op::open, "netlink");
  return NetlinkSocket(std::move(socket));
}

Result<> NetlinkSocket::send(std::span<const NetlinkMessage> messages) {
  words_.clear();
  ++sequence_;
  std::vector<char> all;
  for (const auto& message : messages) {
    if (!message.complete()) return fail(EMSGSIZE, Op::write, "netlink");
    const auto start = all.size();
    const auto* bytes = reinterpret_cast<const char*>(&message.raw());
    all.insert(all.end(), bytes, bytes + MNL_ALIGN(message.raw().nlmsg_len));
    reinterpret_cast<nlmsghdr*>(all.data() + start)->nlmsg_seq = sequence_;
  }
  if (::mnl_socket_sendto(socket_.get(), all.data(), all.size()) < 0)
    return fail(errno, Op::write, "netlink");
  return {};
}

Result<std::span<const char>> NetlinkSocket::receive(bool wait) {
  buffer_.resize(kLargestDatagram);
  pollfd socket{.fd = ::mnl_socket_get_fd(socket_.get()), .events = POLLIN, .revents = 0};
  int ready = -1;
  while ((ready = ::poll(&socket, 1, wait ? kPatienceMs : 0)) < 0 && errno == EINTR) {
  }
  if (ready == 0) return fail(ETIMEDOUT, Op::read, "netlink");
  const auto size = ready < 0 ? -1 : ::mnl_socket_recvfrom(socket_.get(), buffer_.data(), buffer_.size());
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
