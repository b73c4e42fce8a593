// How many rounds a property test runs: fewer under a sanitizer, which is many times slower and finds its
// errors in the first rounds.
#pragma once

namespace evenkeel::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EVENKEEL_WATCHED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EVENKEEL_WATCHED 1
#endif

#ifdef EVENKEEL_WATCHED
inline constexpr unsigned kWatchedShare = 10;
#else
inline constexpr unsigned kWatchedShare = 1;
#endif

/// `count` rounds; a tenth of them, but at least one, under a sanitizer.
constexpr unsigned rounds(unsigned count) { return count < kWatchedShare ? 1 : count / kWatchedShare; }

}  // namespace evenkeel::test
