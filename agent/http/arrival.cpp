#include <algorithm>

#include "agent/http/transfers.h"

namespace evenkeel::http {
namespace {

/// A request for what is too long to be kept may allow hundreds of megabytes. What says why it was refused is
/// kept.
constexpr std::size_t kLongestRefusal = std::size_t{64} << 10;

}  // namespace

HttpFailure Arrival::pass_on(std::string_view piece, bool streamed) {
  if (streamed && call_.line) return lines_.add(piece, to_.line) ? HttpFailure::none : HttpFailure::too_large;
  const bool is_refusal = !streamed && (call_.line || call_.piece);
  longest_ = is_refusal ? std::min(call_.longest_body, kLongestRefusal) : call_.longest_body;
  passed_on_ += piece.size();
  if (passed_on_ > longest_) return HttpFailure::too_large;
  if (streamed) return to_.piece(piece) ? HttpFailure::none : HttpFailure::unwanted;
  reply.body.append(piece);
  return HttpFailure::none;
}

bool Arrival::take(std::string_view piece, bool streamed) {
  reply.failure = pass_on(piece, streamed);
  return reply.failure == HttpFailure::none;
}

void Arrival::take_status(long status) {
  constexpr long kHighest = 999;
  if (status >= 0 && status <= kHighest) {
    reply.status = static_cast<int>(status);
  } else if (reply.failure == HttpFailure::none) {
    reply.failure = HttpFailure::other;
    reply.error = "an answer without a legal status";
  }
}

// The library's texts about time have milliseconds in them, and those about connections are too general.
std::string Arrival::sentence() const {
  switch (reply.failure) {
    case HttpFailure::timed_out:
      return "no complete answer in time";
    case HttpFailure::connection_lost:
      return "the connection ended before the answer was complete";
    case HttpFailure::too_large:
      return "an answer of more than " + std::to_string(longest_) + " bytes";
    case HttpFailure::unwanted:
      return "an answer that its reader rejected";
    default:
      return {};
  }
}

}  // namespace evenkeel::http
