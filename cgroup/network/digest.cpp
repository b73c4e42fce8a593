#include "cgroup/network/digest.h"

#include <optional>

namespace evenkeel::network {
namespace {

class Sum {
 public:
  void add(std::uint64_t value) { sum_ = (sum_ ^ value) * 0x100000001b3U + (sum_ >> 47U); }
  void add(BitRate rate) { add(static_cast<std::uint64_t>(rate.count())); }
  void add(const std::optional<BitRate>& rate) { add(rate ? *rate : BitRate(-1)); }
  void add(const IpAddress& address) {
    add(address.v6 ? 1U : 2U);
    for (const auto byte : address.bytes) add(byte);
  }
  [[nodiscard]] std::uint64_t value() const { return sum_ == 0 ? 1 : sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325U;
};

}  // namespace

std::uint64_t sum_of(const decide::NetworkPlan& plan) {
  Sum sum;
  sum.add(plan.total);
  for (const auto& share : plan.classes) {
    sum.add(share.egress_request);
    sum.add(share.egress_limit);
    sum.add(share.ingress_limit);
  }
  for (const auto& member : plan.members) {
    sum.add(member.cgroup.value);
    sum.add(static_cast<std::uint64_t>(member.of) * 2 + (member.by_cgroup ? 1 : 0));
    sum.add(member.egress_limit);
    sum.add(member.ingress_limit);
    sum.add(member.addresses.size());
    for (const auto& address : member.addresses) sum.add(address);
  }
  return sum.value();
}

}  // namespace evenkeel::network
