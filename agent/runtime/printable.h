// Text for people: what tenants and servers have written must not steer the terminal that shows it, nor look
// like a line of its own.
#pragma once

#include <string>
#include <string_view>

namespace evenkeel::runtime {

/// One line: control characters and bytes that are no UTF-8 are written as the log writes them (`json.h`), a
/// line end as \n. Quotes and backslashes stay as they are. A printable text is left unchanged.
std::string printable(std::string_view text);

}  // namespace evenkeel::runtime
