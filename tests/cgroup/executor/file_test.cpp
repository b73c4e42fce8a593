#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <climits>
#include <filesystem>

#include "cgroup/base/host.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/live/live_cgroups.h"

namespace evenkeel {
namespace {

using test::FakeHost;

struct FileTest : ::testing::Test {
  FakeHost fake{};
  Host host = std::move(*Host::open(fake.root()));
  std::array<char, 64> buffer{};
};

TEST_F(FileTest, SeesEachNewTextWithoutOpeningAgain) {
  fake.file("f", "1\n");
  ReadFile file("f", Hold::kept);
  EXPECT_FALSE(file.open());
  EXPECT_EQ(*file.read(host, buffer), "1\n");
  EXPECT_TRUE(file.open());
  fake.file("f", "22\n");
  EXPECT_EQ(*file.read(host, buffer), "22\n");
  fake.file("f", "");
  EXPECT_EQ(*file.read(host, buffer), "");
}

TEST_F(FileTest, AFileReopenedHoldsNoDescriptor) {
  fake.file("f", "1\n");
  ReadFile file("f", Hold::reopened);
  EXPECT_EQ(*file.read(host, buffer), "1\n");
  EXPECT_FALSE(file.open());
}

TEST_F(FileTest, FollowsAPlainFileThatIsReplacedOrMadeAgain) {
  fake.file("d/f", "old\n");
  ReadFile file("d/f", Hold::kept);
  EXPECT_EQ(*file.read(host, buffer), "old\n");
  fake.file("d/new", "new\n");
  std::filesystem::rename(fake.root() + "/d/new", fake.root() + "/d/f");
  EXPECT_EQ(*file.read(host, buffer), "new\n");
  fake.remove("d");
  EXPECT_EQ(file.read(host, buffer).error().code, ENOENT);
}

TEST_F(FileTest, AMissingFileIsAskedForEverySixtyFourthTime) {
  ReadFile file("later", Hold::kept);
  EXPECT_EQ(file.read(host, buffer).error().code, ENOENT);
  fake.file("later", "1\n");
  int reads = 1;
  while (!file.read(host, buffer)) ++reads;
  EXPECT_EQ(reads, 64);
}

TEST_F(FileTest, PartsOfAPathAreJoined) {
  fake.file("a/b/c", "1\n");
  for (const FilePlace& place :
       {FilePlace{"a", "b", "c"}, FilePlace{"a", {}, "b/c"}, FilePlace{.name = "a/b/c"}})
    EXPECT_TRUE(host.open_read(place)) << place.name;
  const std::string long_name(PATH_MAX, 'x');
  EXPECT_EQ(host.open_read(FilePlace{"a", "b", long_name}).error().code, ENAMETOOLONG);
}

TEST(Memory, AHeldFileTakesOneWord) {
  // Seventeen of each of hundreds of cgroups are open on a full node.
  EXPECT_LE(sizeof(HeldFile), sizeof(void*));
}

TEST_F(FileTest, AFileMayFillTheBufferButNotMore) {
  fake.file("fits", std::string(64, 'x')).file("big", std::string(65, 'x'));
  ReadFile fits("fits", Hold::kept), big("big", Hold::kept);
  EXPECT_EQ(fits.read(host, buffer)->size(), 64u);
  EXPECT_EQ(big.read(host, buffer).error().code, EFBIG);
}

TEST_F(FileTest, ADirectoryIsAnErrorNotACrash) {
  fake.dir("d");
  ReadFile file("d", Hold::kept);
  EXPECT_EQ(file.read(host, buffer).error().code, EISDIR);
}

TEST(LiveFile, ReadsAKernelFileOfManyPiecesWhole) {
  const auto host = std::move(*Host::open("/"));
  std::vector<char> buffer(1 << 20);
  for (const char* path : {"proc/cpuinfo", "proc/meminfo", "proc/filesystems", "proc/kallsyms"}) {
    const auto expected = host.slurp(path);
    if (!expected) continue;  // kallsyms is larger than slurp takes, or absent
    ReadFile file(path, Hold::kept);
    const auto text = file.read(host, buffer);
    ASSERT_TRUE(text) << path;
    EXPECT_NEAR(static_cast<double>(text->size()), static_cast<double>(expected->size()), 64) << path;
  }
}

TEST(LiveFile, TheFileOfARemovedCgroupIsGoneAndStaysGone) {
  test::LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  cgroups.make("a");
  ReadFile file(cgroups.layout().root(Controller::cpu) + "/" + cgroups.top() + "/a/cpu.stat", Hold::kept);
  std::array<char, 4096> buffer{};
  ASSERT_TRUE(file.read(cgroups.host(), buffer));
  cgroups.remove("a");
  EXPECT_EQ(file.read(cgroups.host(), buffer).error().code, ENODEV);
  cgroups.make("a");
  EXPECT_EQ(file.read(cgroups.host(), buffer).error().code, ENODEV) << "another life is another file";
}

}  // namespace
}  // namespace evenkeel
