#include "tests/house/rules.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "tests/house/class_size.h"
#include "tests/house/folders.h"

namespace evenkeel::house {
namespace {

using Sources = std::vector<Source>;
using Violations = std::vector<std::string>;

const std::set<std::string> kRooms = {"qos", "cgroup", "collectors", "agent"};

bool in_rooms(const Source& source) {
  return kRooms.contains(source.room()) && (source.is_header() || source.path.ends_with(".cpp"));
}

std::string at(const Source& source, std::size_t offset) {
  const auto line =
      1 + std::count(source.code.begin(), source.code.begin() + static_cast<long>(offset), '\n');
  return source.path + ':' + std::to_string(line) + ": ";
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Calls f(source, match) for every match in the code of the files that `where` accepts.
template <class Where, class F>
void for_each_match(const Sources& project, const std::string& pattern, Where&& where, F&& f) {
  const std::regex regex(pattern, std::regex::optimize);
  for (const auto& source : project) {
    if (!where(source)) continue;
    for (std::sregex_iterator it(source.code.begin(), source.code.end(), regex), end; it != end; ++it)
      f(source, *it);
  }
}

/// A rule that forbids a word in the files that `where` accepts.
template <class Where>
auto forbids(std::string pattern, Where where) {
  return [pattern = std::move(pattern), where](const Sources& project) {
    Violations found;
    for_each_match(project, pattern, where, [&](const Source& source, const std::smatch& match) {
      found.push_back(at(source, static_cast<std::size_t>(match.position())) + match.str());
    });
    return found;
  };
}

const std::string kOwnInclude = R"(#\s*include\s+"([^"]+)\")";
const std::string kForeignInclude = R"(#\s*include\s+<([^>]+)>)";

Violations arrows(const Sources& project) {
  const std::map<std::string, std::set<std::string>> may = {{"qos", {"qos"}},
                                                            {"cgroup", {"cgroup", "qos"}},
                                                            {"collectors", {"collectors", "cgroup", "qos"}},
                                                            {"agent", kRooms}};
  Violations found;
  for_each_match(project, kOwnInclude, in_rooms, [&](const Source& source, const std::smatch& match) {
    const auto target = match[1].str();
    if (!may.at(source.room()).contains(target.substr(0, target.find('/'))))
      found.push_back(at(source, static_cast<std::size_t>(match.position())) + "includes " + target);
  });
  return found;
}

Violations qos_is_pure(const Sources& project) {
  const std::set<std::string> unwanted = {"ctime",    "fstream", "filesystem", "future",
                                          "iostream", "mutex",   "random",     "thread",
                                          "csignal",  "atomic",  "sstream",    "stop_token"};
  Violations found;
  const auto in_qos = [](const Source& source) { return in_rooms(source) && source.room() == "qos"; };
  for_each_match(project, kForeignInclude, in_qos, [&](const Source& source, const std::smatch& match) {
    const auto header = match[1].str();
    if (unwanted.contains(header) || header.find_first_of("./") != std::string::npos)
      found.push_back(at(source, static_cast<std::size_t>(match.position())) + "includes <" + header + ">");
  });
  return found;
}

/// The library behind a header, empty for the C++ and C libraries and the kernel's own headers.
std::string library_of(const std::string& header) {
  const std::set<std::string> system_dirs = {"sys", "linux", "asm", "arpa", "net", "netinet"};
  const std::set<std::string> system_files = {"unistd.h", "fcntl.h", "dirent.h", "poll.h",    "sched.h",
                                              "signal.h", "spawn.h", "netdb.h",  "termios.h", "getopt.h",
                                              "grp.h",    "pwd.h",   "ftw.h",    "time.h",    "pthread.h"};
  const auto slash = header.find('/');
  const auto first = header.substr(0, slash);
  if (slash != std::string::npos) return system_dirs.contains(first) ? "" : first;
  const bool standard = header.find('.') == std::string::npos;
  return standard || system_files.contains(header) ? "" : header;
}

Violations one_includer(const Sources& project) {
  std::map<std::string, std::set<std::string>> users;
  for_each_match(project, kForeignInclude, in_rooms, [&](const Source& source, const std::smatch& match) {
    const auto library = library_of(match[1].str());
    if (!library.empty()) users[library].insert(source.path);
  });
  Violations found;
  for (const auto& [library, files] : users) {
    for (const auto& file : files) {
      if (files.size() > 1)
        found.push_back(file + ": " + library + " is included by " + std::to_string(files.size()) +
                        " sources");
      if (file.ends_with(".h")) found.push_back(file + ": the port to " + library + " is a header");
    }
  }
  return found;
}

Violations short_files(const Sources& project) {
  Violations found;
  for (const auto& source : project) {
    const auto lines = std::count(source.text.begin(), source.text.end(), '\n');
    const bool code = source.is_header() || source.path.ends_with(".cpp") || source.path.ends_with(".c") ||
                      source.path.ends_with(".sh");
    if (code && lines > 300) found.push_back(source.path + ": " + std::to_string(lines) + " lines");
  }
  return found;
}

Violations headers_say_what_for(const Sources& project) {
  Violations found;
  for (const auto& source : project) {
    if (!source.is_header()) continue;
    if (!source.text.starts_with("// ")) found.push_back(source.path + ":1: no sentence");
    if (!contains(source.text, "#pragma once")) found.push_back(source.path + ": no #pragma once");
  }
  return found;
}

/// Exceptions are confined: only a file that includes a third-party header may throw or catch.
Violations exceptions_at_the_includer(const Sources& project) {
  Violations found;
  const std::regex include(kForeignInclude);
  const auto no_door = [&](const Source& source) {
    if (!in_rooms(source)) return false;
    for (std::sregex_iterator it(source.code.begin(), source.code.end(), include), end; it != end; ++it)
      if (!library_of((*it)[1].str()).empty()) return false;
    return true;
  };
  const std::string pattern = R"(\bthrow\b|\bcatch\s*\(|\bstd::sto(i|l|ll|ul|ull|f|d|ld)\s*\()";
  for_each_match(project, pattern, no_door, [&](const Source& source, const std::smatch& match) {
    found.push_back(at(source, static_cast<std::size_t>(match.position())) + match.str());
  });
  return found;
}

/// Every name that `definition` captures in a folder must be in the registry.
Violations registered(const Sources& project, const std::string& room, const std::string& file,
                      const std::string& definition) {
  const auto registry = std::ranges::find(project, room + "/" + file, &Source::path);
  Violations found;
  const auto here = [&](const Source& source) {
    return source.room() == room && source.path.ends_with(".cpp");
  };
  for_each_match(project, definition, here, [&](const Source& source, const std::smatch& match) {
    const auto name = match[1].str();
    const std::regex word("\\b" + name + "\\b");
    if (registry == project.end() || !std::regex_search(registry->code, word))
      found.push_back(at(source, static_cast<std::size_t>(match.position())) + name + " is not in " + room +
                      "/" + file);
  });
  return found;
}

Violations registries_complete(const Sources& project) {
  auto found =
      registered(project, "qos", "registry.h", R"(\bconstinit\s+const\s+\w+Policy\s+(\w+_policy)\s*(\{|=))");
  const auto collectors =
      registered(project, "collectors", "registry.cpp", R"(CollectorSpec\s+(\w+)\s*(\{|=))");
  found.insert(found.end(), collectors.begin(), collectors.end());
  return found;
}

/// Only .cpp files that CMake's globs match may be in tests/.
Violations every_test_is_built(const Sources& project) {
  const std::regex built(
      R"(tests/(\w+/(.+/)?\w+_test\.cpp|house/\w+\.cpp|support/.+\.cpp|fuzz/\w+_fuzz\.cpp|bench/\w+_bench\.cpp|helpers/\w+\.cpp))");
  const std::regex test(R"((^|\n)\s*(TEST|TEST_F|TEST_P|TYPED_TEST)\()");
  Violations found;
  for (const auto& source : project) {
    if (source.room() != "tests" || !source.path.ends_with(".cpp")) continue;
    if (!std::regex_match(source.path, built)) found.push_back(source.path + ": no test program contains it");
    if (!source.path.ends_with("_test.cpp") && std::regex_search(source.code, test))
      found.push_back(source.path + ": has tests, but is not named ..._test.cpp");
  }
  return found;
}

Violations no_private_paths(const Sources& project) {
  // Split into pieces, so that this file does not contain them.
  const std::vector<std::string> words = {std::string("/wo") + "rk/", std::string("/tmp/") + "build"};
  Violations found;
  for (const auto& source : project)
    for (const auto& word : words)
      if (source.text.find(word) != std::string::npos) found.push_back(source.path + ": says " + word);
  return found;
}

/// Files that have to work for every lever: all but the policies. The row of a lever is not code.
bool serves_every_lever(const Source& source) {
  const auto& path = source.path;
  const bool policy = source.room() == "qos" && !path.starts_with("qos/model/") &&
                      !path.starts_with("qos/decide/") && path != "qos/registry.cpp";
  return in_rooms(source) && !policy;
}

/// Levers that no other code may know by name: all but the five that bind one another, for which the kernel
/// has rules of their own, and the two that a writer of their own writes.
const std::string kPlainLever =
    R"(\busing\s+enum\s+Knob\b|\bKnob::(?!(cpu_quota|cpu_burst|cpu_shares|cpu_idle|cpuset_cpus|io_cost_qos|)"
    R"(io_cost_model)\b)\w+)";

bool below_agent(const Source& source) { return in_rooms(source) && source.room() != "agent"; }

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {"arrows", "qos <- cgroup <- collectors <- agent, never back", arrows},
      {"folder-arrows", "a folder includes only what the table of arrows gives it", check_folder_arrows},
      {"include-circles", "no file includes itself through others", check_include_circles},
      {"namespaces", "the namespace of a file is that of its folder", check_namespaces},
      {"folder-sizes", "a folder holds at most 30 files of the program, or 40 of the tests",
       check_folder_sizes},
      {"qos-pure", "qos/ includes the standard library only, and nothing of it that asks the machine",
       qos_is_pure},
      {"one-includer", "a third-party library is included by exactly one .cpp", one_includer},
      {"short-files", "a file ends before line 300", short_files},
      {"header-sentence", "a header's first line says what it is for", headers_say_what_for},
      {"small-classes", "a class of agent/ has at most 15 public methods and 12 data members",
       check_class_sizes},
      {"exceptions", "exceptions are thrown and caught only in the source that includes a library",
       exceptions_at_the_includer},
      {"registries", "every policy and every collector stands in its registry", registries_complete},
      {"tests-built", "a test file that no program contains is not a test", every_test_is_built},
      {"private-paths", "no path of a developer machine", no_private_paths},
      {"one-row", "a plain lever is named in its row and in its policy only",
       forbids(kPlainLever, serves_every_lever)},
      {"host-root", "kernel paths are relative to the injected root",
       forbids(R"re("/(proc|sys)(/|"))re", in_rooms)},
      {"one-writer", "cgroup/executor/file_writer.cpp alone opens for writing",
       forbids(R"(\b(O_WRONLY|O_RDWR|O_CREAT|ofstream|fopen|creat)\b)", in_rooms)},
      {"quiet-rooms", "only agent/ prints",
       forbids(R"(\b(cout|cerr|printf|fprintf|puts|fputs)\b)", below_agent)},
      {"one-clock", "agent/runtime/clock.cpp alone asks the time",
       forbids(
           R"(\b(steady_clock|system_clock|high_resolution_clock)::now\b|\b(clock_gettime|gettimeofday|localtime)\b)",
           in_rooms)},
      {"no-sleep", "the event loop alone waits",
       forbids(R"(\b(sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\()", in_rooms)},
  };
  return all;
}

const std::vector<Allowed>& allowed() {
  static const std::vector<Allowed> all = {
      {"one-includer", "cgroup/base/result.h",
       "Result is tl::expected by inheritance: it has to be a header"},
      {"namespaces", "collectors/registry.cpp", "declares the collectors of all folders"},
      {"one-writer", "cgroup/executor/file_writer.cpp", "the only writer"},
      {"one-writer", "cgroup/executor/journal", "the journal, in the state directory"},
      {"one-writer", "agent/record/audit.cpp", "the audit log, in the state directory"},
      {"one-writer", "agent/runtime/state_file.cpp",
       "files in the state directory that are replaced as a whole"},
      {"one-writer", "cgroup/reclaim/pressure_trigger.cpp",
       "a pressure trigger is asked for by writing to an open descriptor; nothing stays"},
      {"one-row", "qos/model/knob_table.cpp", "it makes the rows"},
      {"host-root", "cgroup/features", "sentences for people name the files as people know them"},
      {"one-clock", "agent/runtime/clock.cpp", "the clock"},
      {"host-root", "cgroup/network/kernel_network.cpp", "namespaces of this very process"},
      {"host-root", "cgroup/tree/watch.cpp",
       "fanotify names processes and descriptors of the kernel that runs us"},
      {"one-clock", "agent/demo/", "the demo's server and load are workloads that measure real time"},
      {"no-sleep", "agent/demo/", "the demo's load generator waits for the moment of the next request"},
      {"one-writer", "agent/demo/", "the demo makes cgroups of its own and puts its processes into them"},
  };
  return all;
}

std::vector<std::string> violations(const Rule& rule, const std::vector<Source>& project) {
  auto found = rule.check(project);
  std::erase_if(found, [&](const std::string& violation) {
    return std::ranges::any_of(allowed(), [&](const Allowed& each) {
      return each.rule == rule.name && violation.starts_with(each.path);
    });
  });
  return found;
}

}  // namespace evenkeel::house
