// A knob as the kernel spells it: which file, which text, and back. May not: open a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cgroup/tree/layout.h"
#include "qos/model/knob.h"
#include "qos/model/snapshot.h"

namespace evenkeel::kernel {

/// The file's name in this layout; empty where the lever does not exist.
std::string_view file_name(Knob knob, const tree::Layout& layout);
/// The value in a file's text; absent when the text is not what the kernel would write.
/// cpu_quota on v2 is the first word of cpu.max.
std::optional<KnobValue> parse_value(Knob knob, std::string_view text, const tree::Layout& layout);
/// The text to write; never empty, because an empty write changes nothing: the empty CPU set is a line end.
/// `current` is the file's present text: cpu.max keeps its period ("150000 100000").
std::string format_value(Knob knob, const KnobValue& value, std::string_view current,
                         const tree::Layout& layout);
/// The value as the kernel will hold it: shares and weights are moved into the range of this layout's file,
/// bytes become whole pages (rounded down).
KnobValue as_kernel_stores(Knob knob, const KnobValue& value, const tree::Layout& layout);
/// Whether the row of the table allows this value: its kind, and its range.
bool legal_value(Knob knob, const KnobValue& value);
/// Whether two texts of the file mean the same ("0,1" and "0-1"; "max 100000" and "max 100000\n").
bool same_text(Knob knob, std::string_view a, std::string_view b);
/// The value in the snapshot's read-back; absent: not there or not readable.
std::optional<KnobValue> applied_value(const Applied& applied, Knob knob);
/// Takes one lever of every disk out of its file's text. `name` is the file's in the knob table.
void parse_disk_values(Knob knob, std::string_view name, std::string_view text, DiskReading& into);

/// The knob whose file (on v1 or v2) has this name in the table.
std::optional<Knob> knob_of_file(std::string_view file);
/// The same for a name on record, with the disk behind it where the lever is of one ("io.max:rbps@8:16").
std::optional<Knob> knob_of_entry(std::string_view entry);

}  // namespace evenkeel::kernel
