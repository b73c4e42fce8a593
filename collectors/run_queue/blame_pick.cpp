#include <algorithm>
#include <tuple>

#include "collectors/run_queue/reader.h"

namespace evenkeel::run_queue {
namespace {

template <class T>
bool of_one(const T& a, const T& b) {
  return a.victim == b.victim && a.sibling == b.sibling;
}

bool by_victim(const WaitBlame& a, const WaitBlame& b) {
  return std::tie(a.victim, a.sibling, b.time) < std::tie(b.victim, b.sibling, a.time);
}

}  // namespace

BlameSelection::BlameSelection() {
  candidates_.reserve(kMaxCandidates);
  rests_.reserve(kMaxCandidates);
}

void BlameSelection::add(const WaitBlame& blame) {
  if (candidates_.size() == kMaxCandidates) cut();
  candidates_.push_back({.blame = blame});
}

void BlameSelection::add_rest(const BlameRest& rest) {
  rests_.push_back(rest);
  cut_ += static_cast<std::uint64_t>(rest.pairs);
}

/// Keeps the longest pairs; the others are added to their victims' rests.
void BlameSelection::cut() {
  std::ranges::sort(candidates_, by_victim, &Candidate::blame);
  for (std::size_t i = 1; i < candidates_.size(); ++i) {
    const bool same = of_one(candidates_[i].blame, candidates_[i - 1].blame);
    candidates_[i].place = same ? std::min(candidates_[i - 1].place + 1, kMinPerVictim) : 0;
  }
  candidates_.front().place = 0;
  const auto end = candidates_.begin() + kMaxPairs;
  std::ranges::nth_element(candidates_, end, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.place, b.blame.time) < std::tie(b.place, a.blame.time);
  });
  for (auto one = end; one != candidates_.end(); ++one)
    add_rest(
        {.victim = one->blame.victim, .sibling = one->blame.sibling, .pairs = 1, .time = one->blame.time});
  candidates_.erase(end, candidates_.end());
  add_up_rests();
}

void BlameSelection::add_up_rests() {
  if (rests_.empty()) return;
  std::ranges::sort(rests_, [](const BlameRest& a, const BlameRest& b) {
    return std::tie(a.victim, a.sibling) < std::tie(b.victim, b.sibling);
  });
  auto last = rests_.begin();
  for (auto one = last + 1; one != rests_.end(); ++one) {
    if (!of_one(*one, *last)) {
      *++last = *one;
      continue;
    }
    last->pairs += one->pairs;
    last->time += one->time;
  }
  rests_.erase(last + 1, rests_.end());
}

void BlameSelection::emit(RunQueue& into) {
  if (candidates_.size() > kMaxPairs) cut();
  add_up_rests();
  std::ranges::sort(candidates_, by_victim, &Candidate::blame);
  into.blame.clear();
  into.blame.reserve(kMaxPairs);
  for (const Candidate& one : candidates_) into.blame.push_back(one.blame);
  into.blame_remainders.assign(rests_.begin(), rests_.end());
  into.merged_pairs = cut_;
  candidates_.clear();
  rests_.clear();
}

}  // namespace evenkeel::run_queue
