#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "agent/demo/load.h"
#include "agent/demo/stage.h"
#include "agent/document/document.h"
#include "cgroup/base/text.h"

namespace evenkeel::demo {
namespace {

std::string notify_address() { return "evenkeel-demo-" + std::to_string(::getpid()); }

/// A datagram socket in the abstract name space: a leading zero byte, and no file to remove.
Fd notify_socket(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return {};
  return socket;
}

int become_agent(const std::string& program, const std::string& directory, const std::string& cgroup_root,
                 const std::string& notify) {
  ::setenv("NOTIFY_SOCKET", ('@' + notify).c_str(), 1);
  return become(program,
                {"evenkeel", "run", "--nodeslo", directory + "/nodeslo.yaml", "--cgroup-root", cgroup_root,
                 "--pods", "cgroup", "--listen", "none", "--state-dir", directory + "/state"},
                directory + "/log");
}

}  // namespace

std::vector<AuditLine> read_audit(const std::string& text) {
  std::vector<AuditLine> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const document::Parsed parsed = document::parse_json(line, "audit.jsonl");
    if (!parsed.problems.empty() || parsed.root.map() == nullptr) continue;
    const document::Value& root = parsed.root;
    lines.push_back({root.text("kind"), root.text("path"), root.text("old"), root.text("new"),
                     root.text("by"), root.text("why")});
  }
  return lines;
}

ManagedNode::ManagedNode(const Host& host, const Stage& stage) {
  if (!directory_) return;
  std::error_code error;
  const std::string& directory = directory_.path();
  std::filesystem::create_directory(directory + "/state", error);
  std::ofstream(directory + "/nodeslo.yaml") << kInstalledNodeSlo;
  const std::string program = std::filesystem::read_symlink(host.absolute("proc/self/exe"), error).string();
  const std::string cgroup_root = stage.cgroup_root();
  const std::string notify = notify_address();
  notifications_ = notify_socket(notify);
  // If the demo dies, the agent gets SIGTERM and still restores.
  agent_ = Child::start([&] { return become_agent(program, directory, cgroup_root, notify); }, SIGTERM);
}

ManagedNode::~ManagedNode() { (void)stop(); }

bool ManagedNode::wait_until_ready(Console& console) {
  constexpr Duration kPatience = std::chrono::seconds(3);
  constexpr Duration kLook = std::chrono::milliseconds(50);
  const Duration deadline = monotonic() + kPatience;
  while (agent_.running() && monotonic() < deadline) {
    std::array<char, 64> text{};
    const ssize_t length = ::recv(notifications_.get(), text.data(), text.size(), 0);
    if (length > 0 && std::string_view(text.data(), static_cast<std::size_t>(length)).starts_with("READY=1"))
      return true;
    if (!console.pause_until(monotonic() + kLook)) return false;
  }
  return false;
}

int ManagedNode::stop() {
  if (!agent_.running()) return agent_.wait();
  agent_.signal(SIGTERM);
  return agent_.wait();
}

std::vector<AuditLine> ManagedNode::audit() const {
  return read_audit(read_text(directory_.path() + "/state/audit.jsonl"));
}

std::string ManagedNode::log() const { return read_text(directory_.path() + "/log"); }

namespace {

std::string value_at(const ControlValues& values, const std::string& path) {
  const auto found = values.find(path);
  return found == values.end() ? "(gone)" : std::string(trimmed(found->second));
}

}  // namespace

Restoration compare(const ControlValues& before, const ControlValues& after,
                    const std::vector<AuditLine>& audit) {
  std::set<std::string> written;
  for (const auto& line : audit)
    if (line.kind == "write") written.insert(line.path);
  Restoration result;
  result.written = written.size();
  for (const auto& path : written)
    if (before.contains(path) && value_at(before, path) == value_at(after, path)) ++result.restored;
  for (const auto& [path, text] : before)
    if (value_at(after, path) != trimmed(text))
      result.left.push_back(path + ": was " + std::string(trimmed(text)) + ", is " + value_at(after, path));
  return result;
}

void add(Restoration& sum, const Restoration& one) {
  sum.written += one.written;
  sum.restored += one.restored;
  sum.left.insert(sum.left.end(), one.left.begin(), one.left.end());
}

}  // namespace evenkeel::demo
