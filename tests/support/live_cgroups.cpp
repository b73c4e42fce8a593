#include "tests/support/live_cgroups.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace evenkeel::test {
namespace {

void remove_tree(const Host& host, const std::string& dir) {
  if (const auto names = host.subdirs(dir))
    for (const auto& name : *names) remove_tree(host, dir + '/' + name);
  ::rmdir(host.absolute(dir).c_str());
}

int make_dirs(const Host& host, const std::string& hierarchy, const std::string& path) {
  for (auto end = path.find('/');; end = path.find('/', end + 1)) {
    const auto dir = host.absolute(hierarchy + '/' + path.substr(0, end));
    if (::mkdir(dir.c_str(), 0755) != 0 && errno != EEXIST) return errno;
    if (end == std::string::npos) return 0;
  }
}

}  // namespace

LiveCgroups::LiveCgroups() : top_("evenkeel-test-" + std::to_string(::getpid())) {
  auto host = Host::open("/");
  if (!host) return;
  host_.emplace(std::move(*host));
  const auto layout = detect_layout(*host_, top_);
  if (!layout) {
    why_not_ = "no cgroup file system";
    return;
  }
  layout_ = *layout;
  for (const auto& hierarchy : layout_.hierarchies())
    if (const int error = make_dirs(*host_, hierarchy, top_); error != 0 && why_not_.empty())
      why_not_ = "cannot make a cgroup below /" + hierarchy + ": " + std::strerror(error);
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
  for (const auto& hierarchy : layout_.hierarchies()) remove_tree(*host_, hierarchy + '/' + top_ + '/' + path);
}

std::string LiveCgroups::file(Controller controller, const std::string& path, const std::string& name) const {
  return host_->absolute(layout_.root(controller) + '/' + top_ + '/' + path + '/' + name);
}

}  // namespace evenkeel::test
