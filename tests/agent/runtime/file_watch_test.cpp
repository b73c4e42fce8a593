#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/runtime/files.h"
#include "tests/support/alloc_guard.h"

using namespace evenkeel;
namespace fs = std::filesystem;

namespace {

class FileWatchTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "evenkeel-watch-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    dir = name;
  }
  void TearDown() override { fs::remove_all(dir); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(dir / name) << text; }
  static bool readable(const runtime::FileWatch& watch) {
    pollfd waiting{watch.fd(), POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 1;
  }
  /// What the kubelet does when a ConfigMap changes: a new directory, and a new link renamed over ..data.
  void swap_config_map(const std::string& version, const std::string& text) const {
    fs::create_directory(dir / version);
    write(version + "/nodeslo.yaml", text);
    fs::create_directory_symlink(version, dir / "..data_tmp");
    fs::rename(dir / "..data_tmp", dir / "..data");
  }

  fs::path dir;
  MonoTime now{};
};

TEST_F(FileWatchTest, SeesAWriteInPlace) {
  write("f", "one");
  runtime::FileWatch watch(dir / "f");
  EXPECT_FALSE(readable(watch));
  EXPECT_FALSE(watch.changed(now));
  write("f", "two");
  EXPECT_TRUE(readable(watch));
  EXPECT_TRUE(watch.changed(now));
  EXPECT_FALSE(readable(watch));
  EXPECT_FALSE(watch.changed(now)) << "once";
}

TEST_F(FileWatchTest, TheSameTextIsNoChange) {
  write("f", "one");
  runtime::FileWatch watch(dir / "f");
  write("f", "one");
  fs::last_write_time(dir / "f", fs::file_time_type::clock::now());
  EXPECT_TRUE(readable(watch));
  EXPECT_FALSE(watch.changed(now));
}

TEST_F(FileWatchTest, AFileThatIsBeingWrittenIsNotReportedBeforeItIsClosed) {
  write("f", "one");
  runtime::FileWatch watch(dir / "f");
  std::ofstream writer(dir / "f");  // truncated here
  EXPECT_FALSE(watch.changed(now)) << "an empty file would mean the defaults";
  writer << "two" << std::flush;
  EXPECT_FALSE(watch.changed(now));
  writer.close();
  EXPECT_TRUE(watch.changed(now));
}

// A tick asks, and so does each event of a pod: many times within a millisecond.
TEST_F(FileWatchTest, ATruncatedFileIsNotReportedHoweverOftenOneAsks) {
  write("f", "one");
  runtime::FileWatch watch(dir / "f");
  std::ofstream writer(dir / "f");
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(watch.changed(now));
  now += std::chrono::seconds(2);
  EXPECT_FALSE(watch.changed(now)) << "its writer is slow";
  writer << "two";
  writer.close();
  EXPECT_TRUE(watch.changed(now)) << "at once";
}

TEST_F(FileWatchTest, AnOpenFileIsReportedOnceItStopsChanging) {
  write("f", "one");
  runtime::FileWatch watch(dir / "f");
  std::ofstream writer(dir / "f");
  EXPECT_FALSE(watch.changed(now));
  now += runtime::FileWatch::kSettled - std::chrono::seconds(1);
  writer << "two" << std::flush;
  EXPECT_FALSE(watch.changed(now));
  now += runtime::FileWatch::kSettled - std::chrono::nanoseconds(1);
  EXPECT_FALSE(watch.changed(now)) << "the time counts from its last change";
  now += std::chrono::nanoseconds(1);
  EXPECT_TRUE(watch.changed(now));
  EXPECT_FALSE(watch.changed(now));
}

// What an editor does that keeps the old file under another name.
TEST_F(FileWatchTest, AFileInPlaceOfARemovedOneIsNotReportedBeforeItIsClosed) {
  write("f", "one");
  runtime::FileWatch watch(dir / "f");
  fs::rename(dir / "f", dir / "f~");
  std::ofstream writer(dir / "f");
  EXPECT_FALSE(watch.changed(now)) << "an empty file would mean the defaults";
  writer << "two";
  writer.close();
  EXPECT_TRUE(watch.changed(now));
}

// A configuration may be in a directory where other processes work all the time, /tmp for example.
TEST_F(FileWatchTest, OtherFilesInItsDirectoryCostNoAllocation) {
  write("f", "one");
  runtime::FileWatch watch(dir / "f");
  for (int i = 0; i < 20; ++i) write("another-programs-file-with-a-long-name-" + std::to_string(i), "text");
  EXPECT_TRUE(readable(watch));
  const evenkeel::test::AllocGuard guard;
  EXPECT_FALSE(watch.changed(now));
  EXPECT_EQ(guard.allocations(), 0u);
}

TEST_F(FileWatchTest, SeesAnEditorsRename) {
  write("f", "one");
  runtime::FileWatch watch(dir / "f");
  write("f.new", "two");
  EXPECT_FALSE(watch.changed(now)) << "another name";
  fs::rename(dir / "f.new", dir / "f");
  EXPECT_TRUE(readable(watch));
  EXPECT_TRUE(watch.changed(now));
  write("f", "three");
  EXPECT_TRUE(watch.changed(now)) << "the new inode is watched too";
}

TEST_F(FileWatchTest, SeesRemovalAndReturn) {
  write("f", "one");
  runtime::FileWatch watch(dir / "f");
  fs::remove(dir / "f");
  EXPECT_TRUE(watch.changed(now));
  EXPECT_FALSE(watch.changed(now));
  write("f", "one");
  EXPECT_TRUE(watch.changed(now));
}

TEST_F(FileWatchTest, SeesConfigMapSwaps) {
  swap_config_map("..2026_01", "one");
  fs::create_symlink("..data/nodeslo.yaml", dir / "nodeslo.yaml");
  runtime::FileWatch watch(dir / "nodeslo.yaml");
  for (const auto* text : {"two", "three"}) {
    swap_config_map(std::string("..2026_") + text, text);
    EXPECT_TRUE(readable(watch)) << text;
    EXPECT_TRUE(watch.changed(now)) << text;
    EXPECT_FALSE(watch.changed(now)) << text;
  }
  swap_config_map("..2026_again", "three");
  EXPECT_FALSE(watch.changed(now)) << "a swap to the same text";
}

TEST_F(FileWatchTest, WaitsForADirectoryThatAppearsLater) {
  runtime::FileWatch watch(dir / "etc" / "evenkeel" / "nodeslo.yaml");
  EXPECT_FALSE(watch.changed(now));
  fs::create_directory(dir / "etc");
  watch.changed(now);
  fs::create_directory(dir / "etc/evenkeel");
  watch.changed(now);
  write("etc/evenkeel/nodeslo.yaml", "one");
  EXPECT_TRUE(readable(watch));
  EXPECT_TRUE(watch.changed(now));
  fs::remove_all(dir / "etc");
  EXPECT_TRUE(watch.changed(now));
  fs::create_directories(dir / "etc/evenkeel");
  write("etc/evenkeel/nodeslo.yaml", "two");
  EXPECT_TRUE(watch.changed(now)) << "all at once";
}

TEST_F(FileWatchTest, SeesADirectoryRenamedAway) {
  fs::create_directory(dir / "a");
  write("a/f", "one");
  runtime::FileWatch watch(dir / "a" / "f");
  fs::rename(dir / "a", dir / "b");
  EXPECT_TRUE(watch.changed(now));
  fs::rename(dir / "b", dir / "a");
  EXPECT_TRUE(watch.changed(now));
}

TEST_F(FileWatchTest, FollowsLinksThroughOtherDirectories) {
  fs::create_directory(dir / "real");
  write("real/f", "one");
  fs::create_symlink(dir / "real", dir / "link");
  fs::create_symlink("link/f", dir / "f");
  runtime::FileWatch watch(dir / "f");
  write("real/f", "two");
  EXPECT_TRUE(watch.changed(now));
  fs::create_directory(dir / "other");
  write("other/f", "three");
  fs::remove(dir / "link");
  fs::create_symlink(dir / "other", dir / "link");
  EXPECT_TRUE(watch.changed(now));
}

TEST_F(FileWatchTest, LinkLoopsAndDirectoriesAreNotFiles) {
  fs::create_symlink("b", dir / "a");
  fs::create_symlink("a", dir / "b");
  runtime::FileWatch circle(dir / "a");
  EXPECT_FALSE(circle.changed(now));
  runtime::FileWatch directory(dir.string());
  EXPECT_FALSE(directory.changed(now));
  fs::remove(dir / "b");
  write("b", "at last");
  EXPECT_TRUE(circle.changed(now));
}

}  // namespace
