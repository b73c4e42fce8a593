// Which suspects hurt a victim, and the state that is kept of each victim's signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "qos/detector/normal_model.h"
#include "qos/detector/suspect_evidence.h"
#include "qos/model/ids.h"

namespace evenkeel::detector {

// Judges which of several suspects hurts a victim: each one's evidence, which is accused, which is not and
// why. Pure; writes into memory of the caller. Does not decide what is done about it.
//
// Blame (time that the victim waited while the suspect had the CPU) is a measurement and comes first. Without
// it, the suspect must have moved with the victim more than an innocent one would (suspect_evidence.h) and
// the victim must be anomalous (normal_model.h): the probability of both together is compared with the
// allowed number of false alarms a day, corrected for the number of victims and of suspects.

struct Suspect {
  CgroupId cgroup{};
  const WindowSeries* activity = nullptr;  ///< CPU use, bandwidth, …: the same unit for all
  /// Seconds per second that the victim waited for it; null: not measured. A pair without a wait has zeros.
  const WindowSeries* blame = nullptr;
  bool cleared = false;  ///< it was limited lately, and that did not help (limit_effect.h)
};

/// Why a suspect is accused, or is not. The first that applies.
enum class Finding : std::uint8_t {
  named,            ///< accused
  joint,            ///< accused together with another one: they cannot be told apart
  explained,        ///< its evidence is only what it has in common with one that is accused
  cleared,          ///< it was limited lately, and that did not help
  unknown,          ///< too few windows in which both were measured, or the victim is not anomalous
  idle,             ///< it does no more than in its quiet times
  low_blame,        ///< blame was measured and the victim waited for others
  unchanged_blame,  ///< the victim waited as much for it while it was well
  no_contrast,      ///< its activity was constant: only a test can tell (limit_effect.h)
  disagree,         ///< contrast, rank correlation and regression do not all point at it
  too_weak,         ///< its possible effect is too small
  by_chance,        ///< an innocent one may well look like that
};
inline constexpr std::size_t kFindings = 12;
/// In words, for metrics, sentences and the interface.
const char* finding_name(Finding finding);

struct Verdict {
  CgroupId suspect{};
  Finding finding = Finding::unknown;
  CgroupId with{};  ///< joint, explained: the one that is accused
  Evidence evidence{};
  std::optional<double> blame{};  ///< seconds per second that the victim waits for it now
  /// Its part of the additional waiting compared with normal times; of all waiting, if no time was normal.
  std::optional<double> blame_share{};
  /// Probability that by chance this victim looks so bad and one of its suspects so guilty, in one look; may
  /// exceed 1. It is compared with allowed_p_value().
  double chance = 1;
  /// 0 to 1: 1 less the chance.
  [[nodiscard]] double confidence() const { return chance < 1 ? 1 - chance : 0; }
  [[nodiscard]] bool accused() const { return finding == Finding::named || finding == Finding::joint; }
};

/// The victim, as it is now.
struct Case {
  const NormalModel* model = nullptr;
  const WindowSeries* series = nullptr;
  Anomaly anomaly{};
  std::int64_t window = 0;  ///< the newest one
  std::size_t victims = 1;  ///< victims watched on this node: each can cause a false alarm
};

/// The highest allowed probability of a false alarm in one look at one victim.
double allowed_p_value(const Case& victim, const DetectorSettings& settings);

/// One verdict per suspect, as many as `out` has room for; the accused first, the most certain at the head.
/// Returns how many were written. With an unknown anomaly, or none, no suspect is accused.
std::size_t judge(const Case& victim, std::span<const Suspect> suspects, const DetectorSettings& settings,
                  std::span<Verdict> out);

// Keeps the state of one signal of one victim: what is normal, the last samples, the last windows. A policy
// keeps one per (workload, signal). Fixed memory, no allocation. Does not measure or act.

class VictimWatch {
 public:
  VictimWatch() : VictimWatch(Signal::cpi) {}
  explicit VictimWatch(Signal signal) : model_(signal) {}

  /// Adds one sample of this window: it is compared with normal, and then learned unless a suspect is accused
  /// (`accused`): what others do to a victim is not its normal. Absent samples are not passed. False: it is
  /// not a number, or came too soon after the one before.
  bool observe(double value, std::int64_t window, MonoTime now, bool accused,
               const DetectorSettings& settings) {
    if (!anomaly_.add(value, now, model_, settings)) return false;
    series_.put(window, value);
    if (!accused) model_.learn(value, now, settings);
    return true;
  }
  /// After a new image or a restart: nothing learned before applies.
  void relearn() {
    model_.relearn();
    anomaly_.clear();
    series_.clear();
  }
  [[nodiscard]] Anomaly anomaly(const DetectorSettings& settings) const {
    return anomaly_.judge(model_, settings);
  }
  /// Ready for judge(); holds pointers into this watch.
  [[nodiscard]] Case open_case(std::size_t victims, const DetectorSettings& settings) const {
    return {&model_, &series_, anomaly(settings), series_.newest(), victims};
  }
  [[nodiscard]] const NormalModel& model() const { return model_; }
  [[nodiscard]] NormalModel& model() { return model_; }
  [[nodiscard]] const WindowSeries& series() const { return series_; }

 private:
  NormalModel model_;
  AnomalyWatch anomaly_{};
  WindowSeries series_{};
};
/// A node watches hundreds of containers by several signals each.
static_assert(sizeof(VictimWatch) <= 512);

}  // namespace evenkeel::detector
