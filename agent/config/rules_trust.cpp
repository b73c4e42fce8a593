#include <algorithm>
#include <array>
#include <span>

#include "agent/config/schema_read.h"

namespace evenkeel::config {
namespace {

constexpr std::array<const char*, 3> kKubeQos = {"Guaranteed", "Burstable", "BestEffort"};

std::string listed(std::span<const char* const> words) {
  std::string out;
  for (const char* word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

void check_words(const std::vector<std::string>& given, std::span<const char* const> legal,
                 const std::string& key, SchemaRead& read) {
  for (const auto& word : given)
    if (std::ranges::find(legal, word) == legal.end())
      read.problem(key, "found " + word + "; legal: " + listed(legal));
}

}  // namespace

void check_trust(const NodeSlo& slo, SchemaRead& read) {
  for (std::size_t index = 0; index < slo.evenkeel.trust.size(); ++index) {
    const TrustRule& rule = slo.evenkeel.trust[index];
    const std::string key = "extensions.evenkeel.trust[" + std::to_string(index) + ']';
    if (rule.claims.empty()) read.problem(key, "claims: found none; legal: " + listed(kClaims));
    check_words(rule.claims, kClaims, key + ".claims", read);
    check_words(rule.kube_qos, kKubeQos, key + ".kubeQOS", read);
  }
}

}  // namespace evenkeel::config
