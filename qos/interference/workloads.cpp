#include <algorithm>
#include <utility>

#include "qos/interference/roster.h"
#include "qos/interference/steps.h"

namespace evenkeel::interference {
namespace {

/// If a model has faded below this, thirty fresh samples make a better one.
constexpr double kMinWeight = 5;

bool enough(const detector::NormalModel& model, const ConfiguredNormal& given,
            const detector::DetectorSettings& settings) {
  const auto own = model.normal();
  if (!own) return false;
  return own->weight >= std::min<double>(static_cast<double>(given.samples), settings.min_samples - 0.5);
}

}  // namespace

std::string workload_key(const Pod& pod, const Container& container) {
  return pod.namespace_ + "/" + (pod.owner.empty() ? pod.name : pod.owner) + "/" + container.name;
}

std::string workload_key(const HostApplication& app) { return "host/" + app.name; }

const std::string& workload_key_of(const InterferenceState& state, CgroupId victim) {
  static const std::string kNone;
  const Victim* found = entry_of(state.victims, victim);
  return found == nullptr ? kNone : state.workloads[found->workload].key;
}

bool has_ended(const InterferenceState& state, const Workload& workload) {
  const auto place = static_cast<std::size_t>(&workload - state.workloads.data());
  return workload.ends_with_its_pod &&
         std::ranges::find(state.victims, place, &Victim::workload) == state.victims.end();
}

std::map<std::string_view, detector::StallSeconds> stalled_lately(const InterferenceState& state,
                                                                  MonoTime now) {
  std::map<std::string_view, detector::StallSeconds> out;
  for (const Victim& victim : state.victims) out[state.workloads[victim.workload].key];
  for (const Workload& workload : state.workloads) {
    if (has_ended(state, workload)) continue;
    const detector::StallSeconds seconds = workload.stalled_lately.sum(now);
    if (seconds == detector::StallSeconds{}) continue;
    detector::StallSeconds& sum = out[workload.key];
    for (std::size_t stall = 0; stall < detector::kStallSignals; ++stall) sum[stall] += seconds[stall];
  }
  return out;
}

std::size_t workload_of(std::string key, const std::string& image, MonoTime now, InterferenceState& state) {
  const auto found = std::ranges::find_if(
      state.workloads, [&](const Workload& one) { return one.key == key && one.image == image; });
  if (found != state.workloads.end()) {
    found->used = std::max(found->used, now);
    return static_cast<std::size_t>(found - state.workloads.begin());
  }
  if (state.workloads.size() < kMaxWorkloads) {
    state.workloads.push_back({.key = std::move(key), .image = image, .used = now});
    return state.workloads.size() - 1;
  }
  // No victim uses the model with the oldest use, unless there are a thousand services here.
  const auto oldest = std::ranges::min_element(state.workloads, {}, &Workload::used);
  *oldest = {.key = std::move(key), .image = image, .used = now};
  return static_cast<std::size_t>(oldest - state.workloads.begin());
}

void remember_workloads(MonoTime now, const detector::DetectorSettings& settings, InterferenceState& state) {
  for (const Victim& victim : state.victims) {
    Workload& workload = state.workloads[victim.workload];
    workload.used = now;
    for (std::size_t i = 0; i < kSignals; ++i) {
      const auto normal = victim.watch[i].model().normal();
      auto& known = workload.normal[i];
      const auto weight = [&](const detector::Normal& one) {
        return detector::faded(one, now, settings.half_life).weight;
      };
      if (normal && (!known || weight(*normal) >= weight(*known))) known = normal;
    }
  }
}

bool recall(const std::string& key, const std::string& image, Signal signal, const detector::Normal& normal,
            MonoTime now, InterferenceState& state) {
  constexpr detector::DetectorSettings kSettings{};
  const detector::Normal left = detector::faded(normal, now, kSettings.half_life);
  if (left.weight < kMinWeight || !detector::NormalModel(signal).load(left)) return false;
  const std::size_t place = workload_of(key, image, normal.as_of, state);
  state.workloads[place].normal[static_cast<std::size_t>(signal)] = normal;
  return true;
}

void teach(Victim& victim, const Workload& workload, bool is_new, MonoTime now,
           const detector::DetectorSettings& settings) {
  for (std::size_t i = 0; i < kSignals; ++i) {
    if (!workload.normal[i]) continue;
    const detector::Normal left = detector::faded(*workload.normal[i], now, settings.half_life);
    detector::NormalModel& model = victim.watch[i].model();
    if (left.weight >= kMinWeight && model.load(left) && is_new) model.doubt();
  }
}

void apply_configured_models(const NodeSnapshot& node, const InterferenceSettings& settings,
                             InterferenceState& state) {
  const detector::DetectorSettings detector = detector_settings(settings);
  for (const ConfiguredNormal& given : settings.models) {
    if (counts_cycles(given.signal) && !given.cpu_model.empty() && given.cpu_model != node.topology.model)
      continue;
    for (Victim& victim : state.victims) {
      detector::NormalModel& model = victim.of(given.signal).model();
      if (state.workloads[victim.workload].key != given.workload || enough(model, given, detector)) continue;
      model.load_without_autocorrelation(detector::normal_from_mean(
          given.usual, given.deviation, static_cast<double>(given.samples), node.at, model.signal()));
    }
  }
}

}  // namespace evenkeel::interference
