#include "collectors/run_queue/blame_pick.h"

#include <algorithm>
#include <tuple>

namespace evenkeel {
namespace {

template <class T>
bool of_one(const T& a, const T& b) {
  return a.victim == b.victim && a.sibling == b.sibling;
}

bool by_victim(const WaitBlame& a, const WaitBlame& b) {
  return std::tie(a.victim, a.sibling, b.time) < std::tie(b.victim, b.sibling, a.time);
}

}  // namespace

BlamePick::BlamePick() {
  noted_.reserve(kMostNoted);
  rests_.reserve(kMostNoted);
}

void BlamePick::note(const WaitBlame& blame) {
  if (noted_.size() == kMostNoted) cut();
  noted_.push_back({.blame = blame});
}

void BlamePick::note_rest(const BlameRest& rest) {
  rests_.push_back(rest);
  cut_ += static_cast<std::uint64_t>(rest.pairs);
}

/// The longest stay, the others become rests.
void BlamePick::cut() {
  std::ranges::sort(noted_, by_victim, &Noted::blame);
  for (std::size_t i = 1; i < noted_.size(); ++i) {
    const bool same = of_one(noted_[i].blame, noted_[i - 1].blame);
    noted_[i].place = same ? std::min(noted_[i - 1].place + 1, kOfEach) : 0;
  }
  noted_.front().place = 0;
  const auto end = noted_.begin() + kMost;
  std::ranges::nth_element(noted_, end, [](const Noted& a, const Noted& b) {
    return std::tie(a.place, b.blame.time) < std::tie(b.place, a.blame.time);
  });
  for (auto one = end; one != noted_.end(); ++one)
    note_rest(
        {.victim = one->blame.victim, .sibling = one->blame.sibling, .pairs = 1, .time = one->blame.time});
  noted_.erase(end, noted_.end());
  add_up_rests();
}

void BlamePick::add_up_rests() {
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

void BlamePick::pass_on(RunQueue& into) {
  if (noted_.size() > kMost) cut();
  add_up_rests();
  std::ranges::sort(noted_, by_victim, &Noted::blame);
  into.blame.clear();
  into.blame.reserve(kMost);
  for (const Noted& one : noted_) into.blame.push_back(one.blame);
  into.blame_rest.assign(rests_.begin(), rests_.end());
  into.blame_cut = cut_;
  noted_.clear();
  rests_.clear();
}

}  // namespace evenkeel
