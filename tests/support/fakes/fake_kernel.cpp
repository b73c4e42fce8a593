#include "tests/support/fakes/fake_kernel.h"

#include <cerrno>

#include "cgroup/base/text.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::test {

FakeKernel::FakeKernel(bool v2, int cpus, bool vendor)
    : disks(v2),
      v2_(v2),
      rules_({.cpu_v2 = v2,
              .cpuset_v2 = v2,
              .memory_v2 = v2,
              .online = CpuSet::range(0, cpus - 1),
              .plain = kernel::mainline_plain_knobs(v2) | (vendor ? kernel::vendor_plain_knobs() : 0)}) {}

kernel::KernelGroup& FakeKernel::make(const std::string& path) {
  const auto cut = path.rfind('/');
  const auto parent = cut == std::string::npos ? groups_.end() : groups_.find(path.substr(0, cut));
  const int above = parent == groups_.end() ? -1 : parent->second.index;
  kernel::KernelGroup group{.parent = above};
  if (!v2_) group.cpus = above < 0 ? rules_.kind().online : rules_.group(above).cpus;
  groups_[path] = {rules_.add(group), next_inode_++};
  return at(path);
}

void FakeKernel::remove(const std::string& path) {
  std::erase_if(groups_, [&](const auto& item) {
    const bool gone = item.first == path || item.first.starts_with(path + "/");
    if (gone) rules_.remove(item.second.index);
    if (gone) disks.forget(item.first);
    return gone;
  });
}

std::string FakeKernel::text(const std::string& path, std::string_view file) const {
  const auto found = groups_.find(path);
  if (found == groups_.end()) return "<missing>";
  if (disks.has(file)) return std::string(trimmed(disks.read(path, file)));
  const auto text = rules_.read(found->second.index, file);
  return text ? std::string(trimmed(*text)) : "<missing>";
}

int FakeKernel::other(const std::string& path, std::string_view file, std::string_view text) {
  return disks.has(file) ? disks.write(path, file, text) : rules_.write(groups_.at(path).index, file, text);
}

std::string FakeKernel::cgroup_of(const std::string& dir) const {
  for (const char* root : {"sys/fs/cgroup/cpuset/", "sys/fs/cgroup/cpu/", "sys/fs/cgroup/memory/",
                           "sys/fs/cgroup/blkio/", "sys/fs/cgroup/"})
    if (v2_ == (std::string_view(root) == "sys/fs/cgroup/") && dir.starts_with(root))
      return dir.substr(std::string_view(root).size());
  return {};
}

const FakeKernel::Group* FakeKernel::find(const KnobFile& file) const {
  const auto found = groups_.find(cgroup_of(file.dir));
  if (found == groups_.end() || (file.inode != 0 && file.inode != found->second.inode)) return nullptr;
  const auto controller = file.name.substr(0, file.name.find('.'));
  return v2_ || file.dir.starts_with("sys/fs/cgroup/" + std::string(controller) + "/") ? &found->second
                                                                                       : nullptr;
}

Result<std::string> FakeKernel::read(const KnobFile& file) {
  ++reads;
  for (const auto& path : {file.path(), file.shown_path()})
    if (const auto failing = unreadable_.find(path); failing != unreadable_.end() && failing->second != 0)
      return fail(failing->second, Op::read);
  if (const auto own = node_files.find(file.path()); own != node_files.end()) return own->second;
  const auto* group = find(file);
  if (!group) return fail(ENOENT, Op::open);
  if (const auto whole = file_part(file.name); disks.has(whole))
    return disk_entry(file.name, file.device, disks.read(cgroup_of(file.dir), whole));
  const bool effective = !v2_ && file.name == "cpuset.effective_cpus";
  auto text = rules_.read(group->index, effective ? "cpuset.cpus" : file.name);
  if (!text) return fail(ENOENT, Op::open);
  return *text;
}

Result<> FakeKernel::write(const KnobFile& file, std::string_view text) {
  const auto own = node_files.find(file.path());
  const auto* group = own == node_files.end() ? find(file) : nullptr;
  int code = group || own != node_files.end() ? 0 : ENOENT;
  for (const auto& path : {file.path(), file.shown_path(), std::string()})
    if (const auto failing = failing_.find(path); failing != failing_.end() && failing->second != 0)
      code = failing->second;
  const auto whole = file_part(file.name);
  if (code == 0 && group)
    code = disks.has(whole) ? disks.write(cgroup_of(file.dir), whole, text)
                            : rules_.write(group->index, file.name, text);
  if (code == 0 && !group) own->second = std::string(trimmed(text)) + "\n";
  auto line = (group ? cgroup_of(file.dir) : file.dir) + "/" + std::string(whole) + " <- " +
              std::string(trimmed(text));
  if (code != 0) line.append(": ").append(errno_name(code));
  log.push_back(line);
  if (code != 0) return fail(code, Op::write);
  return {};
}

Result<std::uint64_t> FakeKernel::inode(const std::string& dir) {
  if (const auto failing = unseen_.find(dir); failing != unseen_.end() && failing->second != 0)
    return fail(failing->second, Op::read);
  const auto found = groups_.find(cgroup_of(dir));
  if (found == groups_.end()) return fail(ENOENT, Op::open);
  return found->second.inode;
}

Result<> FakeKernel::append_subdirs(const std::string& dir, std::string& names) {
  if (const auto failing = unseen_.find(dir); failing != unseen_.end() && failing->second != 0)
    return fail(failing->second, Op::list);
  const auto above = cgroup_of(dir);
  if (!has(above)) return fail(ENOENT, Op::list);
  for (const auto& [path, group] : groups_)
    if (const auto cut = path.rfind('/'); cut == above.size() && path.starts_with(above))
      names.append(path, cut + 1).push_back('\0');
  return {};
}

std::string FakeKernel::taken() {
  std::string out;
  for (const auto& line : log) out += line + "\n";
  log.clear();
  return out;
}

}  // namespace evenkeel::test
