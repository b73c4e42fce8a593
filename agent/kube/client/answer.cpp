#include "agent/kube/client/answer.h"

#include <algorithm>

#include "agent/document/document.h"

namespace evenkeel::kube {
namespace {

constexpr std::size_t kLongestStatus = std::size_t{64} << 10;
constexpr std::size_t kLongestLine = 240;

/// The first line, without characters that would break a log line.
std::string line_of(std::string_view text) {
  text = text.substr(0, std::min(text.find_first_of("\r\n"), kLongestLine));
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return out;
}

}  // namespace

std::optional<KubeStatus> parse_status(std::string_view body) {
  if (body.size() > kLongestStatus || !body.starts_with('{')) return std::nullopt;
  const auto parsed = document::parse_json(body, "answer");
  if (!parsed.problems.empty() || document::text_at(parsed.root, {"kind"}) != "Status") return std::nullopt;
  KubeStatus out{document::text_at(parsed.root, {"reason"}), document::text_at(parsed.root, {"message"})};
  for (const auto& cause :
       document::list_at(parsed.root, {"details", "causes"}).value_or(std::span<const document::Value>()))
    out.causes.push_back({document::text_at(cause, {"reason"}), document::text_at(cause, {"message"})});
  return out;
}

std::string trouble(const http::HttpReply& reply) {
  if (reply.ok()) return {};
  if (reply.failure != http::HttpFailure::none) return line_of(reply.error);
  const auto status = parse_status(reply.body);
  const std::string why = line_of(status ? std::string_view(status->message) : std::string_view(reply.body));
  return std::to_string(reply.status) + (why.empty() ? "" : " " + why);
}

std::string transport_trouble(const http::HttpReply& reply) {
  return reply.failure == http::HttpFailure::unwanted ? std::string() : trouble(reply);
}

}  // namespace evenkeel::kube
