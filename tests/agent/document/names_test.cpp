// Tests what Kubernetes accepts as a name, with cases of its own tests (k8s.io/apimachinery,
// pkg/util/validation/validation_test.go) and both sides of each length.
#include "agent/document/names.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace evenkeel::document {
namespace {

struct Rule {
  std::string name;
  std::function<bool(std::string_view)> holds;
  std::vector<std::string> good, bad;
};

std::string times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

std::vector<Rule> rules() {
  return {
      {"label",
       is_dns_label,
       {"a", "ab", "a1", "a-1", "a--1--2--b", "0", "01", "1a", "1--a--b--2", times(63, "a")},
       {"", "A", "aBc", "-", "a-", "-a", "1-", "-1", "_", "a_", "a.", ".a", "a.b", "a@b", "a b", "1 ",
        times(64, "a"), std::string("a\0b", 3), "a\n"}},
      {"subdomain",
       is_dns_subdomain,
       {"a", "a-1", "a.a", "ab.a", "a1.a-1", "0.0", "01.1a", "a.b.c.d.e", "1.2.3.4", times(126, "a.") + "a",
        times(64, "a") + ".b"},
       {"", "A", "a_", "-a", "a-", ".", "a.", ".a", "..", "a..b", "a.-b", "a-.b", "a/b", "a b", "A.a",
        times(126, "a.") + "aa"}},
      {"qualified name",
       is_qualified_name,
       {"simple", "now-with-dashes", "1-starts-with-num", "1234", "simple/simple", "now-with-dashes/simple",
        "now.with.dots/simple", "1234/5678", "1.2.3.4/5678", "Uppercase_Is.OK", "example.com/Uppercase_Is.OK",
        times(63, "a"), times(253, "a") + "/b"},
       {"", "nospecialchars%^=@", "cantendwithadash-", "-cantstartwithadash-", "only/one/slash",
        "Example.com/abc", "example_com/abc", "example.com/", "/simple", "a..b/c", times(64, "a"),
        times(254, "a") + "/abc"}},
      {"label value",
       is_label_value,
       {"", "simple", "1-num", "end-with-num-1", "UpperCase_and.dots", times(63, "a")},
       {"-a", "a-", "_a", "a.", "a/b", "a b", "ä", times(64, "a")}},
      {"uid",
       is_uid,
       {"07c5ca87-3cee-419b-8d73-19bc1d676c1c", "9d4be0ca4a2f0c7a2e9d2f1e8a4c5b6d", "u-1", "-",
        times(128, "a")},
       {"", "../a", "a/b", "a.b", "a_b", "a b", times(129, "a")}},
  };
}

TEST(Names, AreWhatKubernetesAccepts) {
  for (const auto& rule : rules()) {
    for (const auto& name : rule.good) EXPECT_TRUE(rule.holds(name)) << rule.name << ": " << name;
    for (const auto& name : rule.bad) EXPECT_FALSE(rule.holds(name)) << rule.name << ": " << name;
  }
}

}  // namespace
}  // namespace evenkeel::document
