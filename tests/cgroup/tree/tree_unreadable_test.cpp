// A directory that cannot be read for a moment, because the process has no descriptor left, is not a removed
// one: its cgroups keep their identity, and with it the values that the agent holds in them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cgroup/tree/tree.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

/// As long as it lives no file can be opened.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

std::vector<std::pair<std::string, CgroupId>> identities(const tree::CgroupTree& tree) {
  std::vector<std::pair<std::string, CgroupId>> out;
  for (const auto* cgroup : tree.all()) out.emplace_back(cgroup->path, cgroup->id);
  return out;
}

TEST(UnreadableTree, KeepsItsCgroups) {
  FakeHost fake;
  fake.v2().kubepods();
  fake.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111", {"aaa", "bbb"});
  fake.pod(KubeQos::besteffort, "22222222-2222-2222-2222-222222222222", {"ccc"});
  const auto host = Host::open(fake.root());
  ASSERT_TRUE(host);
  auto layout = tree::detect_layout(*host, "");
  ASSERT_TRUE(layout);
  tree::CgroupTree tree(*host, std::move(*layout));
  EXPECT_TRUE(tree.scan());
  const auto before = identities(tree);
  ASSERT_GE(before.size(), 7U);
  std::vector<CgroupId> all;
  for (const auto& [path, id] : before) all.push_back(id);
  {
    const NoDescriptors none;
    EXPECT_FALSE(tree.scan());
    EXPECT_FALSE(tree.scan(all));
  }
  EXPECT_EQ(identities(tree), before);
  EXPECT_FALSE(tree.scan());
  EXPECT_EQ(identities(tree), before);
}

/// Otherwise the log would say that pods which are not managed are gone, and have come again.
TEST(UnreadableTree, KeepsUnknownDirectories) {
  FakeHost fake;
  fake.v2().kubepods();
  fake.cgroup("kubepods/system/pod1").cgroup("kubepods/burstable/x/pod2").cgroup("kubepods/empty");
  const auto host = Host::open(fake.root());
  ASSERT_TRUE(host);
  tree::CgroupTree tree(*host, *tree::detect_layout(*host, ""));
  const auto dirs = [&] {
    std::vector<std::pair<std::string, bool>> out;
    for (const auto& dir : tree.unknown_dirs()) out.emplace_back(dir.path, dir.holds_pods);
    return out;
  };
  tree.scan();
  const auto before = dirs();
  ASSERT_EQ(before.size(), 3U);
  const std::vector<CgroupId> kubepods = {tree.find_path("kubepods")->id};
  {
    const NoDescriptors none;
    tree.scan();
    EXPECT_EQ(dirs(), before);
    tree.scan(kubepods);
    EXPECT_EQ(dirs(), before);
  }
  tree.scan();
  EXPECT_EQ(dirs(), before);
}

}  // namespace
}  // namespace evenkeel::test
