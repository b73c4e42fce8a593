#include "tests/support/fakes/write_matrix.h"

#include "cgroup/base/text.h"

namespace evenkeel::test {
namespace {

MatrixAnswer answer(const MatrixScene& scene, const MatrixRow& row, int code, std::string_view after) {
  constexpr std::string_view kNames[] = {"top", "pod", "ctr"};
  std::string name(scene.name);
  name.append(": ").append(kNames[static_cast<int>(row.where)]);
  if (row.file.empty()) {
    name.append(" gets a process");
  } else {
    name.append("/").append(row.file).append(" <- '").append(row.text).append("'");
  }
  return {name, code, std::string(after)};
}

}  // namespace

std::vector<MatrixAnswer> run_matrix(std::span<const MatrixScene> scenes,
                                     const std::function<std::unique_ptr<MatrixKernel>()>& make) {
  std::vector<MatrixAnswer> out;
  for (const auto& scene : scenes) {
    const auto kernel = make();
    for (const auto& row : scene.rows) {
      const int code =
          row.file.empty() ? kernel->attach(row.where) : kernel->write(row.where, row.file, row.text);
      const auto after = row.file.empty() ? std::string() : kernel->read(row.where, row.file);
      out.push_back(answer(scene, row, code, trimmed(after)));
    }
  }
  return out;
}

std::vector<MatrixAnswer> promised(std::span<const MatrixScene> scenes) {
  std::vector<MatrixAnswer> out;
  for (const auto& scene : scenes)
    for (const auto& row : scene.rows) out.push_back(answer(scene, row, row.code, row.after));
  return out;
}

}  // namespace evenkeel::test
