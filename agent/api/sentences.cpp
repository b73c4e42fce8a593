#include <array>
#include <cstdio>
#include <cstdlib>

#include "agent/api/pages.h"
#include "agent/document/document.h"
#include "agent/runtime/printable.h"

namespace evenkeel::api {
namespace {

void make_printable(document::Value& value) {
  if (auto* scalar = std::get_if<document::Scalar>(&value.is))
    scalar->text = runtime::printable(scalar->text);
  if (auto* list = std::get_if<document::ValueList>(&value.is))
    for (auto& item : *list) make_printable(item);
  if (auto* map = std::get_if<document::ValueMap>(&value.is))
    for (auto& [key, member] : *map) make_printable(member);
}

/// The agent's answer quotes what tenants have written, and another process may have given it. All of it is
/// made printable here, so that no sentence can forget that.
document::Parsed read_answer(const std::string& json, const char* page) {
  auto parsed = document::parse_json(json, page);
  make_printable(parsed.root);
  return parsed;
}

/// The line with the cgroup, and the beginning of the next one.
std::string cgroup_line(const document::Value& entry) {
  const std::string pod = entry.text("pod");
  return entry.text("cgroup") + (pod.empty() ? "" : " (pod " + pod + ")") + "\n  ";
}

std::string sentence(const document::Value& managed) {
  if (managed.text("yielded") == "true")
    return cgroup_line(managed) + managed.text("file") + " is left to another process; " +
           managed.text("policy") + " wanted " + managed.text("value") + ": " + managed.text("sentence") +
           "\n";
  return cgroup_line(managed) + managed.text("file") + " is " + managed.text("value") + ", was " +
         managed.text("original") + ", by " + managed.text("policy") + ": " + managed.text("sentence") + "\n";
}

std::string kept(const document::Value& value) {
  return cgroup_line(value) + value.text("file") + " stays " + value.text("value") + ", " +
         value.text("policy") + " wants " + value.text("wanted") + ": " + value.text("sentence") + "\n";
}

std::string withdrawal(const document::Value& lever) {
  return lever.text("lever") + " is withdrawn: " + lever.text("why") + "\n";
}

/// "brake: best effort's CPU is not cut: …"
std::string limitation(const document::Value& value) {
  return value.text("of") + ": " + value.text("sentence") + "\n";
}

std::string reclaim(const document::Value& value) {
  return cgroup_line(value) + "gives up memory, by " + value.text("by") + ": " + value.text("sentence") +
         "\n";
}

/// "nodeslo: nodeslos/node-1, confirmed 12 s ago"
std::string input(const document::Value& value) {
  const std::string age = value.text("age_seconds"), error = value.text("error");
  std::string out = value.text("name") + ": " + value.text("source");
  if (!age.empty()) out += ", confirmed " + age.substr(0, age.find('.')) + " s ago";
  out += error.empty() ? "\n" : "; not usable now: " + error + "\n";
  if (const document::Value* notices = value.find("notices");
      notices != nullptr && notices->list() != nullptr)
    for (const auto& notice : *notices->list())
      if (notice.scalar() != nullptr) out += "  " + notice.scalar()->text + "\n";
  return out;
}

/// "objective checkout (pods shop/app=web): 0.0062 of 0.005, missed; waits for cpu"
std::string objective(const document::Value& value) {
  const std::string figure = value.text("value"), problem = value.text("problem");
  const std::string stall = value.text("waits_for");
  std::string out = "objective " + value.text("name") + " (" + value.text("service") + "): ";
  out += (figure.empty() ? "no figure yet, target " : figure + " of ") + value.text("target") + ", " +
         value.text("standing");
  if (stall != "none") out += "; waits for " + stall;
  return out + (problem.empty() ? "" : "; no newer figure: " + problem) + "\n";
}

/// "  margin (cpuReclaimThresholdPercent 65): 35 CPUs, 42 GiB"
std::string term(const document::Value& value) {
  std::string out = "  " + value.text("name") + " (" + value.text("source") + "): ";
  const std::string cpu = value.text("cpu"), memory = value.text("memory");
  return out + cpu + (cpu.empty() || memory.empty() ? "" : ", ") + memory + "\n";
}

std::string lending(const document::Value* value) {
  const document::Value* advertised = value != nullptr ? value->find("advertised") : nullptr;
  if (advertised == nullptr) return {};
  std::string out = "lent to batch and mid pods";
  for (const auto* name : {"batch-cpu", "batch-memory", "mid-cpu", "mid-memory"})
    out += std::string(", ") + name + " " +
           (advertised->text(name).empty() ? "unknown" : advertised->text(name));
  out += ": " + value->text("why") + "\n";
  if (const document::Value* terms = value->find("terms"); terms != nullptr && terms->list() != nullptr)
    for (const auto& one : *terms->list()) out += term(one);
  return out;
}

/// "eviction by BEMemoryEvict: no pod must be evicted: the node uses 10 GiB of 100 GiB memory, …"
std::string eviction(const document::Value& value) {
  const std::string why = value.text("why"), outcome = value.text("outcome");
  const std::string waits_for = value.text("waits_for");
  std::string out = "eviction by " + value.text("trigger") + " (" + value.text("by") + "): " + outcome;
  if (!waits_for.empty()) out += ", " + waits_for;
  out += (outcome.empty() || why.empty() ? "" : ": ") + why;
  if (value.text("needed") == "true") out += " (a chosen pod is " + value.text("way") + ")";
  return out + "\n";
}

/// One text per item of the list `key`; none where there is no such list.
std::string each(const document::Value& root, std::string_view key,
                 std::string (*render)(const document::Value&)) {
  std::string out;
  const document::Value* value = root.find(key);
  if (value == nullptr || value->list() == nullptr) return out;
  for (const auto& one : *value->list()) out += render(one);
  return out;
}

/// An older agent does not say so.
bool is_unknown(const document::Value& pod) {
  return pod.find("known") != nullptr && pod.text("known") != "true";
}

/// `pod`: the one that was asked for; null: all were.
std::string nothing_managed(const document::Value* pod) {
  if (pod == nullptr) return "nothing is managed: every value is its owner's\n";
  if (pod->text("known") == "false") return "no such pod on this node: " + pod->text("name") + "\n";
  if (is_unknown(*pod))
    return "the agent does not know the names of all pods here, so it cannot say whether this node has the "
           "pod " +
           pod->text("name") + "\n";
  return "nothing is managed for this pod: every value is its owner's\n";
}

double number_at(const document::Value& value, std::string_view key) {
  return std::strtod(value.text(key).c_str(), nullptr);
}

/// One line of the table of levers: what one kind of evidence says.
std::string row(const document::Value& evidence, const std::string& lever, const std::string& feeling,
                const std::string& verdict, const std::string& standing) {
  std::array<char, 64> effect{};
  if (!evidence.text("ratio").empty())
    std::snprintf(effect.data(), effect.size(), "%.2f (%.2f to %.2f)", number_at(evidence, "ratio"),
                  number_at(evidence, "ratio_low"), number_at(evidence, "ratio_high"));
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(), "%-18s  %-15s  %7s  %-20s  %-13s  %s\n", lever.c_str(),
                feeling.c_str(), evidence.text("trials").c_str(), effect.data(), verdict.c_str(),
                standing.c_str());
  return line.data();
}

std::string rows(const document::Value& lever) {
  const bool withdrawn = lever.text("withdrawn") == "true";
  const std::string standing = withdrawn ? "withdrawn" : lever.text("standing");
  // An older agent has one kind of evidence only.
  const std::string felt = lever.text("felt_verdict");
  std::string out = row(lever, lever.text("lever"), lever.text("feeling"),
                        felt.empty() ? lever.text("verdict") : felt, standing);
  if (const document::Value* reported = lever.find("reported"))
    out += row(*reported, "", "reported figure", reported->text("verdict"), "");
  return out;
}

}  // namespace

std::optional<std::string> printable_json(std::string_view answer) {
  if (!document::parse_json(answer, "answer").problems.empty()) return std::nullopt;
  std::string out;
  // JSON has these between its members only.
  for (auto end = answer.find_first_of("\t\r\n"); end != std::string_view::npos;
       end = answer.find_first_of("\t\r\n")) {
    out += runtime::printable(answer.substr(0, end)) + (answer[end] == '\n' ? '\n' : ' ');
    answer.remove_prefix(end + 1);
  }
  return out + runtime::printable(answer);
}

std::string explain_sentences(const std::string& explain_json) {
  const auto parsed = read_answer(explain_json, "explain");
  const document::Value* managed = parsed.problems.empty() ? parsed.root.find("managed") : nullptr;
  if (managed == nullptr || managed->list() == nullptr) return "the agent's answer could not be read\n";
  std::string out = each(parsed.root, "inputs", input) + each(parsed.root, "eviction", eviction);
  out += lending(parsed.root.find("lending")) + each(parsed.root, "objectives", objective);
  out += each(parsed.root, "withdrawn", withdrawal) + each(parsed.root, "limitations", limitation);
  out += each(parsed.root, "reclaims", reclaim) + each(parsed.root, "kept", kept);
  if (managed->list()->empty()) return out + nothing_managed(parsed.root.find("pod"));
  return out + each(parsed.root, "managed", sentence);
}

bool is_about_unknown_pod(const std::string& explain_json) {
  const auto parsed = read_answer(explain_json, "explain");
  const document::Value* pod = parsed.problems.empty() ? parsed.root.find("pod") : nullptr;
  return pod != nullptr && is_unknown(*pod);
}

std::string proof_table(const std::string& proof_json) {
  const auto parsed = read_answer(proof_json, "proof");
  const document::Value* all = parsed.problems.empty() ? parsed.root.find("levers") : nullptr;
  if (all == nullptr || all->list() == nullptr) return "the agent's answer could not be read\n";
  if (parsed.root.text("enabled") != "true") return "off: extensions.evenkeel.proof.enable turns it on\n";
  std::string out =
      "lever               services feel     trials  in force / withheld   verdict        now\n";
  for (const auto& lever : *all->list()) out += rows(lever);
  out += "in brackets: 95 % confidence intervals that hold however often they are looked at\n";
  if (const std::string trouble = parsed.root.text("trouble"); !trouble.empty())
    out += "services are in trouble, so that no trial begins for at most ten minutes: " + trouble + "\n";
  if (const std::string why = parsed.root.text("run_queue_waits_why"); !why.empty())
    out += "measurement of waits for a CPU: " + parsed.root.text("run_queue_waits") + " (" + why + ")\n";
  return out;
}

}  // namespace evenkeel::api
