// deploy/seccomp/evenkeel.json: it allows each system call that the sources name by number and each that a
// drop-in of the unit opens, and nothing that changes the machine. tests/seccomp runs the program under it.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "agent/document/document.h"
#include "tests/support/chart.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = EVENKEEL_SOURCE_DIR;

document::Value profile() {
  const auto parsed =
      document::parse_json(text_of_file(kRoot / "deploy/seccomp/evenkeel.json"), "evenkeel.json");
  EXPECT_TRUE(parsed.problems.empty());
  return parsed.root;
}

const document::ValueList& list_in(const document::Value& value, const char* key) {
  static const document::ValueList kNone;
  const auto* found = value.find(key);
  EXPECT_TRUE(found != nullptr && found->list() != nullptr) << key;
  return found != nullptr && found->list() != nullptr ? *found->list() : kNone;
}

/// Name -> the conditions under which it is allowed, one text for each rule; empty: none.
std::multimap<std::string, std::string> allowed(const document::Value& from) {
  std::multimap<std::string, std::string> out;
  for (const auto& rule : list_in(from, "syscalls")) {
    if (rule.text("action") != "SCMP_ACT_ALLOW") continue;
    const auto* conditions = rule.find("args");
    for (const auto& name : list_in(rule, "names"))
      out.emplace(name.scalar()->text, conditions != nullptr ? flow_text(*conditions) : "");
  }
  return out;
}

std::set<std::string> words_in(const std::string& text, const std::regex& pattern) {
  std::set<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) out.insert((*it)[1]);
  return out;
}

TEST(SeccompProfile, AllowsEachCallThatTheSourcesNameByNumber) {
  const auto names = allowed(profile());
  const std::regex number(R"(\bSYS_([a-z0-9_]+))");
  std::set<std::string> used;
  for (const char* room : {"qos", "cgroup", "collectors", "agent"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / room))
      if (entry.path().extension() == ".cpp") used.merge(words_in(text_of_file(entry.path()), number));
  EXPECT_GE(used.size(), 8U);
  for (const auto& name : used) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(SeccompProfile, AllowsEachCallThatADropInOfTheUnitOpens) {
  const auto names = allowed(profile());
  const std::regex filter(R"(SystemCallFilter=([a-z0-9_ ]+))"), word(R"(([a-z0-9_]+))");
  int dropins = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "systemd/drop-ins"))
    for (const auto& line : words_in(text_of_file(entry.path()), filter)) {
      ++dropins;
      for (const auto& name : words_in(line, word)) EXPECT_TRUE(names.contains(name)) << entry.path() << name;
    }
  EXPECT_GE(dropins, 3);
}

TEST(SeccompProfile, AllowsNothingThatChangesTheMachineOrReadsOtherProcesses) {
  const auto names = allowed(profile());
  for (const char* name : {"add_key",
                           "clone3",
                           "delete_module",
                           "finit_module",
                           "init_module",
                           "io_uring_setup",
                           "kexec_load",
                           "keyctl",
                           "mount",
                           "move_mount",
                           "open_by_handle_at",
                           "pivot_root",
                           "process_vm_readv",
                           "process_vm_writev",
                           "ptrace",
                           "reboot",
                           "swapon",
                           "umount2",
                           "unshare",
                           "userfaultfd"})
    EXPECT_FALSE(names.contains(name)) << name;
}

/// A filter sees the flags of clone and setns and the family of a socket, not what a pointer points to.
TEST(SeccompProfile, AllowsSomeCallsOnlyWithTheArgumentsThatTheAgentUses) {
  const auto names = allowed(profile());
  std::multimap<std::string, std::string> conditional;
  for (const auto& [name, condition] : names)
    if (!condition.empty()) conditional.emplace(name, condition);
  const auto family = [](const char* number) {
    return std::string("[{index: 0, op: SCMP_CMP_EQ, value: ") + number + "}]";
  };
  const std::multimap<std::string, std::string> wanted = {
      // CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
      {"clone", "[{index: 0, op: SCMP_CMP_MASKED_EQ, value: 2114060288, valueTwo: 0}]"},
      {"setns", "[{index: 1, op: SCMP_CMP_EQ, value: 33554432}]"},  // CLONE_NEWCGROUP
      {"socket", family("1")},
      {"socket", family("2")},
      {"socket", family("10")},
      {"socket", family("16")},
      {"socketpair", family("1")},
  };
  EXPECT_EQ(conditional, wanted);
}

TEST(SeccompProfile, NamesEachCallOnceAndSaysWhy) {
  const auto all = profile();
  EXPECT_EQ(all.text("defaultAction"), "SCMP_ACT_ERRNO");
  std::set<std::string> seen;
  for (const auto& rule : list_in(all, "syscalls")) {
    EXPECT_FALSE(rule.text("comment").empty()) << flow_text(rule);
    // A family of sockets needs a rule of its own.
    for (const auto& name : list_in(rule, "names"))
      EXPECT_TRUE(seen.insert(name.scalar()->text).second || rule.find("args") != nullptr) << flow_text(name);
  }
}

}  // namespace
}  // namespace evenkeel::test
