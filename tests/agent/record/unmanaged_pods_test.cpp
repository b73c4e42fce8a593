// That there are pods which the agent does not manage is logged once when they appear and once when they are
// gone.
#include "agent/record/unmanaged_pods.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "cgroup/base/result.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

struct UnmanagedPods : testing::Test {
  UnmanagedPods() = default;
  ~UnmanagedPods() override { ::unlink(path.c_str()); }
  UnmanagedPods(const UnmanagedPods&) = delete;
  UnmanagedPods& operator=(const UnmanagedPods&) = delete;

  /// What is logged in three ticks with these directories.
  std::string lines_of(const std::vector<tree::UnknownDir>& dirs) {
    EXPECT_EQ(::ftruncate(file.get(), 0), 0);
    for (int tick = 0; tick < 3; ++tick) told.log_changes(dirs, log);
    return text_of_file(path);
  }

  const std::string path = temporary_file();
  const Fd file{::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)};
  runtime::Log log{file.get(), runtime::LogFormat::text, runtime::LogLevel::info, nullptr};
  record::UnmanagedPodsLog told{};
};

TEST_F(UnmanagedPods, AreLoggedOncePerDirectoryAndWhenTheyAreGone) {
  const std::string why = std::string(" why=\"") + record::kUnmanagedPods + "\"\n";
  EXPECT_EQ(lines_of({}), "");
  EXPECT_EQ(lines_of({{"kubepods/empty", false}}), "") << "no pods";
  EXPECT_EQ(lines_of({{"kubepods/a", true}}), "level=warning event=unmanaged-pods cgroup=kubepods/a" + why);
  EXPECT_EQ(lines_of({{"kubepods/a", true}, {"kubepods/b", true}}),
            "level=warning event=unmanaged-pods cgroup=kubepods/b" + why);
  EXPECT_EQ(lines_of({{"kubepods/a", false}, {"kubepods/b", true}}),
            "level=info event=unmanaged-pods-gone cgroup=kubepods/a\n");
  EXPECT_EQ(lines_of({}), "level=info event=unmanaged-pods-gone cgroup=kubepods/b\n");
  EXPECT_EQ(lines_of({{"kubepods/a", true}}), "level=warning event=unmanaged-pods cgroup=kubepods/a" + why)
      << "others, later";
}

TEST_F(UnmanagedPods, CostNoAllocationWhileTheyStay) {
  const std::vector<tree::UnknownDir> dirs = {{"kubepods.slice/kubepods-system.slice", true},
                                              {"kubepods.slice/kubepods-other.slice", false}};
  told.log_changes(dirs, log);
  const AllocGuard guard;
  told.log_changes(dirs, log);
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel::test
