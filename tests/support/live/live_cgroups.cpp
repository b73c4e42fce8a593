#include "tests/support/live/live_cgroups.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace evenkeel::test {
namespace {

void remove_tree(const Host& host, const std::string& dir) {
  if (const auto names = host.subdirs(dir))
    for (const auto& name : *names) remove_tree(host, dir + '/' + name);
  ::rmdir(host.absolute(dir).c_str());
}

// On v2 a cgroup has a controller's files only if its parent enables the controller. After a refusal the file
// is missing, which the test then reports.
void pass_on_controllers(const std::string& parent) {
  for (const char* controller : {"+cpu", "+cpuset", "+memory", "+io"}) {
    std::ofstream out(parent + "/cgroup.subtree_control");
    out << controller << std::flush;
  }
}

int make_dirs(const Host& host, const std::string& hierarchy, const std::string& path) {
  for (auto end = path.find('/');; end = path.find('/', end + 1)) {
    const auto dir = host.absolute(hierarchy + '/' + path.substr(0, end));
    const auto parent = dir.substr(0, dir.rfind('/'));
    if (::access((parent + "/cgroup.subtree_control").c_str(), W_OK) == 0) pass_on_controllers(parent);
    if (::mkdir(dir.c_str(), 0755) != 0 && errno != EEXIST) return errno;
    if (end == std::string::npos) return 0;
  }
}

}  // namespace

LiveCgroups::LiveCgroups() : top_("evenkeel-test-" + std::to_string(::getpid())) {
  auto host = Host::open("/");
  if (!host) return;
  host_.emplace(std::move(*host));
  const auto layout = tree::detect_layout(*host_, top_);
  if (!layout) {
    unavailable_reason_ = "no cgroup file system";
    return;
  }
  layout_ = *layout;
  for (const auto& hierarchy : layout_.hierarchies())
    if (const int error = make_dirs(*host_, hierarchy, top_); error != 0 && unavailable_reason_.empty())
      unavailable_reason_ = "cannot make a cgroup below /" + hierarchy + ": " + std::strerror(error);
  const auto cpu = layout_.root(Controller::cpu) + '/' + top_;
  if (unavailable_reason_.empty() && layout_.v2(Controller::cpu) && !host_->exists(cpu + "/cpu.weight"))
    unavailable_reason_ = "the cpu controller is not passed on below /" + layout_.unified;
}

LiveCgroups::~LiveCgroups() {
  if (host_)
    for (const auto& hierarchy : layout_.hierarchies()) remove_tree(*host_, hierarchy + '/' + top_);
}

std::string LiveCgroups::make(const std::string& path) {
  for (const auto& hierarchy : layout_.hierarchies()) make_in(hierarchy, path);
  return top_ + '/' + path;
}

void LiveCgroups::make_in(const std::string& hierarchy, const std::string& path) {
  make_dirs(*host_, hierarchy, top_ + '/' + path);
}

void LiveCgroups::remove(const std::string& path) {
  for (const auto& hierarchy : layout_.hierarchies())
    remove_tree(*host_, hierarchy + '/' + top_ + '/' + path);
}

void LiveCgroups::come_first() {
  const bool v2 = layout_.v2(Controller::cpu);
  std::ofstream(file(Controller::cpu, "", v2 ? "cpu.weight" : "cpu.shares")) << (v2 ? 10000 : 262144);
}

std::string LiveCgroups::file(Controller controller, const std::string& path, const std::string& name) const {
  return host_->absolute(layout_.root(controller) + '/' + top_ + '/' + path + '/' + name);
}

std::string LiveCgroups::unified_file(const std::string& path, const std::string& name) const {
  return host_->absolute(layout_.unified + '/' + top_ + '/' + path + '/' + name);
}

std::string LiveCgroups::quota_file(const std::string& path) const {
  return file(Controller::cpu, path, layout_.v2(Controller::cpu) ? "cpu.max" : "cpu.cfs_quota_us");
}

std::string LiveCgroups::burst_file(const std::string& path) const {
  return file(Controller::cpu, path, layout_.v2(Controller::cpu) ? "cpu.max.burst" : "cpu.cfs_burst_us");
}

long LiveCgroups::throttled_periods(const std::string& path) const {
  std::ifstream stat(file(Controller::cpu, path, "cpu.stat"));
  std::string name;
  for (long value = 0; stat >> name >> value;)
    if (name == "nr_throttled") return value;
  return -1;
}

}  // namespace evenkeel::test
