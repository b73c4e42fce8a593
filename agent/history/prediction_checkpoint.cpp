#include "agent/history/prediction_checkpoint.h"

#include <algorithm>
#include <span>

#include "cgroup/base/text.h"

namespace evenkeel::history {
namespace {

constexpr std::string_view kVersion = "1";
constexpr std::size_t kLongestKey = 128;
constexpr float kHeaviest = 1e9F;  // above a one-year half-life with a sample a second

void put_weights(std::string& line, std::span<const float> weights) {
  const auto before = line.size();
  for (std::size_t bucket = 0; bucket < weights.size(); ++bucket) {
    if (weights[bucket] <= 0) continue;
    if (line.size() > before) line += ',';
    put_number(line, bucket);
    line += ':';
    put_number(line, weights[bucket]);
  }
  if (line.size() == before) line += '-';
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

/// False: not a histogram with that many buckets.
bool read_weights(std::string_view text, std::span<float> weights) {
  if (text == "-") return true;
  std::size_t next = 0;
  do {
    const auto bucket = take_number<std::size_t>(text);
    if (!bucket || *bucket < next || *bucket >= weights.size() || !take(text, ':')) return false;
    const auto weight = take_number<float>(text);
    if (!weight || !(*weight > 0) || *weight > kHeaviest) return false;
    weights[*bucket] = *weight;
    next = *bucket + 1;
  } while (take(text, ','));
  return text.empty();
}

bool is_key(std::string_view key) {
  if (key == lending::kNodeModel || key == lending::kSystemModel) return true;
  if (std::find(lending::kClassModels.begin(), lending::kClassModels.end(), key) !=
      lending::kClassModels.end())
    return true;
  const auto letter = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  return !key.empty() && key.size() <= kLongestKey && std::all_of(key.begin(), key.end(), letter);
}

template <const lending::HistogramScale& kScale>
bool read_histogram(Scanner& line, Moment now, lending::DecayingHistogram<kScale>& histogram) {
  typename lending::DecayingHistogram<kScale>::Weights weights{};
  const auto as_of = read_time(line.word(), now);
  if (!as_of || !read_weights(line.word(), weights)) return false;
  histogram = {weights, *as_of};
  return true;
}

}  // namespace

std::string model_line(std::string_view key, const lending::PeakModel& model, Moment now) {
  std::string body(kVersion);
  body.append(" ").append(key).append(" ");
  put_number(body, wall_time(model.since, now));
  body += ' ';
  put_number(body, wall_time(model.cpu.as_of(), now));
  body += ' ';
  put_weights(body, model.cpu.weights());
  body += ' ';
  put_number(body, wall_time(model.memory.as_of(), now));
  body += ' ';
  put_weights(body, model.memory.weights());
  return sealed_line(body);
}

std::optional<KeyedModel> parse_model_line(std::string_view line, Moment now) {
  const auto body = body_of_line(line);
  if (!body) return std::nullopt;
  Scanner fields(*body);
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

std::string checkpoint_text(const lending::PeakPredictor& predictor, Moment now) {
  std::string text;
  for (const auto& [key, model] : predictor.models()) text += model_line(key, model, now);
  return text;
}

CheckpointStats read_checkpoint(std::string_view text, Moment now, const PredictionSettings& settings,
                                lending::PeakPredictor& predictor) {
  CheckpointStats out;
  Scanner lines(text);
  while (!lines.done() && out.models < kMostModels) {
    const auto read = parse_model_line(lines.line(), now);
    if (!read) {
      ++out.corrupt;
    } else if (predictor.restore(read->key, read->model, settings, now.mono)) {
      ++out.models;
    } else {
      ++out.expired;
    }
  }
  return out;
}

}  // namespace evenkeel::history
