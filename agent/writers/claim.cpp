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

/// Whoever may open the directory may lock it, and every user of the machine may. Such a lock is no agent's:
/// that one belongs to root, or to this agent's own user.
bool held_by_strangers(const Host& host, const Fd& dir, runtime::Log& log) {
  struct stat is {};
  if (::fstat(dir.get(), &is) != 0) return false;
  const auto holders = flock_holders(list_of_locks(host), is.st_dev, is.st_ino);
  const auto is_stranger = [&](int process) {
    const auto user = user_of(host, process);
    return !user || (*user != 0 && *user != static_cast<std::int64_t>(::getuid()));
  };
  // Without a name it may be an agent in another PID namespace.
  if (holders.empty() || !std::ranges::all_of(holders, is_stranger)) return false;
  const auto user = user_of(host, holders.front());
  log.warning("cgroups-locked")
      .with("process", holders.front())
      .with("user", user ? std::to_string(*user) : std::string("unknown"));
  return true;
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

Result<Fd> claim_cgroups(const Host& host, const tree::Layout& layout, runtime::Log& log) {
  auto dir = host.open_dir(claimed_dir(layout));
  if (!dir || ::flock(dir->get(), LOCK_EX | LOCK_NB) == 0) return dir;
  const int code = errno;
  if (code != EWOULDBLOCK || !held_by_strangers(host, *dir, log)) return fail(code, Op::open);
  return dir;
}

}  // namespace evenkeel::writers
