#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/house/class_size.h"
#include "tests/house/folders.h"
#include "tests/house/rules.h"

namespace evenkeel::house {
namespace {

Source file(const std::string& path, const std::string& text) { return {path, text, without_comments(text)}; }

const Rule& rule(std::string_view name) {
  const auto& all = rules();
  const auto found = std::ranges::find(all, name, &Rule::name);
  if (found == all.end()) ADD_FAILURE() << "no rule " << name;
  return found == all.end() ? all.front() : *found;
}

std::string lines(const std::vector<std::string>& all) {
  std::string out;
  for (const auto& each : all) out += "  " + each + '\n';
  return out;
}

std::string many_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "int x;\n";
  return text;
}

// --- the project as it stands ------------------------------------------------------------------------------

class House : public testing::TestWithParam<std::size_t> {};

TEST_P(House, IsInOrder) {
  static const auto project = read_project(EVENKEEL_SOURCE_DIR);
  ASSERT_GT(project.size(), 30U) << "the project was not found in " << EVENKEEL_SOURCE_DIR;
  const auto& law = rules()[GetParam()];
  const auto found = violations(law, project);
  EXPECT_TRUE(found.empty()) << law.sentence << ":\n" << lines(found);
}

std::string test_name(const testing::TestParamInfo<std::size_t>& info) {
  std::string name(rules()[info.param].name);
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Rules, House, testing::Range<std::size_t>(0, rules().size()), test_name);

// --- the rules themselves: each finds its planted violation, and nothing in the correct file beside it --

std::string class_with(int methods, int members) {
  std::string text =
      "class Big final : public b::Base<int, int> {\n public:\n  explicit Big(int a) : a_{a} {}\n  ~Big();\n";
  for (int i = 0; i < methods; ++i)
    text += "  int f" + std::to_string(i) + "(int x, int y = g({1, 2})) const;\n";
  text += " private:\n  void own(int x) { if (x) own(0); }\n  static constexpr int kMost = 3;\n";
  for (int i = 0; i < members; ++i) text += "  std::map<int, int> m" + std::to_string(i) + "_{};\n";
  return text + "};\n";
}

struct Planted {
  std::string rule;
  Source guilty;
  Source innocent;
};
void PrintTo(const Planted& planted, std::ostream* out) {
  *out << planted.rule << ' ' << planted.guilty.text;
}

std::vector<Planted> planted_violations() {
  return {
      Planted{"arrows", file("qos/a.cpp", "#include \"cgroup/base/fd.h\"\n"),
              file("cgroup/a.cpp", "#include \"qos/a.h\"\n")},
      Planted{"arrows", file("cgroup/a.h", "#include \"collectors/b.h\"\n"),
              file("agent/a.h", "#include \"cgroup/b.h\"\n")},
      Planted{"arrows", file("agent/a.h", "#include \"tests/support/b.h\"\n"),
              file("collectors/a.h", "// #include \"agent/a.h\"\n#include \"cgroup/base/fd.h\"\n")},
      Planted{"folder-arrows", file("qos/model/a.h", "#include \"qos/brake/brake.h\"\n"),
              file("qos/brake/a.h", "#include \"qos/model/snapshot.h\"\n")},
      Planted{"folder-arrows", file("cgroup/base/a.h", "#include \"cgroup/executor/executor.h\"\n"),
              file("cgroup/executor/a.h", "// #include \"agent/tick/agent.h\"\n")},
      Planted{"folder-arrows", file("qos/cellar/a.h", "int x;\n"), file("tests/cellar/a.h", "int x;\n")},
      Planted{"include-circles", file("qos/model/a.h", "#include \"qos/model/a.h\"\n"),
              file("qos/model/a.h", "#include \"qos/model/b.h\"\n")},
      Planted{"namespaces", file("qos/brake/a.h", "namespace evenkeel::memory {\n"),
              file("qos/brake/a.h", "namespace evenkeel::brake {\n")},
      Planted{"namespaces", file("qos/model/a.h", "namespace evenkeel::model {\n"),
              file("qos/model/a.h", "namespace evenkeel {\n")},
      Planted{"qos-pure", file("qos/a.h", "#include <unistd.h>\n"), file("qos/a.h", "#include <vector>\n")},
      Planted{"qos-pure", file("qos/a.h", "#include <thread>\n"), file("agent/a.h", "#include <thread>\n")},
      Planted{"one-includer", file("agent/a.h", "#include <fmt/core.h>\n"),
              file("agent/a.cpp", "#include <fmt/core.h>\n")},
      Planted{"short-files", file("qos/a.cpp", many_lines(301)), file("qos/a.cpp", many_lines(300))},
      Planted{"short-files", file("collectors/a.bpf.c", many_lines(301)),
              file("collectors/a.bpf.c", many_lines(300))},
      Planted{"header-sentence", file("qos/a.h", "#pragma once\n"),
              file("qos/a.h", "// What.\n#pragma once\n")},
      Planted{"small-classes", file("agent/a.h", class_with(16, 12)), file("agent/a.h", class_with(15, 12))},
      Planted{"small-classes", file("agent/a.cpp", class_with(15, 13)), file("qos/a.h", class_with(16, 13))},
      Planted{"small-classes",
              file("agent/a.cpp", "struct A::Impl { int a, b, c, d, e, f, g, h, i, j, k, l, m; };\n"),
              file("agent/a.h", "struct Plain { int a, b, c, d, e, f, g, h, i, j, k, l, m; };\n")},
      Planted{"exceptions", file("agent/a.cpp", "try { f(); } catch (...) {}\n"),
              file("agent/a.cpp", "#include <yaml-cpp/yaml.h>\ntry { f(); } catch (...) {}\n")},
      Planted{"exceptions", file("cgroup/a.cpp", "return std::stoi(text);\n"),
              file("cgroup/a.cpp", "return atoms(text);\n")},
      Planted{"registries", file("qos/a.cpp", "constinit const LostPolicy lost_policy{{\"lost\"}};\n"),
              file("qos/a.cpp", "const SuppressPolicy policy = other_policy;\n")},
      Planted{"registries", file("collectors/a.cpp", "const CollectorSpec lost_collector{\n"),
              file("collectors/a.cpp", "extern const CollectorSpec lost_collector;\n")},
      Planted{"tests-built", file("tests/qos/a_tests.cpp", "\n"),
              file("tests/qos/a_test.cpp", "TEST(A, B) {}\n")},
      Planted{"tests-built", file("tests/a_test.cpp", "\n"), file("tests/fuzz/a_fuzz.cpp", "\n")},
      Planted{"tests-built", file("tests/support/a.cpp", "TEST(A, B) {}\n"),
              file("tests/support/a.cpp", "int a;\n")},
      Planted{"private-paths", file("README.md", std::string("see /wo") + "rk/notes\n"),
              file("README.md", "see work/\n")},
      Planted{"one-row", file("cgroup/kernel/a.cpp", "if (knob == Knob::memory_low) f();\n"),
              file("qos/memory/a.cpp", "out.want(id, Knob::memory_low, 1);\n")},
      Planted{"one-row", file("qos/decide/a.cpp", "using enum Knob;\n"),
              file("cgroup/kernel/a.cpp", "if (knob == Knob::cpu_quota) f();\n")},
      Planted{"host-root", file("agent/a.cpp", "open(\"/proc/stat\");\n"),
              file("agent/a.cpp", "open(\"proc/stat\");\n")},
      Planted{"host-root", file("collectors/a.cpp", "root + \"/sys\";\n"),
              file("collectors/a.cpp", "// \"/sys\"\n\"/system\"\n")},
      Planted{"one-writer", file("cgroup/a.cpp", "::open(path, O_WRONLY);\n"),
              file("cgroup/a.cpp", "::open(path, O_RDONLY);\n")},
      Planted{"one-writer", file("agent/a.cpp", "std::ofstream out(path);\n"),
              file("cgroup/executor/file_writer.cpp", "::open(path, O_WRONLY);\n")},
      Planted{"quiet-rooms", file("cgroup/a.cpp", "printf(\"x\");\n"),
              file("qos/a.cpp", "snprintf(b, n, \"x\");\n")},
      Planted{"one-clock", file("collectors/a.cpp", "std::chrono::steady_clock::now();\n"),
              file("agent/runtime/clock.cpp", "std::chrono::steady_clock::now();\n")},
      Planted{"no-sleep", file("agent/a.cpp", "std::this_thread::sleep_for(1s);\n"),
              file("agent/a.cpp", "asleep(1);\n")}};
}

class HouseRule : public testing::TestWithParam<Planted> {};

TEST_P(HouseRule, FindsWhatIsPlanted) {
  const auto& planted = GetParam();
  const auto found = violations(rule(planted.rule), {planted.guilty});
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found.front().starts_with(planted.guilty.path)) << found.front();
}

TEST_P(HouseRule, LeavesTheInnocentAlone) {
  const auto& planted = GetParam();
  const auto found = violations(rule(planted.rule), {planted.innocent});
  EXPECT_TRUE(found.empty()) << lines(found);
}

INSTANTIATE_TEST_SUITE_P(Table, HouseRule, testing::ValuesIn(planted_violations()));

TEST(HouseRules, EachHasAPlantedViolation) {
  const auto planted = planted_violations();
  for (const auto& each : rules()) {
    if (each.name == "folder-sizes") continue;  // planted by AFullFolderIsFound, because it takes 31 files
    EXPECT_TRUE(std::ranges::any_of(planted, [&](const Planted& one) { return one.rule == each.name; }))
        << each.name;
  }
}

TEST(HouseRules, AProjectIsReadFromItsDirectory) {
  namespace fs = std::filesystem;
  std::string root = (fs::temp_directory_path() / "evenkeel-house-XXXXXX").string();
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  fs::create_directories(fs::path(root) / "qos");
  fs::create_directories(fs::path(root) / "build/qos");
  std::ofstream(fs::path(root) / "qos/a.cpp") << "#include \"agent/b.h\"\n";
  std::ofstream(fs::path(root) / "build/qos/c.cpp") << "#include \"agent/b.h\"\n";
  const auto found = violations(rule("arrows"), read_project(root));
  EXPECT_EQ(found, std::vector<std::string>{"qos/a.cpp:1: includes agent/b.h"});
  fs::remove_all(root);
}

TEST(HouseRules, AFullFolderIsFound) {
  std::vector<Source> files;
  for (int i = 0; i < 31; ++i) files.push_back(file("qos/model/a" + std::to_string(i) + ".h", ""));
  EXPECT_EQ(violations(rule("folder-sizes"), files), std::vector<std::string>{"qos/model/: 31 files"});
  files.pop_back();
  EXPECT_TRUE(violations(rule("folder-sizes"), files).empty());
}

TEST(HouseRules, ACircleIsFoundThroughOtherFolders) {
  const Arrows arrows = {{"a", {"b"}}, {"b", {"c", "d"}}, {"c", {"a"}}, {"d", {}}};
  EXPECT_EQ(circles(arrows), std::vector<std::string>{"a -> b -> c -> a"});
  EXPECT_TRUE(circles({{"a", {"b", "c"}}, {"b", {"c"}}}).empty());
  EXPECT_TRUE(circles(arrows_between_folders()).empty());
}

TEST(HouseRules, TwoDoorsAreOneTooMany) {
  const auto found = violations(rule("one-includer"), {file("agent/a.cpp", "#include <curl/curl.h>\n"),
                                                       file("agent/b.cpp", "#include <curl/multi.h>\n")});
  EXPECT_EQ(found.size(), 2U) << lines(found);
}

TEST(HouseRules, ARegisteredPolicyIsFound) {
  const auto found =
      violations(rule("registries"), {file("qos/a.cpp", "constinit const APolicy a_policy{{\"a\"}};\n"),
                                      file("qos/registry.h", "kPolicies{&a_policy}\n")});
  EXPECT_TRUE(found.empty()) << lines(found);
}

TEST(HouseRules, EveryExceptionNamesARuleAndAReason) {
  for (const auto& each : allowed()) {
    EXPECT_EQ(rule(each.rule).name, each.rule);
    EXPECT_FALSE(each.reason.empty()) << each.path;
  }
}

TEST(HouseClassSize, CountsWhatAClassShowsAndHolds) {
  const auto all = class_sizes(without_comments(R"(
enum class Kind : std::uint8_t { one, two };
class Outer {
 public:
  struct Options { int a = 0; int b() const; };
  class Inner { public: void f(); int x; };
  explicit Outer(Options options) : options_(options), list_{1, 2} {}
  Outer(const Outer&) = delete;
  Outer& operator=(const Outer&) = delete;
  virtual ~Outer() = default;
  static std::optional<Outer> open(const std::string& path);   // one
  [[nodiscard]] const std::string& text() const { return text_; }  // two
  template <class F>
  void each(F f) { for (auto& x : list_) { f(x); } }           // three
  bool operator<(const Outer& other) const;                    // four
  using Call = std::function<void(int)>;
  void set(Call call = [](int) {});                            // five

 private:
  void hidden();
  static constexpr std::array<int, 2> kTwo = {1, 2};
  static int count;
  Options options_;                                            // one
  std::vector<int> list_, more_{};                             // three
  std::function<void(const std::map<int, int>&)> call_{};      // four
  std::string text_ = std::string("{");                        // five
  int array_[3] = {1, 2, 3};                                   // six
};
)"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "Outer");
  EXPECT_EQ(all[0].methods, 5U);
  EXPECT_EQ(all[0].members, 6U);
  EXPECT_EQ(all[1].name, "Inner");
  EXPECT_EQ(all[1].methods, 1U);
  EXPECT_EQ(all[1].members, 1U);
}

TEST(HouseText, CommentsGoAndLiteralsStay) {
  EXPECT_EQ(without_comments("a // b\nc /* d\n e */ f"), "a \nc \n f");
  EXPECT_EQ(without_comments("\"// not one\" // one"), "\"// not one\" ");
  EXPECT_EQ(without_comments("'\"' // one\n10'000 // two\n'x'"), "'\"' \n10'000 \n'x'");
  EXPECT_EQ(without_comments("R\"(a \" // b)\" // c"), "R\"(a \" // b)\" ");
}

}  // namespace
}  // namespace evenkeel::house
