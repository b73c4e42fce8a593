#include "agent/evictions/pod_killer.h"

namespace evenkeel::evictions {
namespace {

using Step = PodKiller::Step;
using Is = Step::State;

/// Processes exit late when they are blocked in the kernel or have much memory to free.
constexpr Duration kPatience = std::chrono::seconds(20);

Step failed(const tree::PodProcesses::Signalled& found, std::string why) {
  return {Is::failed, found.left, std::move(why)};
}

}  // namespace

Step PodKiller::step(MonoTime now) {
  const bool first = !sigterm_at_.has_value();
  if (first) sigterm_at_ = now;
  const Duration since = now - *sigterm_at_;
  const auto found = first ? processes_.terminate() : since < grace_ ? processes_.look() : processes_.kill();
  if (!found && vanished(found.error())) return {Is::ended, 0, {}};
  if (!found)
    return {Is::failed, 0, std::string("its processes cannot be listed: ") + errno_name(found.error().code)};
  if (found->ours) return failed(*found, "this agent is one of its processes");
  if (found->left == 0) return {Is::ended, 0, {}};
  if (since < grace_ + kPatience) return {Is::in_progress, found->left, {}};
  const std::string many = std::to_string(found->left) + " processes do not end";
  return failed(*found,
                found->hidden == 0 ? many : many + ": they are in another pid namespace (hostPID: true)");
}

}  // namespace evenkeel::evictions
