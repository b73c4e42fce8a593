#include "collectors/counters/set.h"

#include "collectors/counters/cpu_counting.h"

namespace evenkeel {

void CounterSet::too_many(std::size_t events, MonoTime at, const Host& host) {
  if (events != now_.size() || events <= kCountedAlways) return;
  now_.resize(before_.value_or(events - 1));
  before_.reset();
  left_out_ = at;
  why_.clear();
  for (std::size_t i = now_.size(); i < all_.size(); ++i)
    why_.append(why_.empty() ? "" : ", ").append(name(all_[i].what));
  why_ += ": " + why_no_counter_is_free(host);
}

void CounterSet::fits(std::size_t events) {
  if (!before_ || events != now_.size()) return;
  before_.reset();
  left_out_.reset();
  why_.clear();
}

bool CounterSet::wants_all_again(MonoTime at) {
  if (!left_out_ || before_ || at - *left_out_ < kBetweenTries) return false;
  before_ = now_.size();
  now_ = all_;
  return true;
}

}  // namespace evenkeel
