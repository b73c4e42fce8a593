// Pressure triggers on real cgroups: they fire when a task waits, follow the pods and leave no descriptors
// open.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>

#include <filesystem>
#include <map>
#include <memory>

#include "cgroup/reclaim/pressure_trigger.h"
#include "collectors/per_cgroup/roster.h"
#include "collectors/pressure/triggers.h"
#include "tests/support/live/burst.h"
#include "tests/support/live/live_cgroups.h"

namespace evenkeel::test {
namespace {

constexpr const char* kService = "kubepods/burstable/podaaaaaaaa-0000-0000-0000-000000000001";
constexpr const char* kBatch = "kubepods/besteffort/podaaaaaaaa-0000-0000-0000-000000000002";
constexpr std::size_t kAny = 100000;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

/// Waits as an event loop does.
struct Loop {
  std::map<int, std::function<void(std::uint32_t)>> waiting{};
  std::vector<Alarm> alarms{};
  collectors::AlarmDescriptors lent() {
    return {.add =
                [this](int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready) {
                  EXPECT_EQ(events, std::uint32_t{EPOLLPRI});
                  EXPECT_TRUE(waiting.emplace(fd, std::move(ready)).second) << "twice";
                  return true;
                },
            .remove = [this](int fd) { EXPECT_EQ(waiting.erase(fd), 1U); },
            .on_alarm = [this](const Alarm& alarm) { alarms.push_back(alarm); }};
  }
  /// Handles what becomes ready within the time. Returns whether anything did.
  bool once(int timeout_ms) {
    std::vector<pollfd> all;
    for (const auto& [fd, ready] : waiting) all.push_back({fd, POLLPRI, 0});
    if (::poll(all.data(), all.size(), timeout_ms) <= 0) return false;
    for (const auto& each : all)
      if (const auto found = waiting.find(each.fd); each.revents != 0 && found != waiting.end()) {
        const auto ready = found->second;
        ready(static_cast<std::uint32_t>(each.revents));
      }
    return true;
  }
};

class LivePressureTriggers : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (cgroups_.layout().unified.empty()) GTEST_SKIP() << "no unified hierarchy, so no pressure of a cgroup";
    const auto window = reclaim::shortest_window(cgroups_.host(), std::chrono::milliseconds(50));
    if (!window) GTEST_SKIP() << "the kernel gives no trigger: " << errno_name(window.error().code);
    settings_.enable = true;
    cgroups_.make(kService);
    cgroups_.make(kBatch);
    tree_ = std::make_unique<tree::CgroupTree>(cgroups_.host(), cgroups_.layout());
    triggers_ = std::make_unique<pressure::PressureTriggers>(cgroups_.host());
    triggers_->set_alarm_source(loop_.lent());
    follow();
  }
  void follow() {
    tree_->scan();
    per_cgroup::build_roster(*tree_, std::make_shared<const std::vector<Pod>>(),
                             std::make_shared<const NodeSlo>(), node_);
    triggers_->follow(*tree_, node_, settings_, kAny);
  }
  [[nodiscard]] CgroupId service() const {
    const auto* cgroup = tree_->find_path(cgroups_.top() + '/' + kService);
    return cgroup != nullptr ? cgroup->id : CgroupId{};
  }
  bool heard_of_service() {
    for (int round = 0; round < 100; ++round) {
      loop_.once(200);
      for (const auto& alarm : loop_.alarms)
        if (alarm.victim == service() && alarm.what == Contended::cpu) return true;
    }
    return false;
  }
  LiveCgroups cgroups_{};
  Loop loop_{};
  NodeSnapshot node_{};
  BrakeSettings settings_{};
  std::unique_ptr<tree::CgroupTree> tree_{};
  std::unique_ptr<pressure::PressureTriggers> triggers_{};
};

TEST_F(LivePressureTriggers, AreOnServicesAndTheNodeAndFireWhenAServiceWaits) {
  EXPECT_EQ(triggers_->health().open, 4U) << triggers_->health().why_missing;
  EXPECT_EQ(triggers_->health().missing, 0U);
  Burst service(cgroups_, kService, 6);
  service.begin();  // three for each of two CPUs: they wait for one another
  ASSERT_TRUE(heard_of_service());
  const Duration window = triggers_->health().window;
  for (const auto& alarm : loop_.alarms)
    EXPECT_EQ(alarm.waited,
              window * (alarm.what == Contended::cpu ? 20 : 10) / 100);  // the settings' defaults, in percent
}

TEST_F(LivePressureTriggers, ARemovedCgroupsTriggerIsClosedAndItsSuccessorHasItsOwn) {
  const auto opened = triggers_->health().opened;
  cgroups_.remove(kService);
  for (int round = 0; round < 50 && loop_.waiting.size() > 2; ++round) loop_.once(100);
  EXPECT_EQ(loop_.waiting.size(), 2U) << "the node's";
  EXPECT_FALSE(loop_.once(0)) << "a dead one would be ready for ever";
  cgroups_.make(kService);
  follow();
  EXPECT_EQ(triggers_->health().open, 4U);
  EXPECT_EQ(triggers_->health().opened, opened + 2);
  Burst service(cgroups_, kService, 6);
  service.begin();
  EXPECT_TRUE(heard_of_service());
}

TEST_F(LivePressureTriggers, SurviveAHundredPodsThatCameAndWent) {
  const auto before = open_descriptors();
  for (int i = 0; i < 100; ++i) {
    const std::string pod =
        "kubepods/burstable/podbbbbbbbb-0000-0000-0000-" + std::to_string(100000000000 + i);
    cgroups_.make(pod);
    follow();
    EXPECT_EQ(triggers_->health().open, 6U);
    cgroups_.remove(pod);
    if (i % 2 == 0) loop_.once(0);  // reported first by the kernel, or by the tree
    follow();
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(loop_.waiting.size(), 4U);
  Burst service(cgroups_, kService, 6);
  service.begin();
  EXPECT_TRUE(heard_of_service()) << "its trigger has outlived them all";
}

TEST_F(LivePressureTriggers, OpenNothingWhenOffOrWithoutAnEventLoop) {
  const auto before = open_descriptors();
  settings_.enable = false;
  follow();
  EXPECT_EQ(loop_.waiting.size(), 0U);
  EXPECT_EQ(open_descriptors(), before - 4);
  settings_.enable = true;
  triggers_->follow(*tree_, node_, settings_, 3);
  EXPECT_EQ(triggers_->health().open, 3U);
  EXPECT_EQ(triggers_->health().left_out, 1U) << "as many as there may be";
  triggers_->set_alarm_source({});
  follow();
  EXPECT_EQ(open_descriptors(), before - 4);
}

}  // namespace
}  // namespace evenkeel::test
