// The rules for a value that another process writes, too: whose it is, how long it is left alone, when the
// agent writes it again, and what is counted and reported. Does not read, compare or write values: a writer
// says what it found and does what the answer says.
//
// The life of a contest, for every writer:
//  * A foreign value is reported, left alone for a minute and then written over; at most three times. The
//    next one is yielded: it belongs to the other process.
//  * A reset is no quarrel: when one property of a unit changes, systemd writes all of them again, and so
//    puts back the unit's own value or the kernel's initial one. The agent writes its value again at once.
//    A process that is not known may do so `kMostResets` times a minute; then it is another writer.
//  * After an hour (`kQuietPeriod`) without a foreign write the earlier rounds are forgotten.
//  * A yielded value stays what it is, unless it is the one from before the agent. That one need not be a
//    decision: a container runtime writes all limits of a container again when one of them changes. It is
//    written again after a quiet hour. If it does not stay the agent's for an hour then, the next wait is
//    twice as long, up to a day.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cgroup/tree/watch.h"
#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::executor {

/// A foreign write: another process wrote a value that the agent had written.
struct Foreign {
  std::string path{};
  std::string ours{}, theirs{};
  tree::Writer writer{};
  int round = 0;         ///< how often the agent has written over foreign values of this file
  bool yielded = false;  ///< the value belongs to the other process from now on
  CgroupId cgroup{};     ///< zero: found in the journal, or not of a cgroup
};

/// Counted since the start.
struct ForeignCounts {
  std::uint64_t foreign = 0;  ///< times that a foreign value was found in place of the agent's
  std::uint64_t yielded = 0;  ///< times that one was left to the other process
  std::uint64_t resets = 0;   ///< times that a value was reset as a side effect, which is not foreign
};

enum class Ownership : std::uint8_t {
  ours,       ///< the file holds what the agent wrote
  contested,  ///< another process wrote; the agent waits before it writes again
  yielded,    ///< it belongs to the other process
};

/// What a writer found in the file.
struct Sighting {
  enum class Value : std::uint8_t {
    ours,        ///< what the agent wrote
    before_us,   ///< foreign, and the same that the file held before the agent's first write
    other,       ///< any other foreign value
    reset,       ///< the owner's own or the kernel's initial value, which the owner wrote as a side effect
    as_intended  ///< foreign, and what the agent is about to write: nothing to contest
  };
  Value value = Value::ours;
  bool by_systemd = false;     ///< of a reset: it is known that systemd wrote it
  bool written = false;        ///< another process wrote since the last look, even if it was the same text
  bool owner_is_back = false;  ///< the owner of a pod or container has restored its own value
  bool restoring = false;      ///< no policy asks for the value any more
};

class Contest {
 public:
  static constexpr Duration kPause = std::chrono::seconds(60);
  /// Longer than the period at which controllers check their values (seconds to half an hour), shorter than
  /// that at which packages are upgraded.
  static constexpr Duration kQuietPeriod = std::chrono::hours(1);
  static constexpr Duration kMaxQuietPeriod = std::chrono::hours(24);
  static constexpr int kMaxRounds = 3;
  static constexpr int kMostResets = 30;

  enum class Step : std::uint8_t {
    keep,      ///< the value is the agent's: it may be changed or restored
    report,    ///< a new foreign value: report it, write nothing
    wait,      ///< foreign: write nothing
    put_back,  ///< a reset: the value stays the agent's, write it again now
    write,     ///< foreign, and may be written over now, if the value is still asked for; then call written()
    yield,     ///< report it, and forget the original: the value is not restored
    release,   ///< forget the original without a report: the foreign value is the intended one
  };

  /// What to do about what was found. Counts in `counts`.
  Step look(const Sighting& seen, MonoTime now, ForeignCounts& counts);
  /// The agent has written the value.
  void written(MonoTime now);

  [[nodiscard]] bool ours() const { return ownership_ == Ownership::ours; }
  [[nodiscard]] bool yielded() const { return ownership_ == Ownership::yielded; }
  /// How often the agent has written over foreign values since the last quiet period.
  [[nodiscard]] int rounds() const { return rounds_; }
  /// The report of a step `report` or `yield`; `foreign` says which file, and what was found.
  [[nodiscard]] Foreign describe(Step step, Foreign foreign) const;

 private:
  Step look_at_ours(bool written, MonoTime now);
  Step look_at_yielded(const Sighting& seen, MonoTime now);
  bool is_insistent(const Sighting& seen, MonoTime now);
  Step look_at_reset(const Sighting& seen, ForeignCounts& counts);
  Step yield_to_owner(MonoTime now, ForeignCounts& counts);

  Ownership ownership_ = Ownership::ours;
  bool is_reset_ = false;   ///< and not yet written again
  bool insistent_ = false;  ///< too many resets by an unknown process
  int resets_ = 0;          ///< by unknown processes, since `resets_from_`
  MonoTime resets_from_{};
  int rounds_ = 0;
  MonoTime foreign_since_{};   ///< contested: when it was first seen; yielded: since when it is undisturbed
  MonoTime overwritten_at_{};  ///< when the agent last wrote over a foreign value
  Duration quiet_required_{};  ///< how long a yielded value is to be undisturbed before it is written again
};

// Back-off for a change that the kernel refuses: each pause is twice as long as the last, up to ten minutes.
// A refusal is reported once, and again only after a success or when the reason is another one. Every writer
// uses it. Does not know what was refused.

inline constexpr Duration kMaxRetryDelay = std::chrono::minutes(10);

/// The back-off of one change; a default one stands for "not refused". After a success: `pause = {}`.
struct RetryBackoff {
  MonoTime retry_at{};
  Duration length{};
  int code = 0;        ///< the errno of the last refusal
  std::string said{};  ///< and its message

  [[nodiscard]] bool waits(MonoTime now) const { return now < retry_at; }
  /// Notes a refusal. Returns whether it is to be reported.
  bool refuse(int error, std::string_view words, MonoTime now, Duration first = std::chrono::seconds(1)) {
    length = length == Duration::zero() ? first : std::min(2 * length, kMaxRetryDelay);
    retry_at = now + length;
    const bool is_new = code != error || said != words;
    code = error;
    said = words;
    return is_new;
  }
};

}  // namespace evenkeel::executor
