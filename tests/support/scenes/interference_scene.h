// A node made of random numbers: one victim's signal, the activity of eight suspects, and episodes in which
// one of them really does harm. For comparing detectors where the truth is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include "qos/model/interference_settings.h"

namespace evenkeel::test {

enum class Family : std::uint8_t {
  normal,          ///< independent samples, standard deviation a tenth of the mean
  log_normal,      ///< independent, sigma 0.3
  autocorrelated,  ///< a tenth of the mean, 0.9 from one sample to the next
  release,         ///< a new image is 1.8 times as slow for good: the agent sees the image change
  slow,            ///< new input makes it 1.8 times as slow for six hours, for no visible reason
  twins,           ///< two suspects that always work together, one of which may be guilty
  waiting,         ///< share of time spent waiting for a CPU, log-normal around 5 %, blame measured
};
inline constexpr std::size_t kFamilies = 7;
inline constexpr std::array<const char*, kFamilies> kFamilyNames = {
    "normal, cv 10 %",  "log-normal 0.3", "AR(1) 0.9, cv 10 %",
    "release, 1.8 x",   "slow for hours", "two suspects move together",
    "waiting for a CPU"};
constexpr Signal signal_of(Family family) {
  return family == Family::waiting ? Signal::run_queue_wait : Signal::cpi;
}

inline constexpr std::size_t kSuspects = 8, kCulprit = 0, kTwin = 1;

/// One aligned window.
struct SceneWindow {
  double value = 0;
  std::array<double, kSuspects> activity{};  ///< CPUs
  std::array<double, kSuspects> blame{};     ///< seconds per second; only if the family measures it
  bool new_image = false;
};

/// Whole days of windows. The first day is for learning: changes of the family come after it, and the culprit
/// works (and does harm) in episodes of 30 windows, one every four hours, with a steady or a changing load.
/// `times`: the factor by which the victim is slowed at the culprit's full activity, proportionally less
/// below; 1 = it works as in any other scene and does no harm.
class Scene {
 public:
  Scene(Family family, double times, unsigned seed);
  [[nodiscard]] std::size_t windows_a_day() const { return windows_a_day_; }
  SceneWindow next();
  /// The culprit was active in the last window of next().
  [[nodiscard]] bool working() const { return working_; }
  [[nodiscard]] bool harmful() const { return times_ > 1; }

 private:
  double noise();
  void work(SceneWindow& window);
  void plan_episode();
  double level(SceneWindow& window);
  void wait(SceneWindow& window, double times);

  Family family_;
  double times_;
  std::mt19937 random_;
  std::normal_distribution<double> gauss_{};
  std::size_t windows_a_day_;
  std::size_t at_ = 0;
  double drift_ = 0;  ///< state of the autocorrelated noise
  struct Worker {
    bool on = false;
    double load = 1;
  };
  std::array<Worker, kSuspects> workers_{};
  std::size_t slow_from_ = 0;
  std::size_t begin_ = 0;  ///< of this or the next episode
  std::size_t episode_ = 0;
  bool working_ = false, steady_ = true;
};

}  // namespace evenkeel::test
