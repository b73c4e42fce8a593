#include "tests/support/scenes/resctrl_node.h"

namespace evenkeel::test {

ResctrlNode::ResctrlNode(FakeResctrl::Machine machine, bool dry_run)
    : kernel(std::move(machine)), dry_run_(dry_run) {
  host_.v2().bare().kubepods();
  pod_ = host_.pod(KubeQos::besteffort, "11111111-2222-3333-4444-555555555555", {"a"});
  root_.emplace(std::move(*Host::open(host_.root())));
  tree_.emplace(*root_, *tree::detect_layout(*root_, ""));
  tree_->scan();
  kernel.task(101, threads_of("a"));
  kernel.task(102, threads_of("a"));
  kernel.task(1, "sys/fs/cgroup/init.scope/cgroup.threads");
  restart();
}

void ResctrlNode::restart() { writer.emplace(*tree_, kernel, journal, dry_run_); }

CgroupId ResctrlNode::container(const std::string& name) {
  host_.container(pod_, name);
  tree_->scan();
  return id(name);
}

void ResctrlNode::remove_container(const std::string& name) {
  host_.remove_cgroup(pod_ + "/" + name);
  tree_->scan();
}

CgroupId ResctrlNode::id(const std::string& name) const {
  const auto* cgroup = tree_->find_path(pod_ + "/" + name);
  return cgroup ? cgroup->id : CgroupId{};
}

std::string ResctrlNode::threads_of(const std::string& name) const {
  return "sys/fs/cgroup/" + pod_ + "/" + name + "/cgroup.threads";
}

void ResctrlNode::plan(const std::string& group, const std::string& schemata,
                       const std::vector<std::string>& containers, decide::ResctrlGroupIndex instead) {
  auto& intent = intents.add_group();
  intent.name = group;
  intent.schemata = schemata;
  intent.instead = instead;
  intent.why = because("the test wants it");
  const auto index = static_cast<decide::ResctrlGroupIndex>(intents.groups().size()) - 1;
  for (const auto& name : containers) intents.add_member(id(name), index);
}

executor::Report ResctrlNode::tick(int seconds) {
  now_ += std::chrono::seconds(seconds);
  executor::Report report;
  writer->apply(intents, now_, report);
  return report;
}

void ResctrlNode::settle() {
  for (int i = 0; i < 8; ++i) tick();
  kernel.taken();
}

executor::Report ResctrlNode::restore_all() {
  executor::Report report;
  writer->restore_all(now_, report);
  return report;
}

}  // namespace evenkeel::test
