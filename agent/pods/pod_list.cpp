#include "agent/pods/pod_list.h"

#include <unordered_set>

#include "agent/pods/kube_text.h"
#include "agent/pods/pod_read.h"

namespace evenkeel {
namespace {

/// Not empty: why the document is no list of pods.
std::string refuse_root(const Value& root) {
  if (root.map() == nullptr)
    return root.null() ? "found nothing; legal: a v1 PodList" : "legal: a v1 PodList";
  const auto kind = text_at(root, {"kind"});
  const bool list = kind.empty() || kind == "PodList" || kind == "List";
  if (!list) return "found kind '" + kind.substr(0, 40) + "'; legal: PodList";
  if (kind.empty() && root.find("items") == nullptr)
    return "found neither kind nor items; legal: a v1 PodList";
  if (!list_at(root, {"items"})) return "items: found something else than a list";
  return {};
}

}  // namespace

PodList parse_pod_list(std::string_view text, const std::string& file) {
  PodList out;
  const auto parsed = parse_document(text, file);
  out.problems = parsed.problems;
  if (!out.problems.empty()) return out;
  if (auto why = refuse_root(parsed.root); !why.empty()) {
    out.problems.push_back({file, parsed.root.place, {}, std::move(why)});
    return out;
  }
  std::unordered_set<std::string> uids;
  const auto items = list_at(parsed.root, {"items"}).value_or(std::span<const Value>());
  for (const auto& item : items) {
    auto pod = read_pod(item, out.notices);
    if (!pod) continue;
    if (!uids.insert(pod->uid).second) {
      out.notices.push_back("pod " + pod_title(*pod) + " is left out: its uid " + pod->uid +
                            " stands there twice");
      continue;
    }
    out.pods.push_back(std::move(*pod));
  }
  return out;
}

}  // namespace evenkeel
