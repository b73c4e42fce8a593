#include "tests/support/fakes/fake_host.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/fakes/fake_host_texts.h"

namespace evenkeel::test {
namespace fs = std::filesystem;
namespace {

std::string make_root() {
  const char* tmp = std::getenv("TMPDIR");
  std::string pattern = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : tmp ? tmp : "/tmp";
  pattern += "/evenkeel-host-XXXXXX";
  if (!::mkdtemp(pattern.data())) std::abort();
  return pattern;
}

const char* scope_prefix(FakeRuntime runtime) {
  switch (runtime) {
    case FakeRuntime::containerd:
      return "cri-containerd-";
    case FakeRuntime::crio:
      return "crio-";
    case FakeRuntime::docker:
      return "docker-";
    case FakeRuntime::pouch:
      return "pouch-";
  }
  return "";
}

}  // namespace

FakeHost::FakeHost() : root_(make_root()) {}

FakeHost::~FakeHost() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

FakeHost& FakeHost::file(const std::string& path, std::string_view text) {
  const fs::path full = fs::path(root_) / path;
  fs::create_directories(full.parent_path());
  std::ofstream(full, std::ios::binary | std::ios::trunc) << text;
  return *this;
}

FakeHost& FakeHost::dir(const std::string& path) {
  fs::create_directories(fs::path(root_) / path);
  return *this;
}

FakeHost& FakeHost::link(const std::string& path, const std::string& target) {
  const fs::path full = fs::path(root_) / path;
  fs::create_directories(full.parent_path());
  fs::create_symlink(target, full);
  return *this;
}

FakeHost& FakeHost::remove(const std::string& path) {
  fs::remove_all(fs::path(root_) / path);
  return *this;
}

std::string FakeHost::read(const std::string& path) const {
  std::ifstream in(fs::path(root_) / path, std::ios::binary);
  if (!in) return "<missing>";
  return {std::istreambuf_iterator<char>(in), {}};
}

bool FakeHost::exists(const std::string& path) const { return fs::exists(fs::path(root_) / path); }

FakeHost& FakeHost::machine(FakeMachine machine) {
  cpus_ = machine.cpus;
  for (const auto& [path, text] : fake_machine_files(machine)) file(path, text);
  return *this;
}

FakeHost& FakeHost::hierarchy(std::string dir, std::vector<Controller> controllers, bool unified) {
  hierarchies_.push_back({"sys/fs/cgroup" + std::move(dir), std::move(controllers), unified});
  const auto& made = hierarchies_.back();
  this->dir(made.dir);
  fill_files(made, made.dir, false, true);
  return *this;
}

FakeHost& FakeHost::v1() {
  hierarchy("/cpu", {Controller::cpu}, false);
  hierarchy("/cpuacct", {Controller::cpuacct}, false);
  hierarchy("/cpuset", {Controller::cpuset}, false);
  hierarchy("/memory", {Controller::memory}, false);
  hierarchy("/blkio", {Controller::blkio}, false);
  return hierarchy("/perf_event", {Controller::perf_event}, false);
}

FakeHost& FakeHost::v1_comounted() {
  hierarchy("/cpu,cpuacct", {Controller::cpu, Controller::cpuacct}, false);
  hierarchy("/cpuset", {Controller::cpuset}, false);
  hierarchy("/memory", {Controller::memory}, false);
  hierarchy("/blkio", {Controller::blkio}, false);
  hierarchy("/perf_event", {Controller::perf_event}, false);
  return link("sys/fs/cgroup/cpu", "cpu,cpuacct").link("sys/fs/cgroup/cpuacct", "cpu,cpuacct");
}

FakeHost& FakeHost::v2() {
  return hierarchy("",
                   {Controller::cpu, Controller::cpuacct, Controller::cpuset, Controller::memory,
                    Controller::blkio, Controller::perf_event},
                   true);
}

FakeHost& FakeHost::hybrid() { return v1_comounted().hierarchy("/unified", {}, true); }

FakeHost& FakeHost::cgroupfs() {
  systemd_ = false;
  return *this;
}
FakeHost& FakeHost::systemd() {
  systemd_ = true;
  return *this;
}
FakeHost& FakeHost::runtime(FakeRuntime runtime) {
  runtime_ = runtime;
  return *this;
}
FakeHost& FakeHost::cgroup_root(const std::string& relative) {
  cgroup_root_ = relative;
  return relative.empty() ? *this : cgroup(relative);
}
FakeHost& FakeHost::bare(bool on) {
  bare_ = on;
  return *this;
}

FakeHost& FakeHost::kubepods() {
  cgroup(kubepods_path());
  return cgroup(qos_path(KubeQos::burstable)).cgroup(qos_path(KubeQos::besteffort));
}

std::string FakeHost::pod(KubeQos qos, std::string_view uid, const std::vector<std::string>& containers) {
  std::string name = "pod" + std::string(uid);
  if (systemd_) {
    std::replace(name.begin(), name.end(), '-', '_');
    const char* branch = qos == KubeQos::burstable    ? "burstable-"
                         : qos == KubeQos::besteffort ? "besteffort-"
                                                      : "";
    name = "kubepods-" + std::string(branch) + name + ".slice";
  }
  const auto path = qos_path(qos) + "/" + name;
  cgroup(path);
  for (const auto& id : containers) container(path, id);
  return path;
}

std::string FakeHost::container(const std::string& pod, std::string_view id) {
  const std::string bare_id(id);
  const auto path = pod + "/" + (systemd_ ? scope_prefix(runtime_) + bare_id + ".scope" : bare_id);
  cgroup(path);
  return path;
}

FakeHost& FakeHost::cgroup(const std::string& path) {
  const bool besteffort = path.find("besteffort") != std::string::npos;
  for (const auto& hierarchy : hierarchies_) fill(hierarchy, path, besteffort);
  return *this;
}

FakeHost& FakeHost::remove_cgroup(const std::string& path) {
  for (const auto& hierarchy : hierarchies_) remove(hierarchy.dir + "/" + path);
  return *this;
}

// Like mkdir -p in cgroupfs: every directory on the way gets its files.
void FakeHost::fill(const Hierarchy& hierarchy, const std::string& path, bool besteffort) {
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const auto made = hierarchy.dir + "/" + path.substr(0, end);
    if (!exists(made)) {
      dir(made);
      fill_files(hierarchy, made, besteffort, false);
    }
    if (end == std::string::npos) return;
  }
}

void FakeHost::fill_files(const Hierarchy& hierarchy, const std::string& dir, bool besteffort, bool is_root) {
  if (bare_ && !is_root) return;
  const auto put = [&](const FakeFiles& files) {
    for (const auto& [name, text] : files) file(dir + "/" + name, text);
  };
  if (hierarchy.unified)
    return put(fake_v2_files(!hierarchy.controllers.empty(), cpus_, besteffort, is_root));
  for (const auto controller : hierarchy.controllers) put(fake_v1_files(controller, cpus_, besteffort));
}

std::string FakeHost::kubepods_path() const {
  const std::string name = systemd_ ? "kubepods.slice" : "kubepods";
  return cgroup_root_.empty() ? name : cgroup_root_ + "/" + name;
}

std::string FakeHost::qos_path(KubeQos qos) const {
  if (qos == KubeQos::guaranteed) return kubepods_path();
  const std::string name = qos == KubeQos::burstable ? "burstable" : "besteffort";
  return kubepods_path() + "/" + (systemd_ ? "kubepods-" + name + ".slice" : name);
}

std::string FakeHost::dir_of(Controller controller, const std::string& cgroup) const {
  for (const auto& hierarchy : hierarchies_)
    if (std::ranges::find(hierarchy.controllers, controller) != hierarchy.controllers.end())
      return cgroup.empty() ? hierarchy.dir : hierarchy.dir + "/" + cgroup;
  return "no-such-hierarchy";
}

FakeHost& FakeHost::write(Controller controller, const std::string& cgroup, const std::string& file,
                          std::string_view text) {
  return this->file(dir_of(controller, cgroup) + "/" + file, text);
}

std::string FakeHost::read(Controller controller, const std::string& cgroup, const std::string& file) const {
  return read(dir_of(controller, cgroup) + "/" + file);
}

}  // namespace evenkeel::test
