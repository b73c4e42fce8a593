// Fuzzes the kernel's answers on a netlink socket: acknowledgements, refusals with the kernel's words, dumps
// of queues.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <span>
#include <vector>

#include "cgroup/network/kernel_network.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

void read(std::span<const char> datagram, std::uint32_t sequence) {
  const auto* end = datagram.data() + datagram.size();
  const auto answer = network::read_answer(datagram, sequence, [&](const nlmsghdr& one) {
    const auto* begin = reinterpret_cast<const char*>(&one);
    promise(begin >= datagram.data() && one.nlmsg_len <= static_cast<std::size_t>(end - begin));
    for (const int attribute : {TCA_KIND, TCA_OPTIONS})
      promise(network::text_in(one, sizeof(tcmsg), attribute).size() <= one.nlmsg_len);
    if (const auto root = network::root_qdisc_in(one, 1)) promise(root->kind.size() <= one.nlmsg_len);
  });
  promise(!answer.complete || answer.error == 0);
  promise(answer.error >= 0 && answer.error < 4096);
  promise(answer.error != 0 || answer.words.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> buffer(data, data + size);  // aligned, as the socket's is
  for (const std::uint32_t sequence : {0U, 7U}) read(buffer, sequence);
  return 0;
}
