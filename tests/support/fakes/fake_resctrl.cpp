#include "tests/support/fakes/fake_resctrl.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <utility>

#include "cgroup/base/text.h"
#include "cgroup/resctrl/text.h"
#include "tests/support/fakes/schemata_text.h"

namespace evenkeel::test {
namespace {

const std::string kRoot = std::string(resctrl::kResctrlDir);

/// "sys/fs/resctrl/be/tasks" is ("be", "tasks"); the root's is ("", "tasks").
struct Place {
  std::string group{}, file{};
  bool inside = false;
};
Place place_of(const std::string& path) {
  if (path != kRoot && !path.starts_with(kRoot + "/")) return {};
  const auto rest = path.size() > kRoot.size() ? path.substr(kRoot.size() + 1) : std::string();
  const auto cut = rest.find('/');
  if (cut == std::string::npos) return {"", rest, true};
  return {rest.substr(0, cut), rest.substr(cut + 1), true};
}

std::string strip(std::string_view text) { return std::string(trimmed(text)); }
template <class T>
bool number(const std::string& text, T& out, int base) {
  const auto digits =
      base == 16 && text.starts_with("0x") ? std::string_view(text).substr(2) : std::string_view(text);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, base);
  return !digits.empty() && error == std::errc{} && end == digits.data() + digits.size();
}

}  // namespace

FakeResctrl::FakeResctrl(Machine machine) : machine_(std::move(machine)) { mount(); }

void FakeResctrl::mount() {
  mounted_ = true;
  groups_.clear();
  for (auto& [task, group] : where_) group.clear();
  Group root{.inode = next_inode_++};
  for (const int domain : machine_.domains) {
    root.values["L3"][domain] = machine_.mask;
    root.values["MB"][domain] = 100;
  }
  groups_[""] = root;
}

std::string FakeResctrl::text_of(const Group& group) const {
  std::string out;
  for (const char* resource : {"MB", "L3"}) {
    char before = ':';
    out += std::string("    ") + resource;
    for (const auto& [domain, value] : group.values.at(resource)) {
      std::array<char, 24> digits{};
      const bool mask = resource[0] == 'L';
      auto* const end =
          std::to_chars(digits.data(), digits.data() + digits.size(), value, mask ? 16 : 10).ptr;
      const std::string text(digits.data(), end);
      out += before + std::to_string(domain) + '=' +
             std::string(3 - std::min<std::size_t>(3, text.size()), mask ? '0' : ' ') + text;
      before = ';';
    }
    out += '\n';
  }
  return out;
}

std::string FakeResctrl::tasks_of(const std::string& group) const {
  std::string out;
  for (const auto& [task, where] : where_)
    if (where == group) out += std::to_string(task) + '\n';
  return out;
}

Result<std::string_view> FakeResctrl::read(const std::string& path, std::string& buffer) {
  ++reads;
  const auto place = place_of(path);
  const auto found = groups_.find(place.group);
  const auto plain = plain_.find(path);
  const auto threads = threads_.find(path);
  const bool cgroups = plain != plain_.end() || threads != threads_.end();
  if (!cgroups && (!place.inside || !mounted_)) return fail(ENOENT, Op::open);
  if (const int code = unreadable_[path]; code != 0) return fail(code, Op::read);
  if (plain != plain_.end()) {
    buffer = plain->second;
  } else if (threads != threads_.end()) {
    buffer.clear();
    for (const int task : threads->second) buffer += std::to_string(task) + '\n';
    if (forks_[path] > 0) {
      --forks_[path];
      task(next_task_++, path);
    }
  } else if (place.group == "info" && place.file == "last_cmd_status") {
    buffer = status() + '\n';
  } else if (place.group == "mon_groups" && place.file.ends_with("/tasks")) {
    buffer.clear();
    for (const int task : monitors_[place.file.substr(0, place.file.find('/'))])
      buffer += std::to_string(task) + '\n';
  } else if (found == groups_.end() || (place.file != "schemata" && place.file != "tasks")) {
    return fail(ENOENT, Op::open);
  } else {
    buffer = place.file == "tasks" ? tasks_of(place.group) : text_of(found->second);
  }
  return std::string_view(buffer);
}

int FakeResctrl::check_mask(const std::string& text, std::uint64_t& value) {
  if (!number(text, value, 16)) return status_ = "Non-hex character in the mask " + text, EINVAL;
  if (value == 0 || value > machine_.mask) return status_ = "Mask out of range", EINVAL;
  const auto shifted = value >> static_cast<unsigned>(std::countr_zero(value));
  if ((shifted & (shifted + 1)) != 0)
    return status_ = "The mask " + text + " has non-consecutive 1-bits", EINVAL;
  if (std::popcount(value) < machine_.least_ways)
    return status_ = "Need at least " + std::to_string(machine_.least_ways) + " bits in the mask", EINVAL;
  return 0;
}

int FakeResctrl::check_bandwidth(const std::string& text, std::uint64_t& value) {
  if (!number(text, value, 10)) return status_ = "Invalid MB value " + text, EINVAL;
  const auto least = static_cast<std::uint64_t>(machine_.least_bandwidth);
  const auto step = static_cast<std::uint64_t>(machine_.bandwidth_step);
  if (value < least || value > 100)
    return status_ =
               "MB value " + std::to_string(value) + " out of range [" + std::to_string(least) + ",100]",
           EINVAL;
  value = (value + step - 1) / step * step;
  return 0;
}

int FakeResctrl::write_domain(std::map<int, std::uint64_t>& values, std::set<int>& given, bool mask,
                              const std::string& part) {
  const auto equals = part.find('=');
  int domain = 0;
  if (equals == std::string::npos || !number(part.substr(0, equals), domain, 10))
    return status_ = "Missing '=' or non-numeric domain", EINVAL;
  if (!values.contains(domain)) return EINVAL;
  if (!given.insert(domain).second) return status_ = "Duplicate domain " + std::to_string(domain), EINVAL;
  const auto text = strip(part.substr(equals + 1));
  return mask ? check_mask(text, values[domain]) : check_bandwidth(text, values[domain]);
}

int FakeResctrl::write_line(Values& values, const std::string& line) {
  const auto colon = line.find(':');
  if (colon == std::string::npos) return status_ = "Missing ':'", EINVAL;
  const auto resource = strip(line.substr(0, colon));
  if (colon + 1 == line.size()) return status_ = "Missing '" + resource + "' value", EINVAL;
  if (!values.contains(resource))
    return status_ = "Unknown or unsupported resource name '" + resource + "'", EINVAL;
  std::set<int> given;
  for (std::string rest = line.substr(colon + 1); !rest.empty();) {
    const auto end = rest.find(';');
    if (const int code = write_domain(values[resource], given, resource == "L3", rest.substr(0, end));
        code != 0)
      return code;
    rest = end == std::string::npos ? std::string() : rest.substr(end + 1);
  }
  return 0;
}

int FakeResctrl::write_schemata(Group& group, std::string_view text) {
  if (text.empty() || text.back() != '\n') return EINVAL;  // and last_cmd_status keeps the previous text
  status_.clear();
  text.remove_suffix(1);
  Values values = group.values;
  for (;;) {
    const auto end = text.find('\n');
    if (const int code = write_line(values, std::string(text.substr(0, end))); code != 0) return code;
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  group.values = std::move(values);
  return 0;
}

int FakeResctrl::write_task(const std::string& group, std::string_view text) {
  int task = 0;
  if (!number(strip(std::string(text)), task, 10) || task < 0) return EINVAL;
  status_.clear();
  if (!where_.contains(task)) return status_ = "No task " + std::to_string(task), ESRCH;
  where_[task] = group;
  for (auto& [name, tasks] : monitors_) tasks.erase(task);
  return 0;
}

int FakeResctrl::change(const std::string& path, std::string_view text, int code) {
  ++changes;
  log_ += path.substr(std::min(path.size(), kRoot.size() + 1)) + " <- " + std::string(trimmed(text));
  if (code != 0) log_ += std::string(": ") + errno_name(code);
  log_ += '\n';
  return code;
}

Result<> FakeResctrl::write(const std::string& path, std::string_view text) {
  const auto place = place_of(path);
  const auto found = groups_.find(place.group);
  int code = failing_[path];
  if (code == 0 && (!mounted_ || !place.inside || found == groups_.end())) code = ENOENT;
  if (code == 0 && place.file == "schemata") code = write_schemata(found->second, text);
  if (code == 0 && place.file == "tasks") code = write_task(place.group, text);
  if (change(path, text, code) != 0) return fail(code, Op::write);
  return {};
}

Result<> FakeResctrl::make_dir(const std::string& path) {
  const auto place = place_of(path);
  int code = failing_[path];
  if (code == 0 && !mounted_) code = ENOENT;
  if (code == 0 && !place.group.empty()) code = EPERM;
  if (code == 0) {
    status_.clear();
    if (groups_.contains(place.file)) code = EEXIST;
  }
  if (code == 0 && static_cast<int>(groups_.size()) >= machine_.max_groups) {
    status_ = "Out of CLOSIDs";
    code = ENOSPC;
  }
  if (change(path, "mkdir", code) != 0) return fail(code, Op::write);
  groups_[place.file] = {groups_[""].values, next_inode_++};
  for (auto& [resource, values] : groups_[place.file].values)
    for (auto& [domain, value] : values) value = resource == "L3" ? machine_.mask : 100;
  return {};
}

Result<> FakeResctrl::remove_dir(const std::string& path) {
  const auto place = place_of(path);
  int code = failing_[path];
  if (code == 0 && (!mounted_ || place.file.empty() || !groups_.contains(place.file))) code = ENOENT;
  if (change(path, "rmdir", code) != 0) return fail(code, Op::write);
  groups_.erase(place.file);
  for (auto& [task, group] : where_)
    if (group == place.file) group.clear();
  return {};
}

Result<std::uint64_t> FakeResctrl::inode(const std::string& path) {
  if (const int code = unreadable_[path]; code != 0) return fail(code, Op::read);
  const auto place = place_of(path);
  const auto found = groups_.find(place.file);
  if (!mounted_ || !place.inside || found == groups_.end()) return fail(ENOENT, Op::open);
  return found->second.inode;
}

Result<> FakeResctrl::append_subdirs(const std::string& path, std::string& names) {
  std::vector<std::string> out;
  if (path == kRoot + "/mon_groups")
    for (const auto& [name, tasks] : monitors_) out.push_back(name);
  // The cgroups known here are those of the files into which tests put tasks.
  for (const auto& [file, tasks] : threads_) {
    if (!file.starts_with(path + "/")) continue;
    const auto rest = file.substr(path.size() + 1);
    const auto cut = rest.find('/');
    const auto name = rest.substr(0, cut);
    if (cut != std::string::npos && std::ranges::find(out, name) == out.end()) out.push_back(name);
  }
  for (const auto& name : out) names.append(name).push_back('\0');
  return {};
}

void FakeResctrl::task(int id, const std::string& threads_file, const std::string& group) {
  threads_[threads_file].insert(id);
  where_[id] = group;
}

void FakeResctrl::end(int id) {
  for (auto& [file, tasks] : threads_) tasks.erase(id);
  where_.erase(id);
}

std::string FakeResctrl::group_of(int task) const {
  const auto found = where_.find(task);
  return found == where_.end() ? "<exited>" : found->second;
}

std::string FakeResctrl::schemata(const std::string& group) const {
  const auto found = groups_.find(group);
  const auto parsed = found == groups_.end() ? std::nullopt : resctrl::parse_schemata(text_of(found->second));
  std::string out = parsed ? schemata_text(*parsed) : "<missing>\n";
  std::ranges::replace(out, '\n', ' ');
  out.pop_back();
  return out;
}

std::string FakeResctrl::everything() const {
  std::string out;
  for (const auto& [name, group] : groups_) out += '/' + name + ' ' + schemata(name) + '\n';
  return out;
}

std::string FakeResctrl::taken() { return std::exchange(log_, {}); }

}  // namespace evenkeel::test
