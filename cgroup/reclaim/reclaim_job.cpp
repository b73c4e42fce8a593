#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "cgroup/base/text.h"
#include "cgroup/executor/file_writer.h"
#include "cgroup/reclaim/reclaimer.h"

namespace evenkeel::reclaim {
namespace {

constexpr Bytes kSmallestChunk{std::int64_t{4} << 20}, kLargestChunk{std::int64_t{64} << 20};
constexpr Bytes kPage{4096};
constexpr int kMostMisses = 3;

using Buffer = std::array<char, 256>;  // two lines of pressure, or one number

Result<std::string_view> read(const Fd& file, Buffer& buffer) {
  const auto got = ::pread(file.get(), buffer.data(), buffer.size(), 0);
  if (got < 0) return fail(errno, Op::read);
  return std::string_view(buffer.data(), static_cast<std::size_t>(got));
}

Result<Bytes> bytes_in(const Fd& file) {
  Buffer buffer{};
  const auto text = read(file, buffer);
  if (!text) return tl::unexpected(text.error());
  const auto number = whole_number(*text);
  if (!number || *number < 0) return fail(EINVAL, Op::parse);
  return Bytes(*number);
}

/// "some avg10=0.00 avg60=0.00 avg300=0.00 total=0": the last word of the first line.
Result<std::int64_t> stall_us_in(const Fd& file) {
  Buffer buffer{};
  const auto text = read(file, buffer);
  if (!text) return tl::unexpected(text.error());
  const auto line = text->substr(0, text->find('\n'));
  const auto total = line.rfind(" total=");
  const auto number = total == std::string_view::npos ? std::nullopt : whole_number(line.substr(total + 7));
  if (!number) return fail(EINVAL, Op::parse);
  return *number;
}

ReclaimJob::Step failed(int error) {
  // A removed cgroup has nothing left to reclaim: not a failure.
  if (vanished(Error{.code = error})) return {.end = ReclaimEnd::done};
  return {.end = ReclaimEnd::failed, .error = error};
}

}  // namespace

Result<ReclaimFiles> ReclaimFiles::open(const tree::CgroupTree& tree, const tree::Cgroup& cgroup) {
  const auto dir = tree.dir(cgroup, Controller::memory);
  auto current = tree.host().open_read(dir + "/memory.current");
  if (!current) return tl::unexpected(current.error());
  auto pressure = tree.host().open_read(dir + "/memory.pressure");
  if (!pressure) return tl::unexpected(pressure.error());
  auto reclaim = executor::open_command_file(tree.host(), dir, kReclaimFile);
  if (!reclaim) return tl::unexpected(reclaim.error());
  return ReclaimFiles{std::move(*current), std::move(*pressure), std::move(*reclaim)};
}

void ReclaimJob::begin(const ReclaimOrder& order) {
  order_ = order;
  spent_ = {};
  misses_ = 0;
  stall_from_us_ = stall_seen_us_;
}

ReclaimJob::Step ReclaimJob::step(bool whole) {
  const auto used = bytes_in(files_.current);
  if (!used) return failed(used.error().code);
  if (order_.stall_allowed) {
    const auto stall = stall_us_in(files_.pressure);
    if (!stall) return failed(stall.error().code);
    stall_seen_us_ = *stall;
    if (stalled(*used)) return {.end = ReclaimEnd::pressure};
  }
  begun_ = *used > (begun_ ? order_.down_to : order_.above);
  if (!begun_) return {};
  const Bytes amount = chunk(*used, whole);
  if (amount >= kPage) return ask(*used, amount);
  // Less than a page above the mark counts as at the mark.
  if (order_.most - spent_ >= kPage) return {};
  return {.end = order_.rationed ? ReclaimEnd::budget : ReclaimEnd::done};
}

bool ReclaimJob::stalled(Bytes used) {
  if (!stall_from_us_ || (order_.own_stalls_above && used >= *order_.own_stalls_above))
    stall_from_us_ = stall_seen_us_;
  return std::chrono::microseconds(*stall_seen_us_ - *stall_from_us_) > *order_.stall_allowed;
}

Bytes ReclaimJob::chunk(Bytes used, bool whole) const {
  const Bytes left = std::min(used - order_.down_to, order_.most - spent_);
  if (whole) return left;
  return std::min(left, std::clamp(Bytes(left.count() / 4), kSmallestChunk, kLargestChunk));
}

ReclaimJob::Step ReclaimJob::ask(Bytes used, Bytes amount) {
  const auto given = executor::write_command(
      files_.reclaim, std::to_string(amount.count()) + (order_.file_only ? " swappiness=0" : ""),
      kReclaimFile);
  if (!given && given.error().code != EAGAIN && given.error().code != EINTR)
    return failed(given.error().code);
  spent_ += amount;
  Step out{.requested = amount, .reclaimed = amount};
  if (given) {
    misses_ = 0;
    return out;
  }
  // The kernel reclaimed less than requested, which is normal; only the use tells how much.
  const auto after = bytes_in(files_.current);
  if (!after) return failed(after.error().code);
  out.reclaimed = std::clamp(used - *after, Bytes{}, amount);
  misses_ = out.reclaimed < Bytes(amount.count() / 4) ? misses_ + 1 : 0;
  if (misses_ >= kMostMisses) out.end = ReclaimEnd::nothing_left;
  return out;
}

}  // namespace evenkeel::reclaim
