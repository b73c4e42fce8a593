#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>

#include "agent/writers/writers.h"
#include "cgroup/base/text.h"

namespace evenkeel::writers {
namespace {

/// Far more than all locks of a machine. Whoever holds very many could make this list long.
constexpr std::size_t kLongestList = std::size_t{64} << 20;

std::string list_of_locks(const Host& host) {
  const auto file = host.open_read("proc/locks");
  std::string text;
  std::array<char, 16384> piece{};
  while (file && text.size() < kLongestList) {
    const auto got = ::read(file->get(), piece.data(), piece.size());
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// The user who started a process; absent: there is no such process. Not the effective one: a program with
/// another user's rights (su) inherits locks from whoever starts it.
std::optional<std::int64_t> user_of(const Host& host, int process) {
  const auto status = host.slurp("proc/" + std::to_string(process) + "/status");
  std::optional<std::int64_t> user;
  if (status)
    for_each_key(*status, [&](std::string_view key, std::int64_t value) {
      if (key == "Uid:") user = value;
    });
  return user;
}

/// Of whom the kernel tells: not of those in other PID namespaces.
std::vector<int> holders_of(const Host& host, const Fd& dir) {
  struct stat is {};
  if (::fstat(dir.get(), &is) != 0) return {};
  return flock_holders(list_of_locks(host), is.st_dev, is.st_ino);
}

/// Whoever may open the directory may lock it, and every user of the machine may. Such a lock is no agent's:
/// that one belongs to root, or to this agent's own user.
bool are_strangers(const Host& host, const std::vector<int>& holders) {
  return std::ranges::all_of(holders, [&](int process) {
    const auto user = user_of(host, process);
    return !user || (*user != 0 && *user != static_cast<std::int64_t>(::getuid()));
  });
}

void tell(runtime::Log& log, const Host& host, const std::vector<int>& holders) {
  auto line = log.warning("cgroups-locked");
  if (holders.empty()) return void(line.with("process", "unknown").with("user", "unknown"));
  const auto user = user_of(host, holders.front());
  line.with("process", holders.front()).with("user", user ? std::to_string(*user) : std::string("unknown"));
}

/// A file of that directory, or of the same one of the memory controller, that only root may open: nobody
/// reads it, and it is opened without being written. Linux before 5.19 has none on cgroup v2.
Result<Fd> open_roots_file(const Host& host, const tree::Layout& layout) {
  const std::string& root = layout.root(Controller::memory);
  if (root.empty()) return fail(ENOENT, Op::open);
  return executor::open_command_file(host,
                                     layout.cgroup_root.empty() ? root : root + '/' + layout.cgroup_root,
                                     layout.v2(Controller::memory) ? "memory.reclaim" : "memory.force_empty");
}

}  // namespace

std::vector<int> flock_holders(std::string_view locks, std::uint64_t device, std::uint64_t inode) {
  std::array<char, 64> file{};
  std::snprintf(file.data(), file.size(), "%02x:%02x:%llu", major(device), minor(device),
                static_cast<unsigned long long>(inode));
  std::vector<int> holders;
  Scanner all(locks);
  while (!all.done()) {
    Scanner line(all.line());
    line.word();  // its number
    if (line.word() != "FLOCK") continue;
    line.word();  // ADVISORY
    line.word();  // READ or WRITE
    const auto process = line.number();
    const bool this_one = line.word() == file.data();
    if (process && *process > 0 && *process <= INT_MAX && this_one)
      holders.push_back(static_cast<int>(*process));
  }
  return holders;
}

std::string claimed_dir(const tree::Layout& layout) {
  return layout.cgroup_root.empty() ? layout.primary() : layout.primary() + '/' + layout.cgroup_root;
}

Result<CgroupClaim> claim_cgroups(const Host& host, const tree::Layout& layout, runtime::Log& log) {
  auto dir = host.open_dir(claimed_dir(layout));
  if (!dir) return tl::unexpected(dir.error());
  auto roots = open_roots_file(host, layout);
  const bool has_roots = roots && ::flock(roots->get(), LOCK_EX | LOCK_NB) == 0;
  if (roots && !has_roots && errno == EWOULDBLOCK) return fail(EWOULDBLOCK, Op::open);
  CgroupClaim claim{std::move(*dir), has_roots ? std::move(*roots) : Fd()};
  if (::flock(claim.dir.get(), LOCK_EX | LOCK_NB) == 0) return claim;
  const int code = errno;
  if (code != EWOULDBLOCK) return fail(code, Op::open);
  const auto holders = holders_of(host, claim.dir);
  // Without a name it may be an agent in another PID namespace, which then has locked the file of root, too.
  const bool is_no_agents = holders.empty() ? has_roots : are_strangers(host, holders);
  if (!is_no_agents) return fail(code, Op::open);
  tell(log, host, holders);
  return claim;
}

}  // namespace evenkeel::writers
