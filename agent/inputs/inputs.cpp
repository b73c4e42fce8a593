#include "agent/inputs/inputs.h"

#include <utility>

namespace evenkeel::inputs {
namespace {

std::vector<std::string> texts(const std::vector<document::Problem>& problems) {
  std::vector<std::string> out;
  out.reserve(problems.size());
  for (const auto& problem : problems) out.push_back(problem.text());
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines) out += (out.empty() ? "" : "; ") + line;
  return out;
}

std::string unreadable(const std::string& path) { return path + ": cannot be read, or has more than 16 MiB"; }

}  // namespace

ParsedPodsSource parse_pods_source(const std::string& text) {
  using Kind = PodsSource::Kind;
  if (text == "none") return {{Kind::none, {}}, {}};
  if (text == "cgroup") return {{Kind::cgroup, {}}, {}};
  if (text == "kubelet") return {{Kind::kubelet, {}}, {}};
  if (text == "api") return {{Kind::api, {}}, {}};
  if (text == "auto") return {{Kind::automatic, {}}, {}};
  if (text.starts_with("file:") && text.size() > 5) return {{Kind::file, text.substr(5)}, {}};
  return {{}, "--pods: found '" + text + "'; legal: auto, kubelet, api, file:PATH, cgroup, none"};
}

Inputs::Inputs(Options options) : options_(std::move(options)) {
  const auto place = [this](Which which, const char* name, const std::string& path, bool delivered) {
    sources_[which].state = {.name = name, .path = path, .delivered = delivered};
    if (!path.empty() && !delivered) sources_[which].watch.emplace(path);
  };
  const bool object = !options_.nodeslo_object.empty();
  place(kNodeSlo, "nodeslo", object ? options_.nodeslo_object : options_.nodeslo, object);
  place(kPods, "pods", options_.pods.path, options_.pods.delivered());
  place(kNode, "node", options_.node_url.empty() ? options_.node : options_.node_url,
        !options_.node_url.empty());
  cpu_manager_text_ = runtime::WatchedTextFile(options_.cpu_manager_state);
  // The cgroup source needs no list: an empty one means that pods are known only by their directories.
  if (options_.pods.kind == PodsSource::Kind::cgroup) {
    pods_.listed = std::make_shared<const std::vector<Pod>>();
    pods_.trusted = pods_.listed;
  }
}

/// The text to accept now: absent when unchanged. Stepped mode compares whole texts, since a test may write a
/// file twice within one tick of the file system's clock.
std::optional<Inputs::Text> Inputs::is_fresh(Which which, MonoTime now) {
  Source& source = sources_[which];
  if (!source.watch) return std::nullopt;
  const bool first = !std::exchange(source.read_once, true);
  if (!options_.by_text && !source.watch->changed(now) && !first) return std::nullopt;
  Text text{runtime::read_text_file(source.state.path, document::kLongestText)};
  if (!options_.by_text) return text;
  if (!first && source.last.content == text.content) return std::nullopt;
  source.last = text;
  return text;
}

void Inputs::failed(Which which, std::string error, Changed& changed) {
  auto& state = sources_[which].state;
  state.usable = false;
  state.error = error;
  ++state.failures;
  changed.problems.push_back(std::move(error));
}

void Inputs::accepted(Which which, MonoTime now, std::vector<std::string> notices, Changed& changed) {
  auto& state = sources_[which].state;
  if (!state.usable && state.failures > 0) changed.recovered.push_back(state.name);
  state.usable = true;
  state.error.clear();
  state.fallback.clear();
  state.notices = std::move(notices);
  state.loaded = now;
}

void Inputs::accept_nodeslo(const Text& given, MonoTime now, Changed& changed) {
  const auto& text = given.content;
  strategies_.newer = {};
  if (!text && options_.nodeslo_optional && !sources_[kNodeSlo].state.loaded) {
    return accepted(kNodeSlo, now,
                    {options_.nodeslo + " does not exist: the defaults apply until it appears"}, changed);
  }
  if (!text) return failed(kNodeSlo, unreadable(options_.nodeslo), changed);
  try_text(*text, now, changed);
}

void Inputs::accept(config::NodeSloConfig config, MonoTime now, Changed& changed) {
  auto& source = sources_[kNodeSlo];
  source.refusal = joined(texts(config.problems));
  if (!config.problems.empty()) {
    source.state.usable = false;
    ++source.state.failures;
    source.state.error = source.refusal;
    for (auto& problem : texts(config.problems)) changed.problems.push_back(std::move(problem));
    return;
  }
  put_in_force(std::move(config.slo), changed);
  accepted(kNodeSlo, now, std::move(config.notices), changed);
}

void Inputs::put_in_force(NodeSlo slo, Changed& changed) {
  if (slo.fingerprint != slo_->fingerprint)
    changed.configuration = {sources_[kNodeSlo].state.path, slo.fingerprint};
  slo_ = std::make_shared<const NodeSlo>(std::move(slo));
  changed.nodeslo = true;
}

void Inputs::accept_pods(const Text& given, MonoTime now, Changed& changed) {
  const auto& text = given.content;
  if (!text) return failed(kPods, unreadable(options_.pods.path), changed);
  auto list = pods::parse_pod_list(*text, options_.pods.path);
  if (!list.problems.empty()) return failed(kPods, joined(texts(list.problems)), changed);
  pods_.listed = std::make_shared<const std::vector<Pod>>(std::move(list.pods));
  accepted(kPods, now, std::move(list.notices), changed);
  changed.pods = true;
}

void Inputs::accept_node(const Text& given, MonoTime now, Changed& changed) {
  const auto& text = given.content;
  if (!text) return failed(kNode, unreadable(options_.node), changed);
  auto parsed = pods::parse_node(*text, options_.node);
  if (!parsed.problems.empty()) return failed(kNode, joined(texts(parsed.problems)), changed);
  node_ = std::move(parsed.node);
  accepted(kNode, now, std::move(parsed.notices), changed);
  changed.node = true;
}

Inputs::Changed Inputs::refresh(MonoTime now, std::string_view no_cpu_ratio) {
  abandon_source(now);
  Changed changed = std::exchange(delivered_, {});
  if (const auto text = is_fresh(kNode, now)) accept_node(*text, now, changed);
  if (const auto text = is_fresh(kNodeSlo, now)) accept_nodeslo(*text, now, changed);
  if (const auto text = is_fresh(kPods, now)) accept_pods(*text, now, changed);
  resolve_again(now, changed);
  accept_cpu_manager(changed);
  if (changed.pods || changed.nodeslo) apply_trust(now, changed);
  if (no_cpu_ratio != no_cpu_ratio_) {
    no_cpu_ratio_ = no_cpu_ratio;
    changed.no_cpu_ratio = no_cpu_ratio_;
  }
  return changed;
}

/// A missing or unreadable file is not reported: most kubelets pin nothing.
void Inputs::accept_cpu_manager(Changed& changed) {
  if (options_.cpu_manager_state.empty() || !cpu_manager_text_.refresh(options_.by_text)) return;
  auto state = pods::parse_cpu_manager_state(cpu_manager_text_.text(), options_.cpu_manager_state);
  if (!state.problem.empty()) {
    changed.problems.push_back(std::move(state.problem));
    return;
  }
  cpu_manager_ = std::move(state);
  changed.node = true;
}

NodeObject Inputs::node() const {
  NodeObject node = node_;
  if (cpu_manager_.is_static) {
    node.kubelet_static_cpu_manager = true;
    node.kubelet_pinned_cpus = cpu_manager_.pinned;
  }
  return node;
}

std::vector<InputState> Inputs::states() const {
  std::vector<InputState> all;
  for (const auto& source : sources_) all.push_back(source.state);
  auto& notices = all[kPods].notices;
  notices.insert(notices.end(), pods_.refused.begin(), pods_.refused.end());
  if (!no_cpu_ratio_.empty()) all[kNodeSlo].notices.push_back(no_cpu_ratio_);
  return all;
}

std::vector<int> Inputs::descriptors() const {
  std::vector<int> all;
  if (options_.by_text) return all;
  for (const auto& source : sources_)
    if (source.watch && source.watch->fd() >= 0) all.push_back(source.watch->fd());
  return all;
}

}  // namespace evenkeel::inputs
