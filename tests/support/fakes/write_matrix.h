// A table of writes and a kernel's answers (errno, and what the file reads afterwards) for cgroup v1 and v2.
// The same table runs against the model and against real kernels.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::test {

/// The cgroups of a scene: top > pod > ctr, each in every hierarchy with a file in the table.
enum class Where : int { top, pod, ctr };

struct MatrixRow {
  Where where;
  std::string_view file;  ///< empty: a process is moved into the cgroup
  std::string_view text;
  int code;                ///< errno of open(2) or write(2); 0 = accepted
  std::string_view after;  ///< the file's text afterwards, without the line end
};

/// Rows that build on each other, starting with new cgroups.
struct MatrixScene {
  std::string_view name;
  std::span<const MatrixRow> rows;
};

std::span<const MatrixScene> v1_scenes();
std::span<const MatrixScene> v2_scenes();

/// The target of one scene's writes: the model or a real kernel.
class MatrixKernel {
 public:
  virtual ~MatrixKernel() = default;
  virtual int write(Where where, std::string_view file, std::string_view text) = 0;
  virtual std::string read(Where where, std::string_view file) = 0;
  virtual int attach(Where where) = 0;
};

struct MatrixAnswer {
  std::string row{};  ///< description: scene, cgroup, file, text
  int code = 0;
  std::string after{};
  bool operator==(const MatrixAnswer&) const = default;
};

/// The answers of a kernel to every row; `make` returns one with new cgroups.
std::vector<MatrixAnswer> run_matrix(std::span<const MatrixScene> scenes,
                                     const std::function<std::unique_ptr<MatrixKernel>()>& make);
/// The answers that the table expects.
std::vector<MatrixAnswer> promised(std::span<const MatrixScene> scenes);

}  // namespace evenkeel::test
