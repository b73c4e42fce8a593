#include "collectors/counters/windowed_counting.h"

#include <algorithm>

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

void WindowedCounting::follow(const tree::CgroupTree& tree) {
  turns_.follow(tree);
  const auto& all = turns_.all();
  for (std::size_t place = 0; place < windows_.size(); ++place) {
    if (!windows_[place].cgroup) continue;
    const auto same = std::ranges::find(all, windows_[place].cgroup, &Countable::id);
    if (same == all.end())
      end_at(place);
    else
      windows_[place].position = same->position;
  }
}

bool WindowedCounting::collect(collectors::Tick& tick, const InterferenceSettings& settings) {
  if (set_.should_retry_all(tick.node.at)) end_all();
  if (!prepare(tick, settings)) return false;
  for (std::size_t place = 0; place < windows_.size(); ++place)
    if (windows_[place].cgroup && windows_[place].extend(tick.node, settings.counter_window))
      finish(place, tick);
  turns_.pass(tick.node.since_previous, settings.counter_period);
  begin_turns(tick, settings);
  fill_status(tick.node.counters);
  return true;
}

void WindowedCounting::fill_status(CounterStatus& status) const {
  status.backend = backend_;
  status.windows = windows_done_;
  status.dropped = dropped_;
  status.descriptors = descriptors();
  status.why = refused_;
  if (!refused_.empty() && !set_.why().empty()) status.why += "; ";
  status.why += set_.why();
}

void WindowedCounting::end_at(std::size_t place) {
  windows_[place].cgroup = {};
  end(place);
}

void WindowedCounting::end_all() {
  for (std::size_t place = 0; place < windows_.size(); ++place)
    if (windows_[place].cgroup) end_at(place);
}

void WindowedCounting::finish(std::size_t place, collectors::Tick& tick) {
  ++windows_done_;
  const CounterWindow window = windows_[place];
  ScaledCounts scaled;
  const bool known = read(place, scaled);
  end_at(place);
  if (known && !scaled.counted()) return;
  const auto counts = scaled.in(window, tick.node.at, events());
  if (!known || !counts) ++dropped_;
  if (!known) return;
  if (counts) {
    set_.fits(window.events);
    tick.node.cpu_counts.push_back(*counts);
  } else {
    set_.too_many(window.events, tick.node.at, tick.host);  // fewer events are better than none
  }
}

void WindowedCounting::begin_turns(const collectors::Tick& tick, const InterferenceSettings& settings) {
  std::string why;
  const std::size_t most = max_windows(tick, settings, why);
  if (most == 0) {
    refused_ = std::move(why);
    refused_with_ = 0;
    return;
  }
  const auto may = [&](const Countable& one) {
    const auto use = use_at(tick.node, one.position);
    return (!use || use->count() > 0) &&
           std::ranges::find(windows_, one.id, &CounterWindow::cgroup) == windows_.end();
  };
  auto open = static_cast<std::size_t>(
      std::ranges::count_if(windows_, [](const CounterWindow& window) { return bool(window.cgroup); }));
  for (; open < most; ++open) {
    const Countable* next = turns_.take_due(tick.node.at, settings.counter_period, may);
    if (next == nullptr) return;
    begin_one(*next, tick, settings);
  }
}

void WindowedCounting::begin_one(const Countable& who, const collectors::Tick& tick,
                                 const InterferenceSettings& settings) {
  auto free = std::ranges::find(windows_, CgroupId{}, &CounterWindow::cgroup);
  if (free == windows_.end()) free = windows_.insert(free, CounterWindow{});
  const auto begun = begin(static_cast<std::size_t>(free - windows_.begin()), who, tick);
  if (begun) {
    if (refused_with_ == 0 || tick.node.at - refused_at_ >= settings.counter_period) refused_.clear();
    *free = {.cgroup = who.id, .position = who.position, .began = tick.node.at, .events = events().size()};
  } else if (begun.error().code != ENOENT) {
    refuse(begun.error(), who, tick);
  }
}

/// The first error is kept until all containers have had a turn without one: the cause is one, not one per
/// container.
void WindowedCounting::refuse(const Error& error, const Countable& who, const collectors::Tick& tick) {
  refused_at_ = tick.node.at;
  if (!refused_.empty() && refused_with_ == error.code) return;
  refused_with_ = error.code;
  refused_ = std::string(errno_name(error.code)) + ": " + who.dir;
}

}  // namespace evenkeel::counters
