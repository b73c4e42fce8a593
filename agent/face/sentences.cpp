#include "agent/face/sentences.h"

#include "agent/document/document.h"

namespace evenkeel {
namespace {

std::string member(const Value& value, std::string_view key) {
  const Value* found = value.find(key);
  return found != nullptr && found->scalar() != nullptr ? found->scalar()->text : std::string();
}

std::string sentence(const Value& managed) {
  const std::string pod = member(managed, "pod");
  std::string out = member(managed, "cgroup") + (pod.empty() ? "" : " (pod " + pod + ")") + "\n  " +
                    member(managed, "file");
  out += " is " + member(managed, "value") + ", was " + member(managed, "original") + ", by " +
         member(managed, "policy");
  return out + ": " + member(managed, "sentence") + "\n";
}

}  // namespace

std::string explain_sentences(const std::string& explain_json) {
  const auto parsed = parse_json(explain_json, "explain");
  const Value* managed = parsed.problems.empty() ? parsed.root.find("managed") : nullptr;
  if (managed == nullptr || managed->list() == nullptr) return "the agent's answer could not be read\n";
  if (managed->list()->empty()) return "nothing is managed: every value is its owner's\n";
  std::string out;
  for (const auto& one : *managed->list()) out += sentence(one);
  return out;
}

}  // namespace evenkeel
