#include "agent/demo/wire.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <deque>

#include "cgroup/base/text.h"

namespace evenkeel::demo {
namespace {

class BuiltinWire : public Wire {
 public:
  explicit BuiltinWire(int socket) : socket_(socket) {}
  bool send(std::size_t number) override {
    const Message request{number, 0};
    return ::send(socket_, request.data(), sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 ||
           errno == EAGAIN;
  }
  bool take(std::vector<std::size_t>& answered) override {
    Message answer{};
    if (::recv(socket_, answer.data(), sizeof answer, MSG_DONTWAIT) != static_cast<ssize_t>(sizeof answer))
      return false;
    answered.push_back(answer[0]);
    return true;
  }

 private:
  using Message = std::array<std::uint64_t, 2>;  ///< the number, and the result of the work
  int socket_;
};

class RedisWire : public Wire {
 public:
  explicit RedisWire(int socket) : socket_(socket) {}
  bool send(std::size_t number) override {
    if (!send_rest()) return false;
    if (!rest_.empty()) return true;
    rest_ = redis_request(number);
    const std::size_t whole = rest_.size();
    if (!send_rest()) return false;
    if (rest_.size() == whole) {
      rest_.clear();
    } else {
      waiting_.push_back(number);
    }
    return true;
  }
  bool take(std::vector<std::size_t>& answered) override {
    std::array<char, 4096> bytes{};
    const ssize_t length = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (length < 0) return errno == EAGAIN || errno == EINTR;
    const auto complete = replies_.add({bytes.data(), static_cast<std::size_t>(length)});
    if (length == 0 || !complete || *complete > waiting_.size()) return false;
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(*complete);
    answered.insert(answered.end(), waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return send_rest();
  }

 private:
  /// As much as the socket takes of a request that was begun. False: the connection failed.
  bool send_rest() {
    if (rest_.empty()) return true;
    const ssize_t sent = ::send(socket_, rest_.data(), rest_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    rest_.erase(0, static_cast<std::size_t>(sent));
    return true;
  }

  int socket_;
  std::string rest_{};
  std::deque<std::size_t> waiting_{};  ///< numbers of the requests that are not answered, the oldest first
  RedisReplies replies_{};
};

constexpr std::string_view kLineEnd = "\r\n";

/// Of the first answer in `text`: 0 if the rest has not come. Absent: none that was asked for.
std::optional<std::size_t> length_of_answer(std::string_view text) {
  constexpr std::size_t kLongestLine = 64;
  constexpr std::int64_t kLongestValue = 1024;
  if (text.empty()) return 0;
  if (text[0] != '+' && text[0] != '$') return std::nullopt;
  const auto line = text.find(kLineEnd);
  if (line == std::string_view::npos)
    return text.size() <= kLongestLine + 1 ? std::optional<std::size_t>(0) : std::nullopt;
  if (line > kLongestLine) return std::nullopt;
  const std::size_t end = line + kLineEnd.size();
  if (text[0] == '+') return end;
  if (text.substr(1, line - 1) == "-1") return end;  // the key is not there
  const auto length = whole_number(text.substr(1, line - 1));
  if (!length || *length < 0 || *length > kLongestValue) return std::nullopt;
  const auto value = static_cast<std::size_t>(*length);
  if (text.size() < end + value + kLineEnd.size()) return 0;
  if (text.substr(end + value, kLineEnd.size()) != kLineEnd) return std::nullopt;
  return end + value + kLineEnd.size();
}

std::string bulk(const std::string& text) {
  return '$' + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

}  // namespace

std::unique_ptr<Wire> builtin_wire(int socket) { return std::make_unique<BuiltinWire>(socket); }
std::unique_ptr<Wire> redis_wire(int socket) { return std::make_unique<RedisWire>(socket); }

std::string redis_request(std::size_t number) {
  constexpr std::size_t kKinds = 4, kKeys = 100, kValueBytes = 64;
  const std::string key = "key" + std::to_string(number / kKinds % kKeys);
  switch (number % kKinds) {
    case 0:
      return "*1\r\n" + bulk("PING");
    case 1:
      return "*3\r\n" + bulk("SET") + bulk(key) + bulk(std::string(kValueBytes, 'v'));
    default:
      return "*2\r\n" + bulk("GET") + bulk(key);
  }
}

std::optional<std::size_t> RedisReplies::add(std::string_view bytes) {
  begun_ += bytes;
  std::size_t complete = 0, at = 0;
  for (;;) {
    const auto length = length_of_answer(std::string_view(begun_).substr(at));
    if (!length) return std::nullopt;
    if (*length == 0) break;
    at += *length;
    ++complete;
  }
  begun_.erase(0, at);
  return complete;
}

}  // namespace evenkeel::demo
