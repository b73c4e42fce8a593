#include "tests/support/scenes/interference_scene.h"

#include <algorithm>
#include <cmath>

#include "qos/detector/detector_settings.h"

namespace evenkeel::test {
namespace {

constexpr std::size_t kEpisode = 30;
constexpr double kUsualCpi = 1.5, kUsualWait = 0.05, kSlowdown = 1.8;
/// Per window: the probability that a worker starts, and that it stops. They work a quarter of an hour per
/// hour.
constexpr double kBegins = 1 / 45.0, kEnds = 1 / 15.0;
constexpr double kIdle = 0.02;

}  // namespace

Scene::Scene(Family family, double times, unsigned seed)
    : family_(family),
      times_(times),
      random_(seed),
      windows_a_day_(static_cast<std::size_t>(
          std::chrono::hours(24) / detector::DetectorSettings{}.interval(traits_of(signal_of(family))))) {
  for (auto& worker : workers_) worker.load = std::uniform_real_distribution<double>(0.5, 4)(random_);
  slow_from_ = windows_a_day_ + random_() % (windows_a_day_ / 2);
  plan_episode();
}

double Scene::noise() {
  const double fresh = gauss_(random_);
  switch (family_) {
    case Family::log_normal:
      return std::exp(0.3 * fresh);
    case Family::waiting:
      return std::exp(0.4 * fresh);
    case Family::autocorrelated:
      drift_ = 0.9 * drift_ + std::sqrt(1 - 0.9 * 0.9) * fresh;
      return 1 + 0.1 * drift_;
    default:
      return std::max(1 + 0.1 * fresh, 0.1);
  }
}

void Scene::plan_episode() {
  const auto every = windows_a_day_ / 6;
  begin_ = windows_a_day_ + episode_ * every + random_() % (every - 2 * kEpisode);
}

void Scene::work(SceneWindow& window) {
  std::uniform_real_distribution<double> chance(0, 1);
  for (std::size_t i = 0; i < kSuspects; ++i) {
    auto& worker = workers_[i];
    const bool turn = chance(random_) < (worker.on ? kEnds : kBegins);
    const bool fresh = turn && !worker.on;
    worker.on = worker.on != turn;
    if (fresh && i != kCulprit) worker.load = std::uniform_real_distribution<double>(0.5, 4)(random_);
    if (i == kCulprit) worker.on = working_ && (steady_ || chance(random_) < 0.7);
    if (family_ == Family::twins && i == kTwin) worker.on = workers_[kCulprit].on;
    window.activity[i] = worker.on ? worker.load * std::exp(0.2 * gauss_(random_)) : kIdle;
  }
}

double Scene::level(SceneWindow& window) {
  if (family_ == Family::release && at_ >= windows_a_day_) {
    window.new_image = at_ == windows_a_day_;
    return kSlowdown;
  }
  const bool slow = family_ == Family::slow && at_ >= slow_from_ && at_ < slow_from_ + windows_a_day_ / 4;
  return slow ? kSlowdown : 1;
}

/// Attributes the base waiting time to the active pods by their activity, and the rest to the culprit.
void Scene::wait(SceneWindow& window, double times) {
  const double usual = kUsualWait * noise();
  double all = 0;
  for (const double active : window.activity) all += active;
  for (std::size_t i = 0; i < kSuspects; ++i) window.blame[i] = 0.7 * usual * window.activity[i] / all;
  window.blame[kCulprit] += usual * (times - 1) * 0.9;
  window.value = usual * times;
}

SceneWindow Scene::next() {
  SceneWindow window;
  if (at_ >= begin_ + kEpisode) {
    ++episode_;
    plan_episode();
  }
  const bool begins = at_ == begin_;
  working_ = at_ >= begin_ && at_ < begin_ + kEpisode;
  if (begins) {
    steady_ = random_() % 2 == 0;
    workers_[kCulprit].load = std::uniform_real_distribution<double>(1, 4)(random_);
  }
  work(window);
  const auto& culprit = workers_[kCulprit];
  const double times = culprit.on ? 1 + (times_ - 1) * window.activity[kCulprit] / culprit.load : 1;
  if (family_ == Family::waiting)
    wait(window, times);
  else
    window.value = kUsualCpi * level(window) * times * noise();
  ++at_;
  return window;
}

}  // namespace evenkeel::test
