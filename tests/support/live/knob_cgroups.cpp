#include "tests/support/live/knob_cgroups.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace evenkeel::test {
namespace {

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

int put(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return errno;
  const int code = ::write(fd, text.data(), text.size()) < 0 ? errno : 0;
  ::close(fd);
  return code;
}

std::string get(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? "ENOENT" : "unreadable";
  std::array<char, 4096> buffer{};
  const auto got = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  return got < 0 ? "unreadable" : std::string(buffer.data(), static_cast<std::size_t>(got));
}

/// Split into pieces so that nothing else in the tests starts at the real root by accident.
std::string absolute(const std::string& relative) { return "/" + relative; }

}  // namespace

std::optional<std::string> KnobCgroups::missing(Version version) {
  if (::geteuid() != 0) return "needs root";
  const bool v2 = exists(absolute("sys/fs/cgroup/cgroup.controllers"));
  if (version == Version::v2) {
    if (!v2) return "the cgroup root here is not v2";
    const auto controllers = get(absolute("sys/fs/cgroup/cgroup.controllers"));
    const bool both = controllers.find("cpu ") != std::string::npos &&
                      controllers.find("cpuset") != std::string::npos &&
                      controllers.find("memory") != std::string::npos;
    return both ? std::nullopt : std::optional<std::string>("no cpu, cpuset and memory controllers on v2");
  }
  if (v2) return "the cgroup root here is v2";
  if (!exists(absolute("sys/fs/cgroup/cpu/cpu.shares"))) return "no cpu hierarchy of cgroup v1";
  if (!exists(absolute("sys/fs/cgroup/cpuset/cpuset.cpus"))) return "no cpuset hierarchy of cgroup v1";
  if (::access(absolute("sys/fs/cgroup/cpu").c_str(), W_OK) != 0) return "cgroups are read-only here";
  return std::nullopt;
}

KnobCgroups::KnobCgroups(Version version, std::string_view name)
    : version_(version), top_("evenkeel-test-" + std::to_string(::getpid()) + std::string(name)) {
  if (version_ == Version::v2) put(absolute("sys/fs/cgroup/cgroup.subtree_control"), "+cpu +cpuset +memory");
  make("");
}

KnobCgroups::~KnobCgroups() {
  for (const auto child : children_) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  std::ranges::sort(made_, std::ranges::greater{});  // children before their parents
  for (const auto& path : made_) remove(path);
}

std::vector<std::string> KnobCgroups::roots() const {
  if (version_ == Version::v2) return {"sys/fs/cgroup/"};
  return {"sys/fs/cgroup/cpu/", "sys/fs/cgroup/cpuset/"};
}

std::string KnobCgroups::dir(const std::string& path, std::string_view file) const {
  const auto below = path.empty() ? top_ : top_ + "/" + path;
  return (version_ == Version::v1 && file.starts_with("cpuset") ? roots().back() : roots().front()) + below;
}

void KnobCgroups::make(const std::string& path) {
  const auto below = path.empty() ? top_ : top_ + "/" + path;
  for (const auto& root : roots()) ::mkdir(absolute(root + below).c_str(), 0755);
  made_.push_back(path);
  if (version_ == Version::v1) {
    put(absolute("sys/fs/cgroup/cpuset/" + below + "/cpuset.mems"),
        get(absolute("sys/fs/cgroup/cpuset/cpuset.mems")));
    return;
  }
  if (path.empty()) return;
  const auto cut = below.rfind('/');
  put(absolute("sys/fs/cgroup/" + below.substr(0, cut) + "/cgroup.subtree_control"), "+cpu +cpuset +memory");
}

void KnobCgroups::remove(const std::string& path) {
  const auto below = path.empty() ? top_ : top_ + "/" + path;
  for (const auto& root : roots()) {
    // A process that was just reaped may still be counted for a moment.
    for (int attempt = 0; attempt < 100; ++attempt) {
      if (::rmdir(absolute(root + below).c_str()) == 0 || errno != EBUSY) break;
      ::usleep(1000);
    }
  }
}

int KnobCgroups::attach(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  children_.push_back(child);
  const auto pid = std::to_string(child);
  const int code = put(absolute(dir(path, "cpuset") + "/cgroup.procs"), pid);
  return code != 0 ? code : put(absolute(dir(path, "cpu") + "/cgroup.procs"), pid);
}

int KnobCgroups::write(const std::string& path, std::string_view file, std::string_view text) {
  return put(absolute(dir(path, file) + "/" + std::string(file)), text);
}

std::string KnobCgroups::read(const std::string& path, std::string_view file) const {
  return get(absolute(dir(path, file) + "/" + std::string(file)));
}

}  // namespace evenkeel::test
