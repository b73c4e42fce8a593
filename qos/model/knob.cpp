#include "qos/model/knob.h"

namespace evenkeel {
const PlainNumbers& initial_numbers() {
  static const PlainNumbers kNumbers = [] {
    PlainNumbers out{};
    for (const auto& lever : knob_table())
      if (is_plain(lever.knob)) out[plain_index(lever.knob)] = lever.values.initial;
    return out;
  }();
  return kNumbers;
}

std::string text(const KnobValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* cpus = std::get_if<CpuSet>(&value)) return cpus->text();
  return "unlimited";
}

bool tighter(const KnobValue& a, const KnobValue& b) {
  const auto* left = std::get_if<std::int64_t>(&a);
  const auto* right = std::get_if<std::int64_t>(&b);
  if (left && right) return *left < *right;
  return left && std::holds_alternative<Unlimited>(b);
}

}  // namespace evenkeel
