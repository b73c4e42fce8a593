#include "cgroup/reclaim/pressure_trigger.h"

#include <fcntl.h>

#include <array>
#include <chrono>

namespace evenkeel::reclaim {
namespace {

using std::chrono::milliseconds;

constexpr std::array kWindows = {milliseconds(50),   milliseconds(100),  milliseconds(200),
                                 milliseconds(500),  milliseconds(1000), milliseconds(2000),
                                 milliseconds(4000), milliseconds(10000)};
constexpr Percent kTriedStall{10};

std::string microseconds(Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
}

}  // namespace

Result<Fd> open_pressure_trigger(const Host& host, const std::string& file, Duration stall, Duration window) {
  const auto slash = file.rfind('/');
  const auto dir = host.open_dir_path(file.substr(0, slash));
  if (!dir) return tl::unexpected(dir.error());
  Fd fd(::openat(dir->get(), file.c_str() + slash + 1, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return fail(errno, Op::open, "pressure");
  if (!is_kernel_fs(fd.get())) return fail(ENODEV, Op::open, "pressure");  // a plain file would keep the text
  const std::string order = "some " + microseconds(stall) + ' ' + microseconds(window);
  // The kernel expects the terminating NUL, too.
  if (::write(fd.get(), order.c_str(), order.size() + 1) < 0) return fail(errno, Op::write, "pressure");
  return fd;
}

Result<Duration> shortest_window(const Host& host, Duration wanted) {
  const auto taken = [&](Duration window) {
    const Duration stall(scaled(window.count(), kTriedStall.count(), 100));
    return open_pressure_trigger(host, "proc/pressure/cpu", stall, window);
  };
  auto tried = taken(wanted);
  if (tried) return wanted;
  for (const Duration window : kWindows) {
    if (window <= wanted) continue;
    tried = taken(window);
    if (tried) return window;
  }
  return tl::unexpected(tried.error());
}

}  // namespace evenkeel::reclaim
