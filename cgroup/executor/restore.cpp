// Restores what a journal holds, without a running agent and without the tree: entries are tried until none
// is left or the kernel refuses all of the rest. These passes contain every order that works, because the
// agent only leaves states from which each original can be reached by writing originals alone (and unions of
// CPU sets).
#include <algorithm>

#include "cgroup/base/text.h"
#include "cgroup/executor/impl.h"
#include "cgroup/executor/inherited.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::executor {

namespace {

/// cpu.idle is restored before shares: the kernel refuses shares of an idle group, and resets them when it
/// leaves idle.
int rank(Knob knob) { return knob == Knob::cpu_idle ? 0 : knob == Knob::cpu_shares ? 1 : 2; }

class Undo {
 public:
  Undo(KernelFiles& files, Journal& journal)
      : files_(files), journal_(journal), copies_(record_copies(files, journal)), left_(journal.entries()) {
    std::ranges::stable_sort(left_, [](const JournalEntry& a, const JournalEntry& b) {
      return std::pair(rank(a.knob), a.dir.size()) < std::pair(rank(b.knob), b.dir.size());
    });
  }

  Report run() {
    while (pass() || widen()) {
    }
    for (const auto& entry : left_) settle_for_widest(entry);
    if (copies_.unread) report_.refusals.push_back(*copies_.unread);
    return std::move(report_);
  }

 private:
  void done(const JournalEntry& entry) { static_cast<void>(journal_.done(entry.path(), entry.inode)); }

  void leave(const JournalEntry& entry, const std::string& theirs) {
    report_.foreign.push_back({.path = file_of(entry).shown_path(),
                               .ours = entry.ours.empty() ? "" : entry.ours.back(),
                               .theirs = theirs,
                               .yielded = true});
    done(entry);
  }

  /// A text that the agent wrote or was about to write. An empty text counts, too: apart from a CPU
  /// set of v2, a kernel file is never empty by itself, but a plain one (on a fake root) is after a crash
  /// between opening and writing.
  bool is_ours(const JournalEntry& entry, std::string_view text) const {
    const bool may_be_cut = entry.knob == Knob::cpuset_cpus && v1_cpus(files_, entry.dir);
    if (text.empty() && (entry.knob != Knob::cpuset_cpus || may_be_cut)) return true;
    const auto above = may_be_cut ? v1_cpus_above(files_, entry.dir) : std::nullopt;
    return std::ranges::any_of(entry.ours, [&](const auto& ours) {
      return kernel::same_text(entry.knob, ours, text) || is_cut(ours, text, above);
    });
  }

  /// On record as its owner's, and never written: see inherited.cpp.
  static bool is_own_set(const JournalEntry& entry) {
    return std::ranges::all_of(
        entry.ours, [&](const auto& ours) { return kernel::same_text(entry.knob, ours, entry.original); });
  }

  /// Whether the entry is settled: restored, or not to be restored.
  bool settle(const JournalEntry& entry) {
    const auto file = file_of(entry);
    // The node's own directories are never recreated, and have no inode on record.
    if (entry.inode != 0) {
      const auto life = files_.inode(entry.dir);
      if (is_gone(life, entry.inode)) return done(entry), true;
      if (!life) return refusal_ = life.error(), false;
    }
    const auto now = files_.read(file);
    if (!now) return is_settled_unread(entry, now.error());
    const std::string text(trimmed(*now));
    if (kernel::same_text(entry.knob, text, entry.original)) return done(entry), true;
    if (is_own_set(entry)) return done(entry), true;
    if (!is_ours(entry, text)) return leave(entry, text), true;
    return put_back(entry, text, entry.original);
  }

  bool put_back(const JournalEntry& entry, const std::string& before, const std::string& text) {
    const auto written = files_.write(file_of(entry), text.empty() ? "\n" : text);
    if (!written) return refusal_ = written.error(), false;
    report_.writes.push_back(
        {.path = file_of(entry).shown_path(),
         .old_text = before,
         .new_text = text,
         .knob = entry.knob,
         .by = decide::kNoPolicy,
         .restored = true,
         .why = copies_.files.contains(entry.path())
                    ? because("the value was copied from the directory above: it gets the original of that")
                    : because("the original, kept in the journal")});
    done(entry);
    return true;
  }

  /// A file is absent where its directory or its controller is gone. An open one that is gone gives ENODEV:
  /// what then is there by its name has to be looked at again.
  bool is_settled_unread(const JournalEntry& entry, const Error& error) {
    const auto life = files_.inode(entry.dir);
    const bool is_there = life ? entry.inode == 0 || *life == entry.inode : !vanished(life.error());
    if (error.code == ENOENT || (error.code == ENODEV && !is_there)) return done(entry), true;
    return refusal_ = error, false;
  }

  /// Tries all remaining entries once; returns whether fewer are left.
  bool pass() {
    const auto before = left_.size();
    std::erase_if(left_, [this](const JournalEntry& entry) { return settle(entry); });
    return !left_.empty() && left_.size() < before;
  }

  /// v1 refuses a set that a child exceeds, and one that exceeds the parent: the union of old and new is
  /// legal.
  bool widen() {
    if (widened_) return false;
    widened_ = true;
    bool any = false;
    for (const auto& entry : left_) {
      if (entry.knob != Knob::cpuset_cpus) continue;
      const auto now = files_.read(file_of(entry));
      const auto has = now ? CpuSet::parse(*now) : std::nullopt, wants = CpuSet::parse(entry.original);
      if (!has || !wants || !is_ours(entry, *now)) continue;
      const std::string both = (*has | *wants).text();
      any = (journal_.record_write(entry, both) && files_.write(file_of(entry), both)) || any;
    }
    if (any) left_ = journal_.entries();
    return any;
  }

  /// v1 refuses CPUs that the directory above has lost because they went offline: the original would have
  /// lost them, too. One above that is still on record is to get its own original first.
  bool settle_for_parents(const JournalEntry& entry) {
    if (entry.knob != Knob::cpuset_cpus || !v1_cpus(files_, entry.dir)) return false;
    const KnobFile file = file_of(entry);
    const KnobFile above{.dir = dir_above(entry.dir), .name = file.name};
    const auto life = files_.inode(above.dir);
    if (!life || journal_.find(above.path(), *life)) return false;
    const auto now = files_.read(file);
    const auto wants = CpuSet::parse(entry.original), may = v1_cpus_above(files_, entry.dir);
    if (!now || !wants || !may || wants->subset_of(*may) || (*wants & *may).empty()) return false;
    return is_ours(entry, trimmed(*now)) &&
           put_back(entry, std::string(trimmed(*now)), (*wants & *may).text());
  }

  /// v2 refuses the empty set ("as the parent") in a group with processes: all CPUs of the parent come
  /// closest. The entry stays on record, and the refusal is reported.
  void settle_for_widest(const JournalEntry& entry) {
    // One above may have been settled just now.
    if (settle(entry) || settle_for_parents(entry)) return;
    report_.refusals.push_back(
        {.path = file_of(entry).shown_path(), .error = refusal_, .text = entry.original});
    if (entry.knob != Knob::cpuset_cpus || !entry.original.empty()) return;
    const auto above = files_.read({.dir = dir_above(entry.dir), .name = "cpuset.cpus.effective"});
    if (!above || trimmed(*above).empty()) return;
    const std::string widest(trimmed(*above));
    if (journal_.record_write(entry, widest)) static_cast<void>(files_.write(file_of(entry), widest));
  }

  KernelFiles& files_;
  Journal& journal_;
  Copies copies_;  ///< of sets of the agent's
  std::vector<JournalEntry> left_;
  Report report_{};
  Error refusal_{};
  bool widened_ = false;
};

}  // namespace

Report restore_from_journal(KernelFiles& files, Journal& journal) { return Undo(files, journal).run(); }

}  // namespace evenkeel::executor
