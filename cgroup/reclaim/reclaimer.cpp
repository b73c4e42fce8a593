#include "cgroup/reclaim/reclaimer.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "cgroup/executor/file_writer.h"

namespace evenkeel::reclaim {
namespace {

// The period at which containers above their mark are looked for.
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

struct Reclaimer::Task {
  Task(CgroupId of, ReclaimFiles files) : target(of), job(std::move(files)) {}
  const CgroupId target;
  ReclaimJob job;  ///< used only by the thread that carries out the orders

  // The rest is guarded by the mutex:
  bool ordered = true;  ///< named by the newest orders
  bool live = true;     ///< its order has not ended
  std::optional<ReclaimOrder> pending{};
  ReclaimOutcome outcome{};
};

struct Reclaimer::Shared {
  std::mutex mutex{};
  std::condition_variable changed{};
  bool ending = false;
  std::vector<std::shared_ptr<Task>> tasks{};
  ReclaimCounters counters{};
  [[nodiscard]] bool has_work() const {
    return ending || std::ranges::any_of(tasks, [](const auto& task) { return task->pending.has_value(); });
  }
};

Reclaimer::Reclaimer(const tree::CgroupTree& tree, How how)
    : tree_(tree), how_(how), shared_(std::make_shared<Shared>()) {}

Reclaimer::~Reclaimer() {
  const std::lock_guard lock(shared_->mutex);
  shared_->ending = true;
  shared_->changed.notify_all();
}

ReclaimSupport Reclaimer::ability() {
  if (ability_.on_demand || tree_.all().empty() || !tree_.layout().v2(Controller::memory)) return ability_;
  const auto dir = tree_.dir(*tree_.all().front(), Controller::memory);
  ability_.on_demand = tree_.host().exists(dir + '/' + kReclaimFile);
  if (how_ != How::by_thread || !ability_.on_demand) return ability_;
  // Tested with an order of 0 bytes, which every kernel that knows the argument carries out.
  if (const auto file = executor::open_command_file(tree_.host(), dir, kReclaimFile);
      file && is_kernel_fs(file->get()))
    ability_.file_only = executor::write_command(*file, "0 swappiness=0", kReclaimFile).has_value();
  return ability_;
}

void Reclaimer::follow(const std::vector<ReclaimOrder>& orders) {
  done_.clear();
  if (how_ == How::not_at_all) return;
  {
    const std::lock_guard lock(shared_->mutex);
    for (auto& task : shared_->tasks) task->ordered = false;
    for (const auto& order : orders) place(order);
    std::erase_if(shared_->tasks, [](const auto& task) { return !task->ordered; });
    if (shared_->tasks.empty()) return;
    shared_->changed.notify_all();
  }
  if (how_ == How::at_once) return run_synchronously();
  if (!running_) start_thread();
}

/// Called with the mutex held. Opening is quick; only writing may block.
void Reclaimer::place(const ReclaimOrder& order) {
  auto found = std::ranges::find(shared_->tasks, order.target, [](const auto& task) { return task->target; });
  if (found == shared_->tasks.end() || how_ == How::at_once) {
    const tree::Cgroup* cgroup = tree_.find(order.target);
    if (cgroup == nullptr) return;
    auto files = ReclaimFiles::open(tree_, *cgroup);
    if (!files) {
      if (!vanished(files.error())) ++shared_->counters.failures;
      return;
    }
    if (found == shared_->tasks.end())
      found = shared_->tasks.insert(found, std::make_shared<Task>(order.target, std::move(*files)));
    else
      (*found)->job.use(std::move(*files));  // a fake host's files may have been replaced
  }
  Task& task = **found;
  task.ordered = true;
  task.pending = order;
  task.outcome.target = order.target;
  task.outcome.cause = order.cause;
}

void Reclaimer::report(std::vector<ReclaimOutcome>& out) {
  out.clear();
  const std::lock_guard lock(shared_->mutex);
  for (auto& task : shared_->tasks) {
    out.push_back(task->outcome);
    task->outcome.requested = task->outcome.reclaimed = Bytes{};
    task->outcome.end = ReclaimEnd::going;
  }
}

ReclaimCounters Reclaimer::counters() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->counters;
}

void Reclaimer::run_synchronously() {
  for (auto& task : shared_->tasks) {
    task->job.begin(*task->pending);
    const auto step = task->job.step(true);
    if (step.requested > Bytes{}) done_.push_back({task->target, step.requested, task->pending->file_only});
    task->pending.reset();
    note(*task, step, shared_->counters);
  }
}

/// The thread is never joined. If it cannot be created nothing is reclaimed, and the next order tries again.
void Reclaimer::start_thread() {
  auto mine = std::make_unique<std::shared_ptr<Shared>>(shared_);
  pthread_t id{};
  if (::pthread_create(&id, nullptr, &Reclaimer::thread, mine.get()) != 0) {
    const std::lock_guard lock(shared_->mutex);
    ++shared_->counters.failures;
    return;
  }
  static_cast<void>(mine.release());
  ::pthread_detach(id);
  running_ = true;
}

void* Reclaimer::thread(void* shared) {
  const std::unique_ptr<std::shared_ptr<Shared>> mine(static_cast<std::shared_ptr<Shared>*>(shared));
  work(**mine);
  return nullptr;
}

/// Never holds the lock while accessing a file.
void Reclaimer::work(Shared& shared) {
  std::vector<std::shared_ptr<Task>> round;
  std::unique_lock lock(shared.mutex);
  while (!shared.ending) {
    round = shared.tasks;
    bool busy = false, watching = false;
    for (const auto& task : round) {
      if (task->pending) {
        task->job.begin(*task->pending);
        task->pending.reset();
        task->live = true;
      }
      if (!task->live || !task->ordered) continue;
      lock.unlock();
      const auto step = task->job.step(false);
      lock.lock();
      if (shared.ending) return;
      note(*task, step, shared.counters);
      busy = busy || (step.requested > Bytes{} && task->live);
      watching = watching || task->live;
    }
    round.clear();
    const auto has_work = [&shared] { return shared.has_work(); };
    if (busy) continue;
    if (watching)
      shared.changed.wait_for(lock, kLook, has_work);
    else
      shared.changed.wait(lock, has_work);
  }
}

void Reclaimer::note(Task& task, const ReclaimJob::Step& step, ReclaimCounters& counters) {
  task.outcome.requested += step.requested;
  task.outcome.reclaimed += step.reclaimed;
  task.outcome.end = step.end;
  task.outcome.error = step.error;
  task.live = step.end == ReclaimEnd::going;
  counters.chunks += step.requested > Bytes{} ? 1 : 0;
  counters.requested_bytes += static_cast<std::uint64_t>(step.requested.count());
  counters.reclaimed_bytes += static_cast<std::uint64_t>(step.reclaimed.count());
  counters.stopped_by_pressure += step.end == ReclaimEnd::pressure ? 1 : 0;
  counters.budget_exhausted += step.end == ReclaimEnd::budget ? 1 : 0;
  counters.nothing_left += step.end == ReclaimEnd::nothing_left ? 1 : 0;
  counters.failures += step.end == ReclaimEnd::failed ? 1 : 0;
}

}  // namespace evenkeel::reclaim
