// CPU sets that pods and containers copied from a directory that the agent holds narrow (cgroup v1).
//
// There the kubelet and the container runtimes copy the parent's CPU set into a new directory, and nothing
// widens it later: a pod that is born while the agent holds the parent narrow would stay narrow for life.
// What was copied was the agent's, so the original of the copy is what the directory above had before the
// agent.
//
// A copy is told from a set that an owner chose by this evidence:
//   - its text is that of the nearest directory above that the agent holds, which is the agent's there;
//   - it was born after the agent had narrowed that directory. A running agent knows that by the order in
//     which it found the cgroups. After a crash it is known by the journal: every pod and container that had
//     that same set before is on record with it as its own (record_own_sets), and so are all copies that the
//     agent had found.
// What differs from the text above, however little, was chosen, and stays. A set that an owner chose after
// the narrowing and that is equal to the agent's cannot be told from a copy, and is widened.
#include "cgroup/executor/inherited.h"

#include <algorithm>

#include "cgroup/base/text.h"
#include "cgroup/executor/impl.h"
#include "cgroup/kernel/knob_files.h"
#include "cgroup/tree/layout.h"

namespace evenkeel::executor {
namespace {

constexpr Knob kKnob = Knob::cpuset_cpus;

}  // namespace

/// The nearest ancestor whose CPU set the agent holds.
const HeldValue* Executor::Impl::limiting_ancestor(int group) {
  const HeldValue* row = nullptr;
  const int above = state.now().nearest(state.now().group(group).parent, [&](int up) {
    row = held.find(state.id(up), Knob::cpuset_cpus);
    return row != nullptr;
  });
  return above >= 0 && row->contest.ours() ? row : nullptr;
}

/// Applies whatever the plan says: a container created just when narrowing ends must be widened as well.
void Executor::Impl::adopt_inherited() {
  if (tree.layout().v2(Controller::cpuset) || options.dry_run) return;
  CgroupId oldest{UINT32_MAX};  // of those that may have been created below a set of the agent's
  for (const auto& row : held.rows())
    if (row.knob == Knob::cpuset_cpus) oldest = std::min(oldest, row.first_later_cgroup);
  for (int group = 0; group < state.size(); ++group) {
    const auto cgroup = state.id(group);
    if (cgroup < oldest || cgroup == kNodeItself || held.find(cgroup, Knob::cpuset_cpus)) continue;
    const HeldValue* above = limiting_ancestor(group);
    const bool copied = above && cgroup >= above->first_later_cgroup &&
                        !is_locked(group, Knob::cpuset_cpus) && state.known(group, Knob::cpuset_cpus) &&
                        state.now().value(group, Knob::cpuset_cpus) == above->ours_value;
    if (copied) adopt(group, *above);
  }
}

void Executor::Impl::adopt(int group, const HeldValue& above) {
  const auto now = state.read(group, kKnob);
  if (!now || !kernel::same_text(kKnob, *now, above.ours)) return;
  HeldValue row = above;  // the original, the agent's texts and their values are the same
  row.cgroup = state.id(group);
  row.file = state.file(group, kKnob);
  const auto life = files.inode(row.file.dir);
  if (!life) return;  // the next tick tries it again
  row.file.inode = *life;
  row.since = at;
  if (const decide::Intent* intent = intent_of(row.cgroup, kKnob)) {
    row.by = intent->by;
    row.why = intent->why;
  }
  if (journal.record_write(entry_of(row.file, kKnob, row.original), row.ours))
    held.at(row.cgroup, kKnob) = std::move(row);
}

/// Before `text` is written to a directory: those below that hold the same set, by themselves, go on record
/// with it as their original. Otherwise a restore after a crash would take them for copies.
Result<> Executor::Impl::record_own_sets(int group, const std::string& text) {
  if (tree.layout().v2(Controller::cpuset)) return {};
  for (int below = group + 1; below < state.size(); ++below) {
    const auto cgroup = state.id(below);
    const bool known =
        held.find(cgroup, kKnob) || std::ranges::find(own_sets, cgroup, &OwnSet::cgroup) != own_sets.end();
    if (known || !state.now().is_within(below, group)) continue;
    const auto now = state.read(below, kKnob);
    if (!now || !kernel::same_text(kKnob, *now, text)) continue;
    auto file = state.file(below, kKnob);
    const auto life = files.inode(file.dir);
    if (!life && vanished(life.error())) continue;
    if (!life) return tl::unexpected(life.error());
    file.inode = *life;
    if (const auto noted = journal.record_write(entry_of(file, kKnob, *now), *now); !noted) return noted;
    own_sets.push_back({cgroup, file, text});
  }
  return {};
}

/// Those that matter: a directory above holds the same set, by the agent.
bool Executor::Impl::is_like_above(const OwnSet& own) {
  for (const auto* cgroup = tree.find(own.cgroup); cgroup != nullptr; cgroup = tree.find(cgroup->parent)) {
    const HeldValue* above = held.find(cgroup->parent, kKnob);
    if (above && kernel::same_text(kKnob, above->ours, own.text)) return true;
  }
  return false;
}

void Executor::Impl::forget_own_sets() {
  std::erase_if(own_sets, [this](const OwnSet& own) {
    const bool is_held = held.find(own.cgroup, kKnob) != nullptr;
    if (!is_held && is_like_above(own)) return false;
    if (!is_held) static_cast<void>(journal.done(own.file.path(), own.file.inode));
    return true;
  });
}

namespace {

/// The search of a restore, without a tree: which directories are pods and containers is in their names.
class CopySearch {
 public:
  CopySearch(KernelFiles& files, Journal& journal) : files_(files), journal_(journal) {}

  Copies record() {
    for (const auto& entry : journal_.entries()) {
      if (entry.knob != kKnob || entry.inode == 0 || !is_v1(entry.dir)) continue;
      if (is_gone(files_.inode(entry.dir), entry.inode)) continue;
      const auto now = text_of(entry.dir);
      const bool narrow =
          !now.empty() && !kernel::same_text(kKnob, now, entry.original) &&
          std::ranges::any_of(entry.ours, [&](const auto& ours) {
            return kernel::same_text(kKnob, now, ours) || is_cut(ours, now, v1_cpus_above(files_, entry.dir));
          });
      if (narrow) record_below(entry.dir, now, entry.original);
    }
    return std::move(found_);
  }

 private:
  KnobFile file_of(const std::string& dir) { return {.dir = dir, .name = row(kKnob).v1_file}; }
  std::string text_of(const std::string& dir) {
    const auto text = files_.read(file_of(dir));
    if (!text) note_unread(dir, text.error());
    return text ? std::string(trimmed(*text)) : std::string();
  }
  bool is_v1(const std::string& dir) {
    const auto text = v1_cpus(files_, dir);
    if (!text) note_unread(dir, text.error());
    return text.has_value();
  }

  void note_unread(const std::string& dir, const Error& error) {
    if (!vanished(error)) found_.unread = Refused{.path = dir, .error = error, .text = "look for copies"};
  }

  void record_below(const std::string& dir, const std::string& text, const std::string& original) {
    const bool in_pod = tree::parse_pod_dir(dir.substr(dir.rfind('/') + 1)).has_value();
    std::string names;
    if (const auto listed = files_.append_subdirs(dir, names); !listed)
      return note_unread(dir, listed.error());
    for (std::size_t at = 0; at < names.size();) {
      const std::string name(names.data() + at);
      at += name.size() + 1;
      const bool pod = tree::parse_pod_dir(name).has_value();
      if (in_pod ? !tree::parse_container_dir(name) : !pod) continue;
      auto file = file_of(dir + '/' + name);
      const auto life = files_.inode(file.dir);
      if (!life) {
        note_unread(file.dir, life.error());
        continue;
      }
      file.inode = *life;
      const bool copied =
          !journal_.find(file.path(), file.inode) && kernel::same_text(kKnob, text_of(file.dir), text);
      if (!copied || !journal_.record_write(entry_of(file, kKnob, original), text)) continue;
      found_.files.insert(file.path());
      if (pod) record_below(file.dir, text, original);
    }
  }

  KernelFiles& files_;
  Journal& journal_;
  Copies found_{};
};

}  // namespace

Result<std::string> v1_cpus(KernelFiles& files, const std::string& dir) {
  return files.read({.dir = dir, .name = "cpuset.effective_cpus"});
}

std::optional<CpuSet> v1_cpus_above(KernelFiles& files, const std::string& dir) {
  const auto text = files.read({.dir = dir_above(dir), .name = row(kKnob).v1_file});
  return text ? CpuSet::parse(trimmed(*text)) : std::nullopt;
}

Copies record_copies(KernelFiles& files, Journal& journal) { return CopySearch(files, journal).record(); }

}  // namespace evenkeel::executor
