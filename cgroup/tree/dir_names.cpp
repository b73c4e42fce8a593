// Parses the names of directories below kubepods; declared in layout.h.
#include <algorithm>

#include "cgroup/tree/layout.h"

namespace evenkeel::tree {
namespace {

bool is_id(std::string_view text) {
  const auto legal = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, legal);
}

bool cut_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

bool cut_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::optional<PodDirName> parse_pod_dir(std::string_view name) {
  if (cut_suffix(name, ".slice")) {
    // "kubepods-pod1", "kubepods-burstable-pod1", below other slices "a-b-kubepods-pod1".
    const auto kubepods = name.find("kubepods-");
    if (kubepods == std::string_view::npos || (kubepods > 0 && name[kubepods - 1] != '-'))
      return std::nullopt;
    name.remove_prefix(kubepods + 9);
    if (!cut_prefix(name, "burstable-")) cut_prefix(name, "besteffort-");
  }
  if (!cut_prefix(name, "pod") || !is_id(name)) return std::nullopt;
  PodDirName pod{std::string(name)};
  std::ranges::replace(pod.uid, '_', '-');
  return pod;
}

std::optional<std::string> parse_container_dir(std::string_view name) {
  const bool scope = cut_suffix(name, ".scope");
  bool known = false;
  for (const std::string_view runtime : {"cri-containerd-", "crio-", "docker-", "pouch-"})
    if (!known) known = cut_prefix(name, runtime);
  // CRI-O puts the cgroup of its monitor process beside the container's.
  if (name.starts_with("conmon-") || (scope && !known) || !is_id(name)) return std::nullopt;
  return std::string(name);
}

bool is_of_pods(std::string_view name) {
  // systemd repeats the names of the slices above: "kubepods-system-burstable.slice".
  if (cut_suffix(name, ".slice")) name.remove_prefix(name.rfind('-') + 1);
  return name == "burstable" || name == "besteffort" || (cut_prefix(name, "pod") && is_id(name));
}

std::array<std::string, 2> qos_dir_names(std::string_view dir) {
  dir.remove_prefix(dir.rfind('/') + 1);
  if (!cut_suffix(dir, ".slice")) return {"burstable", "besteffort"};
  const auto prefix = std::string(dir) + '-';
  return {prefix + "burstable.slice", prefix + "besteffort.slice"};
}

bool may_have_subgroup(const Layout& layout, std::string_view container_dir) {
  return layout.v2(Controller::cpu) && container_dir.ends_with(".scope");
}

bool is_systemd_unit(std::string_view dir) {
  return dir.ends_with(".slice") || dir.ends_with(".scope") || dir.ends_with(".service");
}

}  // namespace evenkeel::tree
