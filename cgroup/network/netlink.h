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

struct nlattr;
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

  [[nodiscard]] bool complete() const { return complete_; }
  /// Valid until the next attribute is added.
  [[nodiscard]] nlmsghdr& raw() { return *reinterpret_cast<nlmsghdr*>(bytes_.data()); }
  [[nodiscard]] const nlmsghdr& raw() const { return *reinterpret_cast<const nlmsghdr*>(bytes_.data()); }

 private:
  NetlinkMessage(int type, int flags, const void* header, std::size_t size);
  bool make_room(std::size_t more);
  std::vector<char> bytes_;
  bool complete_ = true;
};

class NetlinkSocket {
 public:
  /// `protocol`: NETLINK_ROUTE, NETLINK_NETFILTER.
  static Result<NetlinkSocket> open(int protocol);

  /// Sends all of them at once and waits until each that requests it (NLM_F_ACK) is acknowledged; stops at
  /// the first error. The kernel answers at once; after one second without an answer the result is ETIMEDOUT.
  Result<> ask(std::span<const NetlinkMessage> messages);
  /// Calls f(message) for each message of the kernel's answer to a dump.
  Result<> dump(const NetlinkMessage& request, const std::function<void(const nlmsghdr&)>& f);
  /// The kernel's message for the last error; usually empty.
  [[nodiscard]] const std::string& words() const { return words_; }

 private:
  explicit NetlinkSocket(Fd fd) : fd_(std::move(fd)) {}
  Result<> send(std::span<const NetlinkMessage> messages);
  Result<std::span<const char>> receive(bool wait);
  /// The error of an NLMSG_ERROR; 0: an acknowledgement.
  int error_in(const nlmsghdr& message);

  Fd fd_;
  std::uint32_t sequence_ = 0;
  std::vector<char> buffer_{};
  std::string words_{};
};

/// The attributes after a message's header of this size, by number; null where there is none.
std::vector<const nlattr*> attributes_of(const nlmsghdr& message, std::size_t header, int most);
std::string_view text_of(const nlattr& attribute);

}  // namespace evenkeel::network
