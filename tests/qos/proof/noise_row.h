// A row of ticks in which no lever does anything, and the trials that proof would measure in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "qos/proof/proof.h"

namespace evenkeel::test {

class NoiseRow {
 public:
  /// What services feel in each tick, in seconds.
  NoiseRow(proof::Feeling feeling, std::vector<double> felt) : feeling_(feeling), felt_(std::move(felt)) {
    std::array<proof::Usual, proof::kFeelings> usual{};
    for (const double each : felt_) {
      proof::Felt now{};
      now.at(static_cast<std::size_t>(feeling)) = each;
      trouble_.push_back(proof::unusual(now, usual).has_value());
    }
  }

  /// A trial that begins at a drawn tick without trouble. Absent: trouble has ended it before it could say
  /// anything.
  std::optional<proof::Trial> trial(std::mt19937& random) {
    const proof::Pace pace = proof::pace(feeling_);
    proof::Trial trial{.feeling = feeling_, .spans = pace.spans, .ticks = pace.ticks};
    trial.withheld = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(pace.spans));
    const auto length = static_cast<std::size_t>(pace.spans * pace.ticks);
    std::size_t at = first(length, random);
    for (; trial.span < trial.spans; ++at) {
      if (trouble_[at]) {
        ++cut_short_;
        return proof::cut_short(trial) ? std::optional(trial) : std::nullopt;
      }
      if (trial.tick >= trial.ticks / 5) trial.felt.at(static_cast<std::size_t>(trial.span)) += felt_[at];
      if (++trial.tick == trial.ticks) {
        trial.tick = 0;
        ++trial.span;
      }
    }
    return trial;
  }
  [[nodiscard]] std::int64_t cut_short() const { return cut_short_; }

 private:
  [[nodiscard]] std::size_t first(std::size_t length, std::mt19937& random) const {
    std::size_t at = 0;
    do {
      at = 1 + random() % (felt_.size() - length - 1);
    } while (trouble_[at - 1]);
    return at;
  }

  proof::Feeling feeling_;
  std::vector<double> felt_;
  std::vector<bool> trouble_{};
  std::int64_t cut_short_ = 0;
};

}  // namespace evenkeel::test
