// Netlink sockets and messages (RFC 3549, include/uapi/linux/netlink.h): messages with attributes, sent and
// acknowledged. Does not know what a message means.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/result.h"

struct nlmsghdr;

namespace evenkeel::network {

/// One message. Data that does not fit makes it incomplete, and an incomplete message is not sent.
class NetlinkMessage {
 public:
  /// `header`: the family's header in front of the attributes (tcmsg, nfgenmsg).
  template <class Header>
  NetlinkMessage(int type, int flags, const Header& header)
      : NetlinkMessage(type, flags, &header, sizeof header) {}

  NetlinkMessage& put(int attribute, const void* data, std::size_t size);
  template <class T>
  NetlinkMessage& put_value(int attribute, const T& value) {
    return put(attribute, &value, sizeof value);
  }
  /// Includes the NUL.
  NetlinkMessage& put_text(int attribute, const std::string& text) {
    return put(attribute, text.c_str(), text.size() + 1);
  }
  /// nf_tables uses network byte order.
  NetlinkMessage& put_big(int attribute, std::uint32_t value);
  NetlinkMessage& put_big64(int attribute, std::uint64_t value);
  /// Whatever `fill` adds goes inside the attribute.
  NetlinkMessage& nest(int attribute, const std::function<void()>& fill);
  /// The kernel acknowledges this message when it has obeyed (NLM_F_ACK).
  NetlinkMessage& request_ack();

  [[nodiscard]] bool complete() const { return complete_; }
  /// Valid until the next attribute is added.
  [[nodiscard]] const nlmsghdr& raw() const { return *reinterpret_cast<const nlmsghdr*>(bytes_.data()); }

 private:
  NetlinkMessage(int type, int flags, const void* header, std::size_t size);
  [[nodiscard]] nlmsghdr* head() { return reinterpret_cast<nlmsghdr*>(bytes_.data()); }
  bool make_room(std::size_t more);
  std::vector<char> bytes_;
  bool complete_ = true;
};

using OnMessage = std::function<void(const nlmsghdr&)>;

/// What one datagram of the kernel's answer says.
struct NetlinkAnswer {
  bool complete = false;  ///< it has the acknowledgement, or the end of a dump
  int error = 0;          ///< errno of the kernel's refusal, or of read_answer()
  std::string words{};    ///< the kernel's message for its refusal; usually empty
};

/// Reads a datagram that answers the request with this sequence number (0: any request), and calls
/// f(message) for each message of a dump. What answers another request, or is longer than the datagram, says
/// nothing. EBADMSG: an error that cannot be true; EINTR: what is dumped changed meanwhile. The buffer
/// extends to the next multiple of four bytes.
NetlinkAnswer read_answer(std::span<const char> datagram, std::uint32_t sequence, const OnMessage& f);

/// The first `size` bytes behind the message's own header; null: it is shorter.
const void* payload_of(const nlmsghdr& message, std::size_t size);
/// The family's header in front of the attributes; null: the message is too short.
template <class Header>
const Header* header_of(const nlmsghdr& message) {
  return static_cast<const Header*>(payload_of(message, sizeof(Header)));
}
/// The text of an attribute behind a family's header of this size; empty if there is none.
std::string_view text_in(const nlmsghdr& message, std::size_t header_size, int attribute);

class NetlinkSocket {
 public:
  /// `protocol`: NETLINK_ROUTE, NETLINK_NETFILTER.
  static Result<NetlinkSocket> open(int protocol);

  /// Sends all of them in one datagram and waits for the acknowledgement or for the first error. Exactly one
  /// of them requests an acknowledgement, and none after it can fail: the kernel queues an answer to each
  /// message that does, and some 270 of them fill a socket. ENOBUFS: the kernel could not queue all answers,
  /// so it is unknown what it has done. ETIMEDOUT: no answer for one second.
  Result<> ask(std::span<const NetlinkMessage> messages);
  /// Calls f(message) for each message of the kernel's answer to a dump. Errors: as of ask() and
  /// read_answer().
  Result<> dump(const NetlinkMessage& request, const OnMessage& f);
  /// The kernel's message for the last error; usually empty.
  [[nodiscard]] const std::string& words() const { return words_; }

 private:
  explicit NetlinkSocket(Fd fd) : fd_(std::move(fd)) {}
  Result<> send(std::span<const NetlinkMessage> messages);
  Result<> read_answers(Op op, const OnMessage& f);
  Result<std::span<const char>> receive(bool wait);

  Fd fd_;
  std::uint32_t sequence_ = 0;  ///< of the last request
  std::vector<char> buffer_{};
  std::string words_{};
};

}  // namespace evenkeel::network
