#include "collectors/counters/set.h"

#include "collectors/counters/cpu_counting.h"

namespace evenkeel::counters {

void CounterSet::too_many(std::size_t events, MonoTime at, const Host& host) {
  if (events != now_.size() || events <= kCountedAlways) return;
  now_.resize(previous_.value_or(events - 1));
  previous_.reset();
  left_out_ = at;
  why_.clear();
  for (std::size_t i = now_.size(); i < all_.size(); ++i)
    why_.append(why_.empty() ? "" : ", ").append(name(all_[i].kind));
  why_ += ": " + counters_in_use_reason(host);
}

void CounterSet::fits(std::size_t events) {
  if (!previous_ || events != now_.size()) return;
  previous_.reset();
  left_out_.reset();
  why_.clear();
}

bool CounterSet::should_retry_all(MonoTime at) {
  if (!left_out_ || previous_ || at - *left_out_ < kRetryInterval) return false;
  previous_ = now_.size();
  now_ = all_;
  return true;
}

}  // namespace evenkeel::counters
