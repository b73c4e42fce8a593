// Checks what a reader of README.md and docs/ relies on: short pages, links and anchors that resolve, metrics
// that exist, a picture that matches its source, and the output of the real program in README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "agent/api/pages.h"
#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

namespace fs = std::filesystem;
using namespace evenkeel::literals;
const fs::path kRoot = EVENKEEL_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// README.md and the pages below these directories.
std::vector<fs::path> pages() {
  std::vector<fs::path> all{kRoot / "README.md"};
  for (const char* dir : {"docs", "deploy", "tests", "qos", "cgroup", "collectors", "agent"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / dir))
      if (entry.path().extension() == ".md") all.push_back(entry.path());
  return all;
}

/// The lines outside of code blocks, without code in backticks if `inline_code` is false.
std::vector<std::string> prose(const fs::path& page, bool inline_code) {
  std::vector<std::string> out;
  bool code = false;
  for (auto& line : lines_of(text_of(page))) {
    const bool fence = line.find("```") == line.find_first_not_of(' ') && !line.empty();
    if (fence) code = !code;
    if (!code && !fence)
      out.push_back(inline_code ? line : std::regex_replace(line, std::regex("`[^`]*`"), ""));
  }
  return out;
}

/// GitHub's anchor of a heading: lower case, no punctuation, hyphens for spaces.
std::string anchor(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ' || c == '-') out += '-';
    if (std::isalnum(byte) != 0 || c == '_' || byte >= 0x80) out += static_cast<char>(std::tolower(byte));
  }
  return out;
}

std::set<std::string> anchors(const fs::path& page) {
  std::set<std::string> all;
  for (const auto& line : prose(page, true)) {
    const auto level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    const auto name = anchor(line.substr(level + 1));
    auto unique = name;
    for (int again = 1; !all.insert(unique).second; ++again) unique = name + '-' + std::to_string(again);
  }
  return all;
}

std::vector<std::string> links(const fs::path& page) {
  std::vector<std::string> all;
  const std::regex link(R"(\]\(([^)\s]+)\))");
  for (const auto& line : prose(page, false))
    for (std::sregex_iterator it(line.begin(), line.end(), link), end; it != end; ++it)
      all.push_back((*it)[1]);
  return all;
}

TEST(DocsPages, ReadmeIsShort) {
  const auto lines = lines_of(text_of(kRoot / "README.md"));
  EXPECT_LE(lines.size(), 120U);
  for (const auto& line : lines) {
    const auto continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
    EXPECT_LE(static_cast<long>(line.size()) - std::ranges::count_if(line, continuation), 130) << line;
  }
}

TEST(DocsPages, EveryRelativeLinkAndAnchorResolves) {
  int followed = 0;
  for (const auto& page : pages()) {
    for (const auto& link : links(page)) {
      if (link.find("://") != std::string::npos) continue;
      const auto hash = std::min(link.find('#'), link.size());
      const auto target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
      ++followed;
      ASSERT_TRUE(fs::exists(target)) << page << " links to " << link;
      if (hash == link.size()) continue;
      EXPECT_TRUE(anchors(target).contains(link.substr(hash + 1))) << page << " links to " << link;
    }
  }
  EXPECT_GT(followed, 50);
}

TEST(DocsPages, ReadmeLinksToEveryPageOfDocs) {
  std::set<std::string> linked;
  for (const auto& link : links(kRoot / "README.md")) linked.insert(link.substr(0, link.find('#')));
  for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
    const auto name = "docs/" + entry.path().filename().string();
    if (!name.ends_with(".md")) continue;
    EXPECT_TRUE(linked.contains(name)) << "README.md has no link to " << name;
  }
}

/// The folders of the program that hold source files.
std::set<fs::path> source_folders() {
  std::set<fs::path> all;
  for (const char* room : {"qos", "cgroup", "collectors", "agent"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / room))
      if (entry.path().extension() == ".cpp" || entry.path().extension() == ".h")
        all.insert(entry.path().parent_path());
  return all;
}

TEST(DocsPages, EveryFolderHasAShortReadmeThatNamesItsFiles) {
  const std::regex file(R"(`([\w./]+\.(h|cpp|bpf\.c))`)");
  int named = 0;
  for (const auto& folder : source_folders()) {
    const auto readme = folder / "README.md";
    ASSERT_TRUE(fs::exists(readme)) << folder;
    const auto text = text_of(readme);
    const bool overview = folder.parent_path() == kRoot;
    EXPECT_LE(lines_of(text).size(), overview ? 65U : 50U) << readme;
    for (std::sregex_iterator it(text.begin(), text.end(), file), end; it != end; ++it, ++named)
      EXPECT_TRUE(fs::exists(folder / (*it)[1].str()) || fs::exists(kRoot / (*it)[1].str()))
          << readme << " names " << it->str();
  }
  EXPECT_GT(named, 100);
}

std::set<std::string> metrics_in(const std::string& text) {
  std::set<std::string> names;
  const std::regex metric("evenkeel_[a-z_]+[*]?");
  for (std::sregex_iterator it(text.begin(), text.end(), metric), end; it != end; ++it)
    names.insert(it->str());
  return names;
}

/// A name that ends in * stands for all metrics that begin so.
TEST(DocsPages, NameOnlyMetricsOfTheProgram) {
  std::set<std::string> program;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "agent"))
    if (entry.path().extension() == ".cpp") program.merge(metrics_in(text_of(entry.path())));
  int named = 0;
  for (const auto& page : pages()) {
    if (page.parent_path() != kRoot && page.parent_path() != kRoot / "docs") continue;
    for (auto name : metrics_in(text_of(page))) {
      ++named;
      const bool family = name.ends_with('*');
      if (family) name.pop_back();
      const auto found = program.lower_bound(name);
      EXPECT_TRUE(found != program.end() && (family ? found->starts_with(name) : *found == name))
          << page << " names " << name;
    }
  }
  EXPECT_GT(named, 20);
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

TEST(DocsPages, SecurityNamesTestsThatExist) {
  std::string tests;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests"))
    if (entry.path().extension() == ".cpp") tests += text_of(entry.path());
  const std::string page = text_of(kRoot / "docs/security.md");
  const std::regex named("`([A-Z][A-Za-z0-9]+)[.]([A-Z][A-Za-z0-9]+)`");
  int count = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), named), end; at != end; ++at, ++count)
    EXPECT_NE(tests.find("(" + (*at)[1].str() + ", " + (*at)[2].str() + ")"), std::string::npos) << (*at)[0];
  EXPECT_GT(count, 20);
}

TEST(DocsPages, PictureIsDrawnFromItsSource) {
  const auto docs = (kRoot / "docs").string();
  EXPECT_EQ(output_of("awk -f " + docs + "/draw.awk " + docs + "/loop.txt"), text_of(docs + "/loop.svg"))
      << "draw it again: awk -f docs/draw.awk docs/loop.txt > docs/loop.svg";
}

/// What `evenkeel explain` prints on a node of 16 CPUs with CPU burst and suppression by a quota, with a
/// service that uses 6.25 CPUs and a batch pod that uses 3.
std::string real_explanation() {
  const std::string web = "5f0c7a52-9b1e-4d36-8a64-2f1f6f3c9d10",
                    job = "c83e41d7-0a2b-4e95-b7f8-6d5a90e1c2b4";
  SteppedNode node(16, FakeNode::Kernel::v2,
                   "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota}\n"
                   "cpuBurstStrategy: {policy: auto}\n");
  const auto service = node.host.pod(KubeQos::burstable, web, {"aaa"});
  const auto batch = node.host.pod(KubeQos::besteffort, job, {"bbb"});
  for (const auto& cgroup : {service, service + "/aaa"}) node.set_quota(cgroup, "800000");
  const auto pod = [](const std::string& name, const std::string& uid, const char* qos,
                      const char* kubernetes, const char* id, const char* resources) {
    return "- metadata: {namespace: shop, name: " + name + ", uid: " + uid +
           ", labels: {koordinator.sh/qosClass: " + qos + "}}\n  spec: {containers: [{name: main" +
           resources + "}]}\n  status: {phase: Running, qosClass: " + kubernetes +
           ", containerStatuses: [{name: main, containerID: 'containerd://" + id +
           "', state: {running: {}}}]}\n";
  };
  const auto pods = node.pod_list(
      "items:\n" +
      pod("checkout", web, "LS", "Burstable", "aaa", ", resources: {requests: {cpu: 6}, limits: {cpu: 8}}") +
      pod("thumbnails", job, "BE", "BestEffort", "bbb", ""));
  node.uses(service + "/aaa", 6250_mcpu);
  node.uses(batch + "/bbb", 3000_mcpu);
  node.system_uses(1000_mcpu);
  SteppedAgent agent(node.args(pods));
  node.seconds(2, agent);
  const auto sentences = api::explain_sentences(agent.explain());
  agent.quit();
  return sentences;
}

/// One space for every run of white space: README.md wraps lines that the program does not.
std::string collapsed(const std::string& text) { return std::regex_replace(text, std::regex("\\s+"), " "); }

TEST(DocsPages, ReadmeShowsWhatTheProgramPrints) {
  const std::string begin = "$ evenkeel explain\n";
  const auto readme = text_of(kRoot / "README.md");
  const auto from = readme.find(begin);
  ASSERT_NE(from, std::string::npos);
  const auto shown = readme.substr(from + begin.size(), readme.find("```", from) - from - begin.size());
  const auto real = real_explanation();
  std::string cgroup;
  int held = 0;
  for (const auto& line : lines_of(shown))
    cgroup += (line.starts_with("kubepods") && !cgroup.empty() ? '\f' : '\n') + line;
  for (std::size_t at = 0; at < cgroup.size(); ++held) {
    const auto end = std::min(cgroup.find('\f', at), cgroup.size());
    const auto entry = collapsed(cgroup.substr(at, end - at) + ' ');
    EXPECT_NE((' ' + collapsed(real)).find(entry), std::string::npos) << entry << "\nis not in\n" << real;
    at = end + 1;
  }
  EXPECT_GE(held, 2);
}

}  // namespace
}  // namespace evenkeel::test
