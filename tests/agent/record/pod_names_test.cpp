// Tests the names of pods where they must differ: two pods can have one name for a while, and many can be
// gone.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <sstream>

#include "agent/api/metrics.h"
#include "agent/record/audit.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

class PodNamesTest : public testing::Test {
 protected:
  PodNamesTest() {
    fake_.machine().v1().kubepods();
    old_ = fake_.pod(KubeQos::burstable, "aa", {std::string(64, '1')});
    new_ = fake_.pod(KubeQos::burstable, "bb", {std::string(64, '2')});
    web_ = fake_.pod(KubeQos::burstable, "cc", {std::string(64, '3')});
    host_.emplace(*Host::open(fake_.root()));
    tree_.emplace(*host_, *tree::detect_layout(*host_, ""));
    tree_->scan();
    names_.emplace(*tree_);
    // In this order a roster cannot have them; the name goes to the listed one all the same.
    names_->update(std::make_shared<const std::vector<Pod>>(
        std::vector{pod("aa", "redis-0", true), pod("bb", "redis-0", false), pod("cc", "web", false)}));
  }
  static Pod pod(const std::string& uid, const std::string& name, bool unlisted) {
    Pod one;
    one.uid = uid;
    one.namespace_ = "shop";
    one.name = name;
    one.unlisted = unlisted;
    return one;
  }
  [[nodiscard]] CgroupId id(const std::string& path) const { return tree_->find_path(path)->id; }
  FakeHost fake_{};
  std::string old_{}, new_{}, web_{};
  std::optional<Host> host_{};
  std::optional<tree::CgroupTree> tree_{};
  std::optional<record::PodNames> names_{};
};

/// How often each series occurs, without its value.
std::map<std::string, int> series_of(const std::string& text) {
  std::map<std::string, int> series;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('#')) ++series[line.substr(0, line.rfind(' '))];
  return series;
}

TEST_F(PodNamesTest, APodAndItsSuccessorDiffer) {
  EXPECT_EQ(names_->display_name(id(old_)), "shop/redis-0 (aa)");
  EXPECT_EQ(names_->display_name(id(new_)), "shop/redis-0");
  EXPECT_EQ(names_->display_name(id(web_)), "shop/web");
  EXPECT_EQ(names_->pod_name(id(old_)), "shop/redis-0") << "whoever asks for the name gets both";
}

TEST_F(PodNamesTest, ARosterKnowsItsPodsByNameAndByUid) {
  EXPECT_TRUE(names_->is_pod("shop/redis-0") && names_->is_pod("aa") && names_->is_pod("bb"));
  for (const char* other : {"shop/redis", "redis-0", "shop", "", "dd"}) EXPECT_FALSE(names_->is_pod(other));
}

TEST_F(PodNamesTest, NoSeriesOfBlameIsThereTwice) {
  record::BlameTotals blame;
  for (const auto& antagonist : {id(old_), id(new_), CgroupId{}})
    blame.add({id(web_), antagonist, false}, 1s);
  for (const auto& victim : {id(old_), id(new_)}) blame.add_other({victim, false}, 1s);
  for (const std::uint32_t gone : {1001U, 1002U}) {
    blame.add({id(web_), {gone, 0}, false}, 1s);
    blame.add({{gone, 0}, id(web_), false}, 1s);
    blame.add_other({{gone, 0}, false}, 1s);
  }
  api::Exposition out(100);
  api::put_blame(out, blame, *names_);
  const auto series = series_of(out.text());
  EXPECT_EQ(series.size(), 5U) << out.text();
  for (const auto& [labels, times] : series) EXPECT_EQ(times, 1) << labels;
  EXPECT_EQ(out.text().find("gone"), std::string::npos) << out.text();
}

}  // namespace
}  // namespace evenkeel::test
