#include "tests/support/live/live_network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "cgroup/base/result.h"

namespace evenkeel::test {
namespace {

constexpr auto kSettle = std::chrono::seconds(2), kMeasure = std::chrono::seconds(3);
constexpr std::uint16_t kFirstPort = 5201;

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen(("exec 2>&1; " + command).c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::array<char, 4096> buffer;
  while (const auto got = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  return status == 0 ? out : out + " (exit status " + std::to_string(WEXITSTATUS(status)) + ")";
}

/// One ip(8) process for all `commands`: in an emulated machine a process takes half a second.
std::string output_of_ip(const std::string& options, const std::vector<std::string>& commands) {
  std::string all = "ip " + options + " -batch - <<'END'\n";
  for (const auto& command : commands) all += command + '\n';
  return output_of(all + "END\n");
}

/// Moves this thread into a network namespace.
bool enter(const std::string& space) {
  const Fd fd(::open(("/run/netns/" + space).c_str(), O_RDONLY | O_CLOEXEC));
  return fd && ::setns(fd.get(), CLONE_NEWNET) == 0;
}

sockaddr_in at(const std::string& address, std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  ::inet_pton(AF_INET, address.c_str(), &out.sin_addr);
  return out;
}

using Count = std::atomic<std::uint64_t>;

/// Numbers that processes share.
class SharedCounts {
 public:
  explicit SharedCounts(std::size_t count)
      : size_(count * sizeof(Count)),
        at_(::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
  ~SharedCounts() { ::munmap(at_, size_); }
  SharedCounts(const SharedCounts&) = delete;
  SharedCounts& operator=(const SharedCounts&) = delete;
  [[nodiscard]] Count& operator[](std::size_t i) const { return static_cast<Count*>(at_)[i]; }

 private:
  std::size_t size_;
  void* at_;
};

/// Starts a process that counts what arrives at a port.
pid_t start_sink(const std::string& space, const std::string& procs, std::uint16_t port, Count& bytes) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (!procs.empty()) std::ofstream(procs) << ::getpid() << std::flush;
  const int listener = enter(space) ? ::socket(AF_INET, SOCK_STREAM, 0) : -1;
  const int on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const auto any = at("0.0.0.0", port);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
      ::listen(listener, 1) != 0)
    ::_exit(1);
  const int from = ::accept(listener, nullptr, nullptr);
  static std::array<char, std::size_t{1} << 18U> buffer;
  for (;;) {
    const auto got = ::recv(from, buffer.data(), buffer.size(), 0);
    if (got <= 0) ::_exit(0);
    bytes += static_cast<std::uint64_t>(got);
  }
}

pid_t start_source(const std::string& space, const LiveNetwork::Flow& flow, std::uint16_t port) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (!flow.procs.empty()) std::ofstream(flow.procs) << ::getpid() << std::flush;
  static const std::array<char, 65536> kBytes{};
  const auto to = at(flow.address, port);
  if (!enter(space)) ::_exit(1);
  int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  for (int i = 0; i < 50 && ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0; ++i) {
    ::close(fd);
    ::usleep(20000);  // the other side is not there yet
    fd = ::socket(AF_INET, SOCK_STREAM, 0);
  }
  while (::send(fd, kBytes.data(), kBytes.size(), MSG_NOSIGNAL) > 0) {
  }
  ::_exit(0);
}

}  // namespace

LiveNetwork::LiveNetwork() : prefix_("ek" + std::to_string(::getpid()) + "-") {
  if (::geteuid() != 0) {
    unavailable_reason_ = "only root makes network namespaces";
    return;
  }
  for (const char* tool : {"ip", "nft", "nsenter", "unshare"})
    if (std::system((std::string("command -v ") + tool + " >/dev/null").c_str()) != 0)
      unavailable_reason_ = std::string(tool) + " is not installed";
  spaces_ = {"node", "peer"};
  const auto node = space("node"), peer = space("peer");
  ip("", {"netns add " + node, "netns add " + peer,
          "link add nic netns " + node + " type veth peer name eth0 netns " + peer});
  ip("-n " + node,
     {"addr add 10.9.0.1/24 dev " + std::string(kLink), "link set " + std::string(kLink) + " up",
      "link set lo up", "route add default via " + std::string(kPeer)});
  ip("-n " + peer, {"addr add " + std::string(kPeer) + "/24 dev eth0", "link set eth0 up", "link set lo up",
                    "route add 10.244.0.0/24 via 10.9.0.1"});
  if (!unavailable_reason_.empty()) return;
  const auto made = on_node(
      "echo 1 > /proc/sys/net/ipv4/ip_forward; nft add table ip pods && "
      "nft 'add chain ip pods post { type nat hook postrouting priority srcnat; }' && "
      "nft add rule ip pods post oifname nic masquerade");
  if (!made.empty()) unavailable_reason_ = "the node's network cannot be made: " + made;
}

LiveNetwork::~LiveNetwork() {
  std::vector<std::string> commands;
  for (const auto& name : spaces_) commands.push_back("netns del " + space(name));
  output_of_ip("-force", commands);
}

void LiveNetwork::ip(const std::string& where, const std::vector<std::string>& commands) {
  if (!unavailable_reason_.empty()) return;
  if (const auto said = output_of_ip(where, commands); !said.empty()) unavailable_reason_ = "ip: " + said;
}

void LiveNetwork::add_pod(const std::string& name, const std::string& address) {
  const auto node = space("node"), pod = space(name), link = "v" + name;
  spaces_.push_back(name);
  ip("",
     {"netns add " + pod, "link add " + link + " netns " + node + " type veth peer name eth0 netns " + pod});
  ip("-n " + pod, {"addr add " + address + "/32 dev eth0", "link set eth0 up",
                   "route add 169.254.1.1 dev eth0", "route add default via 169.254.1.1"});
  ip("-n " + node, {"link set " + link + " up", "route add " + address + " dev " + link});
  const auto said = on_node("echo 1 > /proc/sys/net/ipv4/conf/" + link + "/proxy_arp");
  if (unavailable_reason_.empty() && !said.empty()) unavailable_reason_ = said;
}

std::string LiveNetwork::wrapped(const std::string& program, const std::string& dir) const {
  auto path = dir + "/evenkeel-on-node";
  // sysfs shows the interfaces of the network namespace in which it was mounted; init, whose namespace is
  // another, must be hidden.
  std::ofstream(path)
      << "#!/bin/sh\nexec nsenter --net=/run/netns/" << space("node")
      << " unshare --mount sh -c 'mount --make-rprivate / && mkdir -p " << dir
      << "/cgroup && mount --rbind /sys/fs/cgroup " << dir
      << "/cgroup && mount -t sysfs sysfs /sys && mount --rbind " << dir
      << "/cgroup /sys/fs/cgroup || exit 125; mount -t tmpfs none /proc/1/ns 2>/dev/null; exec " << program
      << " \"$@\"' sh \"$@\"\n";
  ::chmod(path.c_str(), 0755);
  return path;
}

std::string LiveNetwork::on_node(const std::string& command) const {
  return output_of("nsenter --net=/run/netns/" + space("node") + " sh -c \"" + command + "\"");
}

/// Sending flows, until the object is destroyed.
class LiveNetwork::Running {
 public:
  Running(const LiveNetwork& net, const std::vector<Flow>& flows) : arrived(flows.size()) {
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const auto& flow = flows[i];
      const auto port = static_cast<std::uint16_t>(kFirstPort + i);
      children_.push_back(start_sink(net.space(flow.to), flow.to_procs, port, arrived[i]));
      children_.push_back(start_source(net.space(flow.from), flow, port));
    }
    std::this_thread::sleep_for(kSettle);
  }
  ~Running() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  const SharedCounts arrived;  ///< bytes of each flow

 private:
  std::vector<pid_t> children_{};
};

std::vector<double> LiveNetwork::rates(const std::vector<Flow>& flows) const {
  const Running running(*this, flows);
  std::vector<double> out;
  for (std::size_t i = 0; i < flows.size(); ++i) out.push_back(-static_cast<double>(running.arrived[i]));
  const auto began = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(kMeasure);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = (out[i] + static_cast<double>(running.arrived[i])) * 8 / 1e6 / took;
  return out;
}

std::chrono::microseconds LiveNetwork::answer_time(const std::vector<Flow>& flows, const Flow& asker,
                                                   std::size_t times) const {
  const Running running(*this, flows);
  const SharedCounts waits(times);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!enter(space(asker.from))) ::_exit(1);
    const auto closed = at(asker.address, 9);  // a refusal is an answer as well
    for (std::size_t i = 0; i < times; ++i) {
      const auto began = std::chrono::steady_clock::now();
      const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
      ::connect(fd, reinterpret_cast<const sockaddr*>(&closed), sizeof closed);
      ::close(fd);
      waits[i] = static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began)
              .count());
      ::usleep(50000);
    }
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  std::vector<std::uint64_t> sorted;
  for (std::size_t i = 0; i < times; ++i) sorted.push_back(waits[i]);
  std::ranges::sort(sorted);
  return std::chrono::microseconds(sorted[times / 2]);
}

}  // namespace evenkeel::test
