#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "agent/runtime/files.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel {
namespace {
namespace fs = std::filesystem;

class StateFileOnDisk : public testing::Test {
 protected:
  void holds(const std::string& text) { std::ofstream(path_) << text; }
  [[nodiscard]] std::string text() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool leftovers() const { return fs::exists(path_ + ".new"); }
  test::StateDir state_{};
  std::string path_ = state_.path + "/prediction";
  runtime::StateFile file_{path_};
};

TEST_F(StateFileOnDisk, FinishReplacesTheOldText) {
  holds("old");
  file_.begin("new");
  ASSERT_TRUE(file_.finish());
  EXPECT_EQ(text(), "new");
  EXPECT_FALSE(leftovers() || file_.in_progress());
  EXPECT_FALSE(file_.ended()) << "finish() has told it";
  EXPECT_EQ(*runtime::read_state_file(path_), "new");
}

TEST_F(StateFileOnDisk, FinishWithoutBeginSucceeds) {
  EXPECT_TRUE(file_.finish());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(StateFileOnDisk, AFileLeftByACrashIsOverwritten) {
  std::ofstream(path_ + ".new") << "half of something that was longer";
  file_.begin("one");
  file_.begin("2");
  ASSERT_TRUE(file_.finish());
  EXPECT_EQ(text(), "2");
}

TEST_F(StateFileOnDisk, OnlyItsOwnerMayReadIt) {
  file_.begin("x");
  ASSERT_TRUE(file_.finish());
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(StateFileOnDisk, ALinkThatAnotherUserHasPutBesideAFileIsNotFollowed) {
  const std::string victim = state_.path + "/victim";
  std::ofstream(victim) << "precious";
  fs::create_symlink(victim, path_ + ".new");
  EXPECT_TRUE(runtime::replace_text_file(path_, "one"));
  EXPECT_EQ(text(), "one");
  EXPECT_FALSE(fs::is_symlink(path_));
  std::string kept;
  std::ifstream(victim) >> kept;
  EXPECT_EQ(kept, "precious");
}

TEST_F(StateFileOnDisk, AFileForOtherProgramsKeepsItsPermissions) {
  const auto permissions = [&] {
    struct stat status {};
    return ::stat(path_.c_str(), &status) == 0 ? status.st_mode & 0777U : 0U;
  };
  const auto umask_before = ::umask(0077);
  EXPECT_TRUE(runtime::replace_text_file(path_, "one"));
  EXPECT_EQ(permissions(), 0644U) << "new, and whatever the umask";
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  EXPECT_TRUE(runtime::replace_text_file(path_, "two"));
  ::umask(umask_before);
  EXPECT_EQ(permissions(), 0640U);
  EXPECT_EQ(text(), "two");
  EXPECT_FALSE(leftovers());
}

TEST_F(StateFileOnDisk, AFullDiskKeepsTheOldText) {
  holds("old");
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit tight { 1000, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  file_.begin(std::string(5000, 'x'));
  const auto ended = file_.finish();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, EFBIG);
  EXPECT_FALSE(leftovers() || file_.in_progress());
  EXPECT_TRUE(file_.finish());
  EXPECT_EQ(text(), "old");
}

TEST_F(StateFileOnDisk, AMissingDirectoryIsAnError) {
  fs::remove_all(state_.path);
  file_.begin("x");
  EXPECT_EQ(file_.finish().error().code, ENOENT);
  EXPECT_EQ(runtime::read_state_file(path_).error().code, ENOENT);
}

/// Opening a named pipe that nobody reads blocks, as a disk that stands still does.
TEST_F(StateFileOnDisk, ADiskThatStandsStillBlocksOnlyItsThread) {
  holds("old");
  const std::string fresh = path_ + ".new";
  ASSERT_EQ(::mkfifo(fresh.c_str(), 0600), 0);
  file_.begin("new");
  EXPECT_TRUE(file_.in_progress());
  EXPECT_EQ(file_.text_in_progress(), "new");
  EXPECT_FALSE(file_.ended());
  EXPECT_EQ(text(), "old");
  const Fd reader(::open(fresh.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(test::soon([&] { return !file_.in_progress(); }));
  const auto ended = file_.ended();
  ASSERT_TRUE(ended);
  EXPECT_FALSE(*ended) << "a pipe cannot be synced";
  EXPECT_FALSE(file_.ended()) << "told once";
  EXPECT_FALSE(leftovers());
}

TEST_F(StateFileOnDisk, OnlyRegularFilesWithinTheLimitAreRead) {
  fs::create_directory(path_);
  EXPECT_EQ(runtime::read_state_file(path_).error().code, EINVAL);
  fs::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(runtime::read_state_file(path_).error().code, EINVAL) << "and it does not wait for a writer";
  fs::remove(path_);
  holds("four");
  EXPECT_EQ(runtime::read_state_file(path_, 3).error().code, EFBIG);
  EXPECT_EQ(*runtime::read_state_file(path_, 4), "four");
}

}  // namespace
}  // namespace evenkeel
