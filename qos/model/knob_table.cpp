// The rows of the program. Defines knob_table() and nothing else, so that tests/lever can link a table with
// one more row in its place.
#include "qos/model/knob_values.h"

namespace evenkeel {
namespace {

constexpr KnobRow kTable[] = {
#define EVENKEEL_KNOB(id, ...) KnobRow{.knob = Knob::id, __VA_ARGS__},
#include "qos/model/knob_rows.inc"
#undef EVENKEEL_KNOB
};

}  // namespace

std::span<const KnobRow> knob_table() { return kTable; }

}  // namespace evenkeel
