// Random numbers for plans that are drawn beforehand: the same for the same seed, so that a tick can be
// replayed.
#pragma once

#include <cstdint>

namespace evenkeel::detector {

/// The next number of a sequence (SplitMix64; Steele, Lea and Flood 2014): every bit of the seed counts.
inline std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

}  // namespace evenkeel::detector
