#include "tests/house/folders.h"

#include <algorithm>
#include <regex>

namespace evenkeel::house {
namespace {

using Violations = std::vector<std::string>;

const std::regex kInclude(R"(#\s*include\s+"([^"]+)\")");

bool in_program(const std::string& path) {
  return path.starts_with("qos/") || path.starts_with("cgroup/") || path.starts_with("collectors/") ||
         path.starts_with("agent/");
}
bool is_code(const Source& source) { return source.is_header() || source.path.ends_with(".cpp"); }

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Calls f(included path, line number) for each include of a project file.
template <class F>
void for_each_include(const Source& source, F&& f) {
  for (std::sregex_iterator it(source.code.begin(), source.code.end(), kInclude), end; it != end; ++it) {
    const auto line = 1 + std::count(source.code.begin(), source.code.begin() + it->position(), '\n');
    f((*it)[1].str(), line);
  }
}

/// Depth-first search that reports each node that can reach itself.
struct CircleSearch {
  const Arrows& arrows;
  std::set<std::string> done{};
  std::vector<std::string> path{};
  Violations found{};

  void visit(const std::string& node) {
    if (done.contains(node)) return;
    if (const auto again = std::ranges::find(path, node); again != path.end()) {
      std::string text;
      for (auto each = again; each != path.end(); ++each) text += *each + " -> ";
      found.push_back(text + node);
      return;
    }
    path.push_back(node);
    if (const auto next = arrows.find(node); next != arrows.end())
      for (const auto& each : next->second) visit(each);
    path.pop_back();
    done.insert(node);
  }
};

/// The namespace of a folder; empty: its files have no namespace of their own (main.cpp).
std::string namespace_of(const std::string& folder) {
  // The common vocabulary of all folders is in the outermost namespace.
  if (folder == "qos/model" || folder == "cgroup/base") return "evenkeel";
  if (folder == "qos") return "evenkeel::decide";
  if (folder == "collectors/base") return "evenkeel::collectors";
  if (folder.starts_with("agent/kube/")) return "evenkeel::kube";
  if (folder == "agent") return "evenkeel";  // what wires all of them
  return "evenkeel::" + folder.substr(folder.rfind('/') + 1);
}

}  // namespace

const Arrows& arrows_between_folders() {
  static const Arrows all = {
      {"agent", {"agent/api", "agent/record", "agent/tick", "agent/writers"}},
      {"agent/api",
       {"agent/brakes",     "agent/document",   "agent/evictions", "agent/figures",  "agent/http",
        "agent/inputs",     "agent/lender",     "agent/record",    "agent/runtime",  "agent/tick",
        "agent/writers",    "cgroup/base",      "cgroup/features", "cgroup/reclaim", "qos",
        "qos/cpu/suppress", "qos/interference", "qos/io",          "qos/model",      "qos/objectives",
        "qos/proof"}},
      {"agent/brakes",
       {"agent/inputs", "agent/record", "agent/runtime", "collectors", "collectors/base",
        "collectors/per_cgroup", "collectors/pressure", "qos/brake", "qos/model"}},
      {"agent/cli",
       {"agent",
        "agent/api",
        "agent/config",
        "agent/demo",
        "agent/document",
        "agent/http",
        "agent/inputs",
        "agent/kube",
        "agent/kube/client",
        "agent/kube/node",
        "agent/kube/watch",
        "agent/pods",
        "agent/reporting",
        "agent/runtime",
        "agent/top",
        "agent/writers",
        "cgroup/executor",
        "cgroup/features",
        "qos",
        "qos/lending",
        "qos/model"}},
      {"agent/config", {"agent/document", "cgroup/base", "qos/eviction", "qos/io", "qos/model"}},
      {"agent/demo",
       {"agent/document", "agent/runtime", "cgroup/base", "cgroup/sched", "cgroup/tree", "qos/model"}},
      {"agent/document", {"qos/model"}},
      {"agent/evictions",
       {"agent/inputs", "agent/record", "agent/runtime", "cgroup/base", "cgroup/tree", "qos/eviction",
        "qos/model"}},
      {"agent/figures", {"agent/http", "agent/runtime", "cgroup/base", "qos/model"}},
      {"agent/history",
       {"agent/runtime", "cgroup/base", "qos/detector", "qos/interference", "qos/lending", "qos/model",
        "qos/proof"}},
      {"agent/http", {"agent/runtime", "cgroup/base", "qos/model"}},
      {"agent/inputs", {"agent/config", "agent/pods", "agent/runtime", "qos/model", "qos/trust"}},
      {"agent/kube",
       {"agent/document", "agent/http", "agent/inputs", "agent/kube/client", "agent/kube/watch", "agent/pods",
        "agent/record", "agent/runtime", "qos/eviction", "qos/model"}},
      {"agent/kube/client", {"agent/document", "agent/http", "agent/record", "agent/runtime", "qos/model"}},
      {"agent/kube/node",
       {"agent/document", "agent/kube/client", "agent/pods", "agent/record", "agent/runtime", "qos/lending"}},
      {"agent/kube/watch", {"agent/document", "agent/kube/client", "agent/pods", "agent/runtime"}},
      {"agent/lender",
       {"agent/config", "agent/document", "agent/history", "agent/inputs", "agent/runtime", "qos/lending",
        "qos/model"}},
      {"agent/pods", {"agent/config", "agent/document", "qos/model"}},
      {"agent/record",
       {"agent/inputs", "agent/runtime", "cgroup/base", "cgroup/executor", "cgroup/tree", "qos/contention",
        "qos/decide", "qos/interference", "qos/model", "qos/objectives", "qos/proof"}},
      {"agent/reporting",
       {"agent/document", "agent/history", "agent/kube", "agent/kube/node", "agent/lender", "agent/pods",
        "agent/record", "agent/runtime", "cgroup/base", "cgroup/tree", "collectors/node", "qos/contention",
        "qos/lending", "qos/model"}},
      {"agent/runtime", {"cgroup/base", "qos/model"}},
      {"agent/tick",
       {"agent/brakes", "agent/evictions", "agent/figures", "agent/history", "agent/inputs", "agent/lender",
        "agent/record", "agent/writers", "cgroup/executor", "cgroup/reclaim", "cgroup/tree", "collectors",
        "collectors/per_cgroup", "qos", "qos/decide", "qos/eviction", "qos/io", "qos/memory", "qos/model"}},
      {"agent/top", {"agent/document", "agent/figures", "agent/runtime", "cgroup/base", "qos/model"}},
      {"agent/writers",
       {"agent/record", "agent/runtime", "cgroup/base", "cgroup/executor", "cgroup/iocost", "cgroup/network",
        "cgroup/resctrl", "cgroup/sched"}},
      {"cgroup/base", {"qos/decide", "qos/model"}},
      {"cgroup/executor", {"cgroup/base", "cgroup/kernel", "cgroup/tree", "qos/decide", "qos/model"}},
      {"cgroup/features",
       {"cgroup/base", "cgroup/executor", "cgroup/network", "cgroup/reclaim", "cgroup/resctrl",
        "cgroup/sched", "cgroup/tree"}},
      {"cgroup/iocost", {"cgroup/base", "cgroup/executor", "cgroup/kernel", "cgroup/tree", "qos/decide"}},
      {"cgroup/kernel", {"cgroup/base", "cgroup/tree", "qos/model"}},
      {"cgroup/network", {"cgroup/base", "cgroup/executor", "cgroup/tree", "qos/decide", "qos/model"}},
      {"cgroup/reclaim", {"cgroup/base", "cgroup/executor", "cgroup/tree", "qos/model"}},
      {"cgroup/resctrl", {"cgroup/base", "cgroup/executor", "cgroup/tree", "qos/decide", "qos/model"}},
      {"cgroup/sched", {"cgroup/base", "cgroup/executor", "cgroup/tree", "qos/decide"}},
      {"cgroup/tree", {"cgroup/base", "qos/model"}},
      {"collectors",
       {"cgroup/tree", "collectors/base", "collectors/devices", "collectors/per_cgroup", "qos/model"}},
      {"collectors/base", {"cgroup/base", "cgroup/tree", "qos/model"}},
      {"collectors/bpf", {"cgroup/base", "qos/model"}},
      {"collectors/counters",
       {"cgroup/base", "cgroup/features", "cgroup/tree", "collectors/base", "collectors/bpf", "qos/model"}},
      {"collectors/devices",
       {"cgroup/base", "cgroup/kernel", "cgroup/resctrl", "cgroup/tree", "collectors/base", "qos/io",
        "qos/model"}},
      {"collectors/node", {"cgroup/base", "cgroup/kernel", "cgroup/sched", "collectors/base", "qos/model"}},
      {"collectors/per_cgroup",
       {"cgroup/base", "cgroup/kernel", "cgroup/tree", "collectors/base", "collectors/node", "qos/io",
        "qos/model"}},
      {"collectors/pressure",
       {"cgroup/base", "cgroup/reclaim", "cgroup/tree", "collectors/base", "collectors/per_cgroup",
        "qos/model"}},
      {"collectors/run_queue",
       {"cgroup/base", "cgroup/features", "cgroup/tree", "collectors/base", "collectors/bpf",
        "collectors/pressure", "qos/model"}},
      {"qos",
       {"qos/brake", "qos/cache", "qos/contention", "qos/cpu/burst", "qos/cpu/identity", "qos/cpu/pinning",
        "qos/cpu/suppress", "qos/eviction", "qos/interference", "qos/io", "qos/lending", "qos/memory",
        "qos/objectives", "qos/proof"}},
      {"qos/brake", {"qos/decide", "qos/memory", "qos/model"}},
      {"qos/cache", {"qos/decide", "qos/model"}},
      {"qos/contention", {"qos/decide", "qos/memory", "qos/model"}},
      {"qos/cpu/burst", {"qos/decide", "qos/model"}},
      {"qos/cpu/identity", {"qos/decide", "qos/model"}},
      {"qos/cpu/pinning", {"qos/decide", "qos/model"}},
      {"qos/cpu/suppress", {"qos/cpu/pinning", "qos/decide", "qos/model"}},
      {"qos/decide", {"qos/model"}},
      {"qos/detector", {"qos/model"}},
      {"qos/eviction", {"qos/decide", "qos/model"}},
      {"qos/interference", {"qos/decide", "qos/detector", "qos/memory", "qos/model"}},
      {"qos/io", {"qos/decide", "qos/model"}},
      {"qos/lending", {"qos/cpu/burst", "qos/decide", "qos/memory", "qos/model"}},
      {"qos/memory", {"qos/decide", "qos/model"}},
      {"qos/objectives", {"qos/decide", "qos/model"}},
      {"qos/proof", {"qos/decide", "qos/detector", "qos/model"}},
      {"qos/trust", {"qos/cpu/burst", "qos/model"}},
      {"qos/model", {}},
  };
  return all;
}

Violations circles(const Arrows& arrows) {
  CircleSearch search{arrows};
  for (const auto& [node, next] : arrows) search.visit(node);
  return search.found;
}

Violations check_folder_arrows(const std::vector<Source>& project) {
  const auto& may = arrows_between_folders();
  auto found = circles(may);
  for (const auto& source : project) {
    if (!in_program(source.path) || !is_code(source)) continue;
    const auto folder = folder_of(source.path);
    const auto row = may.find(folder);
    if (row == may.end()) {
      found.push_back(source.path + ":1: the folder is not in the table of arrows");
      continue;
    }
    for_each_include(source, [&](const std::string& target, auto line) {
      const auto other = folder_of(target);
      if (other != folder && in_program(target) && !row->second.contains(other))
        found.push_back(source.path + ':' + std::to_string(line) + ": includes " + target);
    });
  }
  return found;
}

Violations check_include_circles(const std::vector<Source>& project) {
  Arrows files;
  for (const auto& source : project) {
    if (!is_code(source)) continue;
    auto& next = files[source.path];
    for_each_include(source, [&](const std::string& target, auto) { next.insert(target); });
  }
  return circles(files);
}

Violations check_namespaces(const std::vector<Source>& project) {
  static const std::regex opened(R"((^|\n)\s*namespace (evenkeel[\w:]*) \{)");
  Violations found;
  for (const auto& source : project) {
    if (!in_program(source.path) || !is_code(source)) continue;
    const auto wanted = namespace_of(folder_of(source.path));
    for (std::sregex_iterator it(source.code.begin(), source.code.end(), opened), end; it != end; ++it)
      if ((*it)[2] != wanted)
        found.push_back(source.path + ": is in namespace " + (*it)[2].str() + " instead of " + wanted);
  }
  return found;
}

Violations check_folder_sizes(const std::vector<Source>& project) {
  std::map<std::string, int> files;
  for (const auto& source : project) {
    const bool counted = is_code(source) || source.path.ends_with(".c");
    if (counted && source.path.find('/') != std::string::npos) ++files[folder_of(source.path)];
  }
  Violations found;
  for (const auto& [folder, count] : files) {
    const int most = folder.starts_with("tests/") ? 40 : 30;
    if (count > most) found.push_back(folder + "/: " + std::to_string(count) + " files");
  }
  return found;
}

}  // namespace evenkeel::house
