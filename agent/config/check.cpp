#include "agent/config/check.h"

#include <algorithm>

namespace evenkeel::config {
namespace {

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string render_problems(const NodeSloConfig& config) {
  std::string out;
  for (const auto& problem : config.problems) out += problem.text() + '\n';
  return out + std::to_string(config.problems.size()) +
         (config.problems.size() == 1 ? " problem\n" : " problems\n");
}

}  // namespace

std::string render_check(const NodeSloConfig& config) {
  if (!config.problems.empty()) return render_problems(config);
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  for (const auto& setting : config.effective) {
    key_width = std::max(key_width, setting.key.size());
    value_width = std::max(value_width, setting.value.size());
  }
  std::string out;
  for (const auto& setting : config.effective) {
    out += padded(setting.key, key_width) + "  " + padded(setting.value, value_width) + "  " +
           setting.origin + '\n';
  }
  for (const auto& notice : config.notices) out += "notice: " + notice + '\n';
  return out + "no problems\n";
}

}  // namespace evenkeel::config
