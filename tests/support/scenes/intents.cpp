#include "tests/support/scenes/intents.h"

namespace evenkeel::test {

const decide::Intent* intent(const decide::Intents& intents, CgroupId target, Knob knob) {
  const decide::Intent* found = nullptr;
  for (const decide::Intent& intent : intents.all())
    if (intent.target == target && intent.knob == knob && !intent.hold) found = &intent;
  return found;
}

std::int64_t intended(const decide::Intents& intents, CgroupId target, Knob knob) {
  const decide::Intent* found = intent(intents, target, knob);
  const auto* number = found ? std::get_if<std::int64_t>(&found->value) : nullptr;
  return number ? *number : -1;
}

bool held(const decide::Intents& intents, CgroupId target, Knob knob) {
  for (const decide::Intent& intent : intents.all())
    if (intent.target == target && intent.knob == knob) return intent.hold;
  return false;
}

void obey(NodeSnapshot& node, const decide::Intents& intents) {
  for (const decide::Intent& intent : intents.all()) {
    if (intent.hold) continue;
    for (CgroupSample& sample : node.cgroups) {
      if (sample.id != intent.target) continue;
      const auto* number = std::get_if<std::int64_t>(&intent.value);
      if (intent.knob == Knob::cpu_quota && number) sample.applied.cpu_limit->quota = QuotaTime(*number);
      if (intent.knob == Knob::cpu_quota && !number) sample.applied.cpu_limit->quota.reset();
      if (intent.knob == Knob::cpu_burst && number) sample.applied.cpu_burst = QuotaTime(*number);
      if (intent.knob == Knob::cpu_idle && number) sample.applied.cpu_idle = *number;
      if (is_plain(intent.knob)) sample.applied.plain.set(intent.knob, plain_number(intent.value));
      if (const auto* cpus = std::get_if<CpuSet>(&intent.value))
        sample.applied.cpus = sample.applied.cpus_effective = *cpus;
    }
  }
}

}  // namespace evenkeel::test
