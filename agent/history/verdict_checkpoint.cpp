#include "agent/history/verdict_checkpoint.h"

#include <algorithm>

namespace evenkeel::history {
namespace {

/// The evidence of a kind, and the first word of its lines. 1 was another test.
struct Kind {
  std::string_view word;
  std::array<proof::Evidence, proof::kLevers> proof::ProofState::*evidence;
  std::optional<proof::Feeling> feeling;  ///< that all its trials compare; absent: not kept
};
constexpr std::array<Kind, 2> kKinds = {{{"2", &proof::ProofState::evidence, std::nullopt},
                                         {"3", &proof::ProofState::reported, proof::Feeling::reported}}};
constexpr std::string_view kBudget = "4";          ///< the first word of its line
constexpr std::int64_t kMost = 1'000'000'000'000;  ///< above any number of trials or runs, any budget
constexpr double kFarthest = 1e15;

/// The words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : left_(line) {}
  std::string_view next() {
    const auto end = std::min(left_.find(' '), left_.size());
    const auto word = left_.substr(0, end);
    left_.remove_prefix(std::min(end + 1, left_.size()));
    return word;
  }
  template <class Number>
  bool read(Number& number, Number least, Number most) {
    auto word = next();
    const auto value = take_number<Number>(word);
    if (!value || !word.empty() || !(*value >= least && *value <= most)) return false;
    number = *value;
    return true;
  }
  [[nodiscard]] bool done() const { return left_.empty(); }

 private:
  std::string_view left_;
};

template <class Number>
void put(std::string& line, Number number) {
  line += ' ';
  put_number(line, number);
}

std::string line_of(const Kind& kind, std::size_t lever, const proof::Evidence& one,
                    const ProofConditions& under) {
  std::string line(kind.word);
  line.append(" ").append(under.kernel);
  put(line, under.configuration);
  line.append(" ").append(proof::levers()[lever].name);
  put(line, static_cast<int>(one.verdict));
  for (const std::int64_t number : {one.run, one.trials, one.trials_of_run}) put(line, number);
  put(line, one.log_sum);
  put(line, one.log_squares);
  put(line, one.logs);
  for (const auto& test : {one.harms, one.helps})
    for (const double wealth : test.wealths()) put(line, wealth);
  return line;
}

bool read_test(Words& words, detector::RankTest& test) {
  std::array<double, 2> wealths{};
  for (double& wealth : wealths)
    if (!words.read(wealth, 0.0, kFarthest)) return false;
  test = detector::RankTest(wealths);
  return true;
}

bool read_evidence(Words& words, proof::Evidence& one) {
  int verdict = 0;
  if (!words.read(verdict, 0, static_cast<int>(proof::Verdict::harms))) return false;
  one.verdict = static_cast<proof::Verdict>(verdict);
  return words.read(one.run, std::int64_t{1}, kMost) && words.read(one.trials, std::int64_t{0}, kMost) &&
         words.read(one.trials_of_run, std::int64_t{0}, kMost) &&
         words.read(one.log_sum, -kFarthest, kFarthest) && words.read(one.log_squares, 0.0, kFarthest) &&
         words.read(one.logs, std::int64_t{0}, kMost) && read_test(words, one.harms) &&
         read_test(words, one.helps) && words.done();
}

bool read_budget(Words& words, proof::ProofState& state) {
  std::int64_t left = 0;
  if (!words.read(left, std::int64_t{0}, kMost) || !words.done()) return false;
  state.budget = Duration(left);
  return true;
}

}  // namespace

std::string kernel_name(const Host& host) {
  std::string name;
  for (const char* part : {"osrelease", "version"})
    if (const auto text = host.slurp(std::string("proc/sys/kernel/") + part))
      name.append(name.empty() ? "" : " ").append(trimmed(*text));
  std::ranges::replace(name, ' ', '_');
  return name.empty() ? "unknown" : name;
}

std::string verdicts_text(const proof::ProofState& state, const ProofConditions& under) {
  std::string text;
  for (const Kind& kind : kKinds)
    for (std::size_t i = 0; i < proof::kLevers; ++i)
      if (const auto& one = (state.*kind.evidence)[i]; one.trials > 0)
        text += sealed_line(line_of(kind, i, one, under));
  if (!state.budget) return text;
  // Else each restart would have one of its own.
  std::string line(kBudget);
  put(line, std::max<std::int64_t>(state.budget->count(), 0));
  return text + sealed_line(line);
}

CheckpointStats read_verdicts(std::string_view text, const ProofConditions& under, proof::ProofState& state) {
  CheckpointStats stats;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto body = body_of_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    Words words(body.value_or(std::string_view()));
    if (!body) {
      ++stats.corrupt;
      continue;
    }
    const auto word = words.next();
    if (word == kBudget) {
      if (!read_budget(words, state)) ++stats.corrupt;
      continue;
    }
    const auto kind = std::ranges::find(kKinds, word, &Kind::word);
    if (kind == kKinds.end()) {
      ++stats.incompatible;
      continue;
    }
    const bool same_kernel = words.next() == under.kernel;
    std::uint64_t configuration = 0;
    const bool readable = words.read(configuration, std::uint64_t{0}, ~std::uint64_t{0});
    const auto lever = std::ranges::find(proof::levers(), words.next(), &proof::Lever::name);
    proof::Evidence one;
    if (!readable || lever == proof::levers().end() || !read_evidence(words, one)) {
      ++stats.corrupt;
    } else if (!same_kernel || configuration != under.configuration) {
      ++stats.incompatible;
    } else {
      one.feeling = kind->feeling;
      (state.*kind->evidence)[static_cast<std::size_t>(lever - proof::levers().begin())] = one;
      ++stats.models;
    }
  }
  return stats;
}

void Verdicts::update(const NodeSlo& slo, MonoTime now, proof::ProofState& state) {
  const bool on = slo.evenkeel.proof.enable;
  if (on && dry_run_) state.evidence = state.reported = {};
  if (on == on_) return;
  on_ = on;
  if (!on) return save_now(slo, now, SaveReason::switched_off, state);
  state = {};
  state.configuration = slo.fingerprint;
  if (const auto text = checkpoint_.load(now))
    checkpoint_.log_loaded(read_verdicts(*text, {kernel_, slo.fingerprint}, state));
}

void Verdicts::save(const NodeSlo& slo, MonoTime now, SaveReason reason, const proof::ProofState& state) {
  if (on_) save_now(slo, now, reason, state);
}

void Verdicts::save_now(const NodeSlo& slo, MonoTime now, SaveReason reason, const proof::ProofState& state) {
  if (!state.configuration || !checkpoint_.due(now, slo.evenkeel.prediction.checkpoint_interval, reason))
    return;
  checkpoint_.save(verdicts_text(state, {kernel_, *state.configuration}), now, reason);
}

}  // namespace evenkeel::history
