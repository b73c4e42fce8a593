#include "collectors/counters/counting_in_turns.h"

#include <algorithm>

namespace evenkeel {

void CountingInTurns::follow(const CgroupTree& tree) {
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

bool CountingInTurns::collect(Tick& tick, const InterferenceSettings& settings) {
  if (set_.wants_all_again(tick.node.at)) end_all();
  if (!prepare(tick, settings)) return false;
  for (std::size_t place = 0; place < windows_.size(); ++place)
    if (windows_[place].cgroup && windows_[place].go_on(tick.node, settings.counter_window))
      finish(place, tick);
  turns_.pass(tick.node.since_previous, settings.counter_period);
  begin_turns(tick, settings);
  say(tick.node.counters);
  return true;
}

void CountingInTurns::say(CounterStatus& status) const {
  status.backend = backend_;
  status.windows = windows_done_;
  status.dropped = dropped_;
  status.descriptors = descriptors();
  status.why = refused_;
  if (!refused_.empty() && !set_.why().empty()) status.why += "; ";
  status.why += set_.why();
}

void CountingInTurns::end_at(std::size_t place) {
  windows_[place].cgroup = {};
  end(place);
}

void CountingInTurns::end_all() {
  for (std::size_t place = 0; place < windows_.size(); ++place)
    if (windows_[place].cgroup) end_at(place);
}

void CountingInTurns::finish(std::size_t place, Tick& tick) {
  ++windows_done_;
  const CounterWindow window = windows_[place];
  ScaledCounts scaled;
  const bool known = read(place, scaled);
  end_at(place);
  if (known && !scaled.ran()) return;
  const auto counts = scaled.in(window, tick.node.at, events());
  if (!known || !counts) ++dropped_;
  if (!known) return;
  if (counts) {
    set_.fits(window.events);
    tick.node.cpu_counts.push_back(*counts);
  } else {
    set_.too_many(window.events, tick.node.at, tick.host);  // rather few events than none
  }
}

void CountingInTurns::begin_turns(const Tick& tick, const InterferenceSettings& settings) {
  std::string why;
  const std::size_t most = most_windows(tick, settings, why);
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
    const Countable* next = turns_.take(tick.node.at, settings.counter_period, may);
    if (next == nullptr) return;
    begin_one(*next, tick, settings);
  }
}

void CountingInTurns::begin_one(const Countable& who, const Tick& tick,
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

/// The first is named until everybody has had a turn without: the reason is one, not one for each of them.
void CountingInTurns::refuse(const Error& error, const Countable& who, const Tick& tick) {
  refused_at_ = tick.node.at;
  if (!refused_.empty() && refused_with_ == error.code) return;
  refused_with_ = error.code;
  refused_ = std::string(errno_name(error.code)) + ": " + who.dir;
}

}  // namespace evenkeel
