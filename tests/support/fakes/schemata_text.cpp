#include "tests/support/fakes/schemata_text.h"

#include <cinttypes>
#include <cstdio>

namespace evenkeel::test {

std::string schemata_text(const resctrl::Schemata& schemata) {
  std::string out;
  for (const auto& line : schemata) {
    char before = ':';
    out += line.resource;
    for (const auto& domain : line.domains) {
      char value[24];
      std::snprintf(value, sizeof value, resctrl::is_mask(line.resource) ? "%" PRIx64 : "%" PRIu64,
                    domain.value);
      out += before + std::to_string(domain.id) + '=' + value;
      before = ';';
    }
    out += '\n';
  }
  return out;
}

}  // namespace evenkeel::test
