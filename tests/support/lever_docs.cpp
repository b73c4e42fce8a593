#include "tests/support/lever_docs.h"

namespace evenkeel::test {
namespace {

std::string line_of(std::initializer_list<std::string> cells) {
  std::string out = "|";
  for (const auto& cell : cells) out += ' ' + cell + " |";
  return out;
}

std::string code(std::string_view text) { return '`' + std::string(text) + '`'; }

std::string file_cell(const KnobRow& lever, bool v2) {
  const auto file = lever.file(v2);
  if (file.empty()) return "none";
  const bool vendor = lever.kernels == Kernels::vendor || (lever.kernels == Kernels::v2 && !v2);
  const std::string dir = lever.node_dir.empty() ? "" : '/' + std::string(lever.node_dir) + '/';
  return code(dir + std::string(file)) + (vendor ? " (vendor kernels)" : "") +
         std::string(v2 ? lever.docs.v2_note : lever.docs.v1_note);
}

}  // namespace

std::string lever_line(const KnobRow& lever) {
  return line_of(
      {code(lever.name), file_cell(lever, false), file_cell(lever, true), std::string(lever.docs.restored)});
}

std::string capability_line(const KnobRow& lever) {
  const auto& own = lever.capability;
  if (own.what.empty()) return {};
  std::string instead(own.stand_in.text);
  if (!instead.empty() && !own.substitute.empty()) instead += ", else ";
  instead += own.substitute;
  return line_of({code(own.name), std::string(own.what), instead.empty() ? "nothing" : instead});
}

}  // namespace evenkeel::test
