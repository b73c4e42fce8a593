#include <algorithm>

#include "agent/demo/wire.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto whole = demo::RedisReplies().add(text);
  promise(!whole || *whole <= text.size() / 3);
  // Where the bytes are divided makes no difference.
  demo::RedisReplies replies;
  std::optional<std::size_t> sum = 0;
  for (std::size_t at = 0; at < text.size() && sum; at += 7) {
    const auto more = replies.add(text.substr(at, 7));
    sum = more ? std::optional(*sum + *more) : std::nullopt;
  }
  promise(whole.has_value() == sum.has_value() && whole == sum);
  return 0;
}
