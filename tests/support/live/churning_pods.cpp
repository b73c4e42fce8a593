#include "tests/support/live/churning_pods.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

namespace evenkeel::test {
namespace {

constexpr std::size_t kGreedy = 900'000'000'000,
                      kWorkers = 800'000'000'000;  // outside the range of the other pods' numbers
constexpr std::size_t kPodsAhead = 25;             // pods ahead in the list
constexpr std::size_t kPeopled = 3;  // one in so many pods has a process, which takes time to start
constexpr int kGreedyTasks = 3;

int last_cpu() { return static_cast<int>(std::thread::hardware_concurrency()) - 1; }

}  // namespace

ChurningPods::ChurningPods(LiveCgroups& cgroups, std::string list)
    : cgroups_(cgroups), list_(std::move(list)) {
  const auto greedy = path(kGreedy, false);
  cgroups_.make(greedy);
  for (int i = 0; i < kGreedyTasks; ++i) greedy_.emplace_back(cgroups_, greedy, last_cpu(), spin);
  publish_list(0);
}

std::string ChurningPods::uid(std::size_t number) {
  char text[40];
  std::snprintf(text, sizeof text, "bbbbbbbb-0000-0000-0000-%012zu", number);
  return text;
}

std::string ChurningPods::path(std::size_t number, bool best_effort) {
  return std::string("kubepods/") + (best_effort ? "besteffort" : "burstable") + "/pod" + uid(number) + "/c" +
         std::to_string(number);
}

std::string ChurningPods::entry(std::size_t number, bool best_effort, const std::string& owner,
                                const std::string& image) {
  const auto text = std::to_string(number);
  return R"({"metadata":{"namespace":"churn","name":"p)" + text + R"(","uid":")" + uid(number) +
         R"(","ownerReferences":[{"kind":"StatefulSet","name":")" + owner +
         R"(","uid":"o","controller":true}]},"spec":{"containers":[{"name":"main","image":")" + image +
         R"("}]},"status":{"phase":"Running","qosClass":")" + (best_effort ? "BestEffort" : "Burstable") +
         R"(","containerStatuses":[{"name":"main","containerID":"containerd://c)" + text +
         R"(","state":{"running":{}}}]}})";
}

void ChurningPods::publish_list(std::size_t coming) const {
  const auto each = [](std::size_t number) {
    const auto workload = std::to_string(number % kWorkloads / 2);
    return ",\n" + entry(number, best_effort(number), "churn-" + workload, "image:1");
  };
  std::ofstream out(list_ + ".new");
  out << R"({"kind":"PodList","items":[)" << '\n' << entry(kGreedy, false, "greedy", "image:1");
  if (worker_.task) out << ",\n" << entry(worker_.number, false, "worker", "image:1");
  for (const auto& pod : pods_) out << each(pod.number);
  for (std::size_t i = 1; i <= coming; ++i) out << each(made_ + i);
  out << "]}\n" << std::flush;
  out.close();
  std::filesystem::rename(list_ + ".new", list_);
}

void ChurningPods::churn(std::chrono::seconds length, std::size_t least) {
  const auto end = Clock::now() + length, patience = end + std::chrono::minutes(1);
  const auto enough = made_ + least;
  const auto on = [&](Clock::time_point now) { return now < end || (made_ < enough && now < patience); };
  for (auto next = Clock::now(); on(Clock::now()); next += kEach) {
    std::this_thread::sleep_until(next);
    if (Clock::now() >= worker_.goes) exchange_worker();
    if (made_ % kPodsAhead == 0) publish_list(kPodsAhead);
    come();
    if (pods_.size() > kAtTheSameTime) go();
  }
}

void ChurningPods::come() {
  const auto number = ++made_;
  Pod pod{number, path(number, best_effort(number)), nullptr};
  cgroups_.make(pod.path);
  if (number % kPeopled == 0)
    pod.process = std::make_unique<LiveProcess>(cgroups_, pod.path,
                                                best_effort(number) ? Manner::spins : Manner::waits);
  pods_.push_back(std::move(pod));
}

void ChurningPods::go() {
  pods_.front().process.reset();
  remove(pods_.front().path);
  pods_.pop_front();
}

void ChurningPods::remove(const std::string& container) {
  cgroups_.remove(container);
  cgroups_.remove(container.substr(0, container.rfind('/')));
}

void ChurningPods::exchange_worker() {
  worker_.task.reset();
  if (!worker_.path.empty()) remove(worker_.path);
  worker_.number = kWorkers + made_;
  worker_.path = path(worker_.number, false);
  cgroups_.make(worker_.path);
  worker_.task = std::make_unique<PinnedTask>(cgroups_, worker_.path, last_cpu(), spin);
  worker_.goes = Clock::now() + kWorkerLives;
  publish_list(kPodsAhead - made_ % kPodsAhead);
}

void ChurningPods::all_go() {
  while (!pods_.empty()) go();
  worker_.task.reset();
  if (!worker_.path.empty()) remove(worker_.path);
  worker_ = {};
  publish_list(0);
}

}  // namespace evenkeel::test
