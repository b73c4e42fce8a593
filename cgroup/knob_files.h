// A knob as the kernel spells it: which file, which text, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cgroup/layout.h"
#include "qos/knob.h"
#include "qos/snapshot.h"

namespace evenkeel {

/// The file's name in this layout; empty where the lever does not exist.
std::string_view file_name(Knob knob, const Layout& layout);
/// The value in a file's text; absent when the text is not what the kernel would write.
/// cpu_quota on v2 is the first word of cpu.max.
std::optional<KnobValue> parse_value(Knob knob, std::string_view text, const Layout& layout);
/// The text to write. `current` is the file's present text: cpu.max keeps its period ("150000 100000").
std::string format_value(Knob knob, const KnobValue& value, std::string_view current, const Layout& layout);
/// Whether two texts of the file mean the same ("0,1" and "0-1"; "max 100000" and "max 100000\n").
bool same_text(Knob knob, std::string_view a, std::string_view b);
/// The quota as a limit per period from the snapshot's read-back.
std::optional<KnobValue> applied_value(const Applied& applied, Knob knob);

}  // namespace evenkeel
