#include "agent/tick/observer.h"

#include <utility>

namespace evenkeel::tick {
namespace {

/// Files in a plain directory change without kernel events, so they are read in each tick.
collectors::SamplerOptions sampler_options(const Host& host, const tree::CgroupTree& tree, bool stepped) {
  const bool blind = stepped || !host.on_kernel_fs(tree.layout().root(Controller::cpu));
  return {.settings_every_tick = blind, .slow_files_every_tick = blind};
}

}  // namespace

Observer::Observer(const Host& host, tree::Layout layout, const inputs::Inputs& inputs, bool stepped)
    : tree_(host, std::move(layout)),
      sampler_(host, sampler_options(host, tree_, stepped)),
      scan_(host, inputs, tree_, sampler_, !stepped),
      roster_(inputs, tree_, node_, names_) {}

void Observer::read_back(const executor::Report& report) {
  for (const auto& write : report.writes) sampler_.settings_changed(write.cgroup.itself());
}

}  // namespace evenkeel::tick
