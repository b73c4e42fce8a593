#include "tests/support/hostile_pods.h"

#include <array>
#include <cstddef>

#include "agent/runtime/json.h"

namespace evenkeel::test {
namespace {

constexpr const char* kPolicy = "koordinator.sh/eviction-policy";
constexpr const char* kScore = "koordinator.sh/oom-score-adj";
constexpr const char* kScoreSpec = "koordinator.sh/oom-score-adj-spec";
constexpr std::size_t kLongKey = 15000;

/// An annotation that is parsed, and a text of its own form with absurd figures.
struct Parsed {
  const char* key;
  const char* figures;
  bool claims = false;  ///< such figures are legal, and a claim that does not count
};
/// A pod has one of the two annotations for OOM scores: of a bad spec alone the pod is told.
constexpr std::size_t kScores = 3;
constexpr Parsed kScoreOfPod = {kScore, "-99999999999999999999"};
constexpr std::array<Parsed, 10> kParsed = {{
    {"koordinator.sh/cpuBurst", R"({"cfsQuotaBurstPercent":2147483647,"cfsQuotaBurstPeriodSeconds":-1})",
     true},
    {"koordinator.sh/cpuQOS", R"({"enable":true,"groupIdentity":-9223372036854775808})"},
    {"koordinator.sh/memoryQOS", R"({"wmarkRatio":1e400,"wmarkMinAdj":-99999999999999999999})"},
    {kScoreSpec, R"({"c0":9223372036854775807})"},
    {"node.koordinator.sh/resctrl", R"({"llc":{"schemata":{"range":[-1,2147483648]}}})"},
    {"koordinator.sh/blkioQOS",
     R"({"blocks":[{"name":"/dev/sda","type":"device","ioCfg":{"readIOPS":-1}}]})"},
    {"koordinator.sh/networkQOS", R"({"ingressLimit":-1})"},
    {"scheduling.koordinator.sh/resource-status", R"({"cpuset":"0-1023"})", true},
    {kPolicy, R"({"BEMemoryEvict":-1})"},
    {"koordinator.sh/eviction-priority", "-2147483649"},
}};
static_assert(2 * kParsed.size() == kHostileKinds);

std::string list_of(int entries, const char* entry) {
  std::string out = "[";
  for (int i = 0; i < entries; ++i) out += (i > 0 ? "," : "") + std::string(entry);
  return out + "]";
}

/// A long list where the parser expects one, else where it does not.
std::string long_list(const std::string& key) {
  if (key == "koordinator.sh/blkioQOS") return R"({"blocks":)" + list_of(5000, "{}") + "}";
  if (key == "node.koordinator.sh/resctrl")
    return R"({"llc":{"schemataPerCache":)" + list_of(5000, "{}") + "}}";
  return list_of(8000, "1");
}

/// Keys that nobody knows are refused by the readers of these two only.
std::string long_key(const std::string& key) {
  if (key == "koordinator.sh/blkioQOS" || key == "koordinator.sh/networkQOS")
    return "{\"" + std::string(kLongKey, 'k') + "\":1}";
  const std::string half = '"' + std::string(kLongKey / 2, 'k') + "\":1";
  return '{' + half + ',' + half + '}';
}

using Make = std::string (*)(const Parsed&);
constexpr std::size_t kList = 0, kTooLong = 1, kFigures = 2;
/// The readers' bounds are in the second place (16 KiB) and in the fourth (64 levels).
constexpr std::array<Make, 10> kTexts = {{
    [](const Parsed& parsed) { return long_list(parsed.key); },
    [](const Parsed&) { return list_of(10000, "1"); },
    [](const Parsed& parsed) { return std::string(parsed.figures); },
    [](const Parsed&) { return std::string(8000, '[') + std::string(8000, ']'); },
    [](const Parsed& parsed) { return long_key(parsed.key); },
    [](const Parsed&) { return std::string(16000, '9'); },
    [](const Parsed&) { return std::string(R"({"policy":)"); },
    [](const Parsed&) { return std::string("{\"policy\":\"\n\x1b[2Jpods: known\""); },
    [](const Parsed&) { return std::string(R"({"policy":"\ud800"})"); },
    [](const Parsed&) { return std::string("\xff\xfe{"); },  // U+FFFD twice, as the API server stores it
}};

/// A policy that cannot be read protects from eviction, which is a claim of best effort.
HostileText told(const Parsed& parsed, std::size_t text, bool batch) {
  HostileText out{parsed.key, kTexts[text](parsed)};
  const bool is_policy = out.key == kPolicy;
  if (parsed.claims && text == kFigures) {
    out.notices = 0;
    out.claims = 1;
  }
  if (is_policy && text == kList) out.notices = 0;  // a legal list, in which no trigger is named
  if (is_policy && batch && text != kTooLong) out.claims = 1;
  return out;
}

std::string object(const std::vector<HostileText>& texts) {
  std::string out;
  runtime::Json json(out);
  json.begin_object();
  for (const auto& text : texts) json.member(text.key, text.value);
  json.end_object();
  return out;
}

std::vector<std::string> all_annotations() {
  std::vector<std::string> out;
  for (const bool batch : {false, true})
    for (int number = 0; number < kHostileKinds; ++number)
      out.push_back(object(hostile_texts(number, batch)));
  return out;
}

}  // namespace

std::vector<HostileText> hostile_texts(int number, bool batch) {
  std::vector<HostileText> out;
  const auto first = static_cast<std::size_t>(number);
  for (std::size_t text = 0; text < kTexts.size(); ++text) {
    const std::size_t place = (first + text) % kParsed.size();
    const bool is_of_pod = place == kScores && (first / kParsed.size()) % 2 == 1;
    out.push_back(told(is_of_pod ? kScoreOfPod : kParsed[place], text, batch));
  }
  if (batch) out.push_back({"evenkeel.io/hands-off", "true", 0, 1});
  out.push_back({"gang.scheduling.koordinator.sh/name", std::string(63, 'g'), 0});
  out.push_back({"gang.scheduling.koordinator.sh/min-available", "-99999999999999999999", 0});
  return out;
}

std::string hostile_annotations(int number, bool batch) {
  static const std::vector<std::string> all = all_annotations();
  const int kind = number % kHostileKinds + (batch ? kHostileKinds : 0);
  return R"({"example.com/x":")" + std::string(1 << 20, 'x') + R"(",)" +
         all[static_cast<std::size_t>(kind)].substr(1);
}

std::string hostile_labels(bool batch) {
  const std::string longest(63, 'x');
  std::vector<HostileText> out = {{"koordinator.sh/qosClass", batch ? "BE" : "LS"},
                                  {"koordinator.sh/priority", std::string(63, '9')}};
  for (const char* key : {"koordinator.sh/priority-class", "koordinator.sh/eviction-enabled",
                          "koordinator.sh/core-sched-group-id", "pod-group.scheduling.sigs.k8s.io/name"})
    out.push_back({key, longest});
  for (int i = 0; out.size() < 256; ++i) out.push_back({"koordinator.sh/x" + std::to_string(i), longest});
  return object(out);
}

}  // namespace evenkeel::test
