#include "agent/history/prediction_checkpoint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "cgroup/checksum.h"
#include "cgroup/text.h"

namespace evenkeel {
namespace {

using std::chrono::seconds;

constexpr std::string_view kVersion = "1";
constexpr std::size_t kLongestKey = 128;
constexpr float kHeaviest = 1e9F;  // a year's half life with a sample each second has not that much
constexpr std::int64_t kYear9999 = 253'402'300'799;
constexpr seconds kOldest = std::chrono::hours(24) * 3650;  // and what is older is as old

std::int64_t on_the_wall(MonoTime at, Moment now) {
  const auto age = std::max(now.mono - at, Duration::zero());
  return std::max(now.unix_seconds - std::chrono::duration_cast<seconds>(age).count(), std::int64_t{0});
}

MonoTime on_our_clock(std::int64_t unix_seconds, Moment now) {
  return now.mono - std::clamp(seconds(now.unix_seconds - unix_seconds), seconds(0), kOldest);
}

template <class Number>
void put(std::string& line, Number number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  line.append(digits.data(), end);
}

void put_weights(std::string& line, std::span<const float> weights) {
  const auto before = line.size();
  for (std::size_t bucket = 0; bucket < weights.size(); ++bucket) {
    if (weights[bucket] <= 0) continue;
    if (line.size() > before) line += ',';
    put(line, bucket);
    line += ':';
    put(line, weights[bucket]);
  }
  if (line.size() == before) line += '-';
}

/// Takes a number off the front of the text.
template <class Number>
std::optional<Number> take(std::string_view& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

/// False: this is no histogram of so many buckets.
bool read_weights(std::string_view text, std::span<float> weights) {
  if (text == "-") return true;
  std::size_t next = 0;
  do {
    const auto bucket = take<std::size_t>(text);
    if (!bucket || *bucket < next || *bucket >= weights.size() || !take(text, ':')) return false;
    const auto weight = take<float>(text);
    if (!weight || !(*weight > 0) || *weight > kHeaviest) return false;
    weights[*bucket] = *weight;
    next = *bucket + 1;
  } while (take(text, ','));
  return text.empty();
}

bool is_key(std::string_view key) {
  if (key == kNodeModel || key == kSystemModel) return true;
  if (std::find(kClassModels.begin(), kClassModels.end(), key) != kClassModels.end()) return true;
  const auto letter = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  return !key.empty() && key.size() <= kLongestKey && std::all_of(key.begin(), key.end(), letter);
}

std::optional<MonoTime> read_time(std::string_view text, Moment now) {
  const auto time = take<std::int64_t>(text);
  if (!time || !text.empty() || *time < 0 || *time > kYear9999) return std::nullopt;
  return on_our_clock(*time, now);
}

template <const HistogramScale& kScale>
bool read_histogram(Scanner& line, Moment now, DecayingHistogram<kScale>& histogram) {
  typename DecayingHistogram<kScale>::Weights weights{};
  const auto as_of = read_time(line.word(), now);
  if (!as_of || !read_weights(line.word(), weights)) return false;
  histogram = {weights, *as_of};
  return true;
}

}  // namespace

std::string model_line(std::string_view key, const PeakModel& model, Moment now) {
  std::string body(kVersion);
  body.append(" ").append(key).append(" ");
  put(body, on_the_wall(model.since, now));
  body += ' ';
  put(body, on_the_wall(model.cpu.as_of(), now));
  body += ' ';
  put_weights(body, model.cpu.weights());
  body += ' ';
  put(body, on_the_wall(model.memory.as_of(), now));
  body += ' ';
  put_weights(body, model.memory.weights());
  return checksum_text(body) + ' ' + body + '\n';
}

std::optional<KeyedModel> parse_model_line(std::string_view line, Moment now) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.size() < 10 || line[8] != ' ' || checksum_text(line.substr(9)) != line.substr(0, 8))
    return std::nullopt;
  Scanner fields(line.substr(9));
  if (fields.word() != kVersion) return std::nullopt;
  KeyedModel out;
  out.key = fields.word();
  const auto since = read_time(fields.word(), now);
  if (!since || !is_key(out.key)) return std::nullopt;
  out.model.since = *since;
  const bool read =
      read_histogram(fields, now, out.model.cpu) && read_histogram(fields, now, out.model.memory);
  return read && fields.done() ? std::optional(out) : std::nullopt;
}

std::string checkpoint_text(const PeakPredictor& predictor, Moment now) {
  std::string text;
  for (const auto& [key, model] : predictor.models()) text += model_line(key, model, now);
  return text;
}

CheckpointRead read_checkpoint(std::string_view text, Moment now, const PredictionSettings& settings,
                               PeakPredictor& predictor) {
  CheckpointRead out;
  Scanner lines(text);
  while (!lines.done() && out.models < kMostModels) {
    const auto read = parse_model_line(lines.line(), now);
    if (!read) {
      ++out.corrupt;
    } else if (predictor.restore(read->key, read->model, settings, now.mono)) {
      ++out.models;
    } else {
      ++out.forgotten;
    }
  }
  return out;
}

}  // namespace evenkeel
