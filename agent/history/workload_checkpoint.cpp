#include "agent/history/workload_checkpoint.h"

#include <algorithm>

#include "cgroup/base/text.h"
#include "qos/interference/roster.h"

namespace evenkeel::history {
namespace {

constexpr std::string_view kVersion = "1", kStalled = "stalled", kNone = "-", kDigits = "0123456789ABCDEF";
constexpr double kFarthest = 50;      // a logarithm: no ratio of signals reaches e^50
constexpr double kHeaviest = 1e12;    // above any possible number of samples
constexpr double kMostStalled = 1e9;  // seconds in an hour: above any machine's tasks

bool plain(char letter) { return letter > ' ' && letter < '\x7f' && letter != '%'; }

void put_word(std::string& line, std::string_view word) {
  line += ' ';
  if (word.empty()) return void(line += kNone);
  for (const char letter : word) {
    if (plain(letter) && word != kNone) {
      line += letter;
    } else {
      const auto code = static_cast<unsigned char>(letter);
      line.append({'%', kDigits[code / 16], kDigits[code % 16]});
    }
  }
}

/// Absent for text that put_word did not write.
std::optional<std::string> read_word(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::string word;
  if (text == kNone) return word;
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text.front() != '%') {
      word += text.front();
      continue;
    }
    const auto high = text.size() < 3 ? kDigits.npos : kDigits.find(text[1]);
    const auto low = text.size() < 3 ? kDigits.npos : kDigits.find(text[2]);
    if (high == kDigits.npos || low == kDigits.npos) return std::nullopt;
    word += static_cast<char>(high * 16 + low);
    text.remove_prefix(2);
  }
  return word;
}

void put_decimal(std::string& line, double value) {
  line += ' ';
  put_number(line, value);
}

/// Absent: not a number, or outside these bounds.
std::optional<double> read_decimal(std::string_view text, double least, double most) {
  const auto value = take_number<double>(text);
  return value && text.empty() && *value >= least && *value <= most ? value : std::nullopt;
}

std::optional<Signal> signal_named(std::string_view name) {
  const auto found = std::ranges::find(kSignalTraits, name, &SignalTraits::name);
  if (found == kSignalTraits.end()) return std::nullopt;
  return static_cast<Signal>(found - kSignalTraits.begin());
}

std::string means_of(Signal signal, const MeasurementMethod& by) {
  if (counts_cycles(signal)) return by.cpu_model;
  if (by.waits == RunQueueSource::bpf) return "bpf";
  return by.waits == RunQueueSource::schedstat && signal == Signal::run_queue_wait ? "schedstat" : "psi";
}

/// "bpf@10000ms": baselines of 10 s samples do not apply to 1 s samples.
std::string by_of(Signal signal, const MeasurementMethod& by) {
  const Duration each = counts_cycles(signal) ? by.counter_period : by.stall_window;
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(each).count();
  return means_of(signal, by) + '@' + std::to_string(milliseconds) + "ms";
}

std::optional<detector::Normal> read_normal(Scanner& fields, Moment now) {
  const auto as_of = read_time(fields.word(), now);
  const auto level = read_decimal(fields.word(), -kFarthest, kFarthest);
  const auto spread = read_decimal(fields.word(), 0, kFarthest);
  const auto autocorrelation = read_decimal(fields.word(), 0, 1);
  const auto weight = read_decimal(fields.word(), 0, kHeaviest);
  if (!as_of || !level || !spread || !autocorrelation || !weight) return std::nullopt;
  return detector::Normal{*level, *spread, *autocorrelation, *weight, *as_of};
}

/// Oldest hour first.
void put_stalled(std::string& text, const interference::Workload& workload, Moment now) {
  const std::int64_t newest = detector::StallDay::hour_at(now.mono);
  for (auto hour = newest - detector::StallDay::kHours + 1; hour <= newest; ++hour) {
    HourlyStall one{.workload = workload.key, .image = workload.image};
    one.at = std::min(MonoTime(std::chrono::hours(hour + 1)) - std::chrono::seconds(1), now.mono);
    for (std::size_t stall = 0; stall < detector::kStallSignals; ++stall)
      one.seconds[stall] = workload.stalled_lately.at(stall, hour);
    if (one.seconds != detector::StallSeconds{}) text += stalled_line(one, now);
  }
}

void recall_stalled(const HourlyStall& one, interference::InterferenceState& state) {
  const std::size_t place = interference::workload_of(one.workload, one.image, one.at, state);
  for (std::size_t stall = 0; stall < detector::kStallSignals; ++stall)
    if (one.seconds[stall] > 0) state.workloads[place].stalled_lately.add(stall, one.seconds[stall], one.at);
}

}  // namespace

std::string normal_line(const WorkloadBaseline& one, Moment now) {
  std::string body(kVersion);
  for (const auto* word : {&one.workload, &one.image, &one.by}) put_word(body, *word);
  put_word(body, traits_of(one.signal).name);
  body += ' ';
  put_number(body, wall_time(one.normal.as_of, now));
  for (const double value :
       {one.normal.level, one.normal.spread, one.normal.autocorrelation, one.normal.weight})
    put_decimal(body, value);
  return sealed_line(body);
}

std::optional<WorkloadBaseline> parse_normal_line(std::string_view line, Moment now) {
  const auto body = body_of_line(line);
  if (!body) return std::nullopt;
  Scanner fields(*body);
  if (fields.word() != kVersion) return std::nullopt;
  auto workload = read_word(fields.word()), image = read_word(fields.word()), by = read_word(fields.word());
  const auto signal = signal_named(fields.word());
  if (!workload || !image || !by || !signal || workload->empty()) return std::nullopt;
  const auto normal = read_normal(fields, now);
  if (!normal || !fields.done()) return std::nullopt;
  return WorkloadBaseline{std::move(*workload), std::move(*image), std::move(*by), *signal, *normal};
}

std::string stalled_line(const HourlyStall& one, Moment now) {
  std::string body(kStalled);
  for (const auto* word : {&one.workload, &one.image}) put_word(body, *word);
  body += ' ';
  put_number(body, wall_time(one.at, now));
  for (const double seconds : one.seconds) put_decimal(body, seconds);
  return sealed_line(body);
}

std::optional<HourlyStall> parse_stalled_line(std::string_view line, Moment now) {
  const auto body = body_of_line(line);
  if (!body) return std::nullopt;
  Scanner fields(*body);
  if (fields.word() != kStalled) return std::nullopt;
  auto workload = read_word(fields.word()), image = read_word(fields.word());
  const auto at = read_time(fields.word(), now);
  if (!workload || !image || workload->empty() || !at) return std::nullopt;
  HourlyStall out{.workload = std::move(*workload), .image = std::move(*image), .at = *at};
  for (double& seconds : out.seconds) {
    const auto read = read_decimal(fields.word(), 0, kMostStalled);
    if (!read) return std::nullopt;
    seconds = *read;
  }
  return fields.done() ? std::optional(std::move(out)) : std::nullopt;
}

std::string workloads_text(const interference::InterferenceState& state, const MeasurementMethod& by,
                           Moment now) {
  std::string text;
  for (const interference::Workload& workload : state.workloads) {
    if (!interference::has_ended(state, workload)) put_stalled(text, workload, now);
    for (std::size_t i = 0; i < kSignals; ++i) {
      const auto signal = static_cast<Signal>(i);
      if (!workload.normal[i]) continue;
      text +=
          normal_line({workload.key, workload.image, by_of(signal, by), signal, *workload.normal[i]}, now);
    }
  }
  return text;
}

CheckpointStats read_workloads(std::string_view text, const MeasurementMethod& by, Moment now,
                               interference::InterferenceState& state) {
  CheckpointStats out;
  Scanner lines(text);
  while (!lines.done() && out.models < interference::kMaxWorkloads * kSignals) {
    const auto line = lines.line();
    const auto read = parse_normal_line(line, now);
    if (const auto stalled = read ? std::nullopt : parse_stalled_line(line, now)) {
      recall_stalled(*stalled, state);
    } else if (!read) {
      ++out.corrupt;
    } else if (read->by != by_of(read->signal, by)) {
      ++out.incompatible;
    } else if (interference::recall(read->workload, read->image, read->signal, read->normal, now.mono,
                                    state)) {
      ++out.models;
    } else {
      ++out.expired;
    }
  }
  return out;
}

}  // namespace evenkeel::history
