#include "agent/config/did_you_mean.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace evenkeel::config {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Letters to insert, delete or replace; case does not count.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kLongestWord = 100;
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = 1 + std::max<std::size_t>(2, word.size() / 4);
  for (const auto candidate : known) {
    const auto d = distance(word, candidate);
    if (d < best_distance && d < candidate.size()) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

}  // namespace evenkeel::config
