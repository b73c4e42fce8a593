#include "agent/demo/redis.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "agent/demo/load.h"

namespace evenkeel::demo {
namespace {

Fd connected_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return {};
  path.copy(address.sun_path, path.size());
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return socket;
}

}  // namespace

std::string program_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream directories(path != nullptr ? path : "");
  for (std::string directory; std::getline(directories, directory, ':');) {
    std::error_code error;
    std::string file = directory + '/' + name;
    if (directory.starts_with('/') && std::filesystem::is_regular_file(file, error) &&
        ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

RedisServer::RedisServer(const std::string& program, const std::function<bool()>& enter) {
  if (!directory_) return;
  const std::vector<std::string> arguments = {"redis-server",
                                              "--port",
                                              "0",
                                              "--unixsocket",
                                              socket_path(),
                                              "--unixsocketperm",
                                              "700",
                                              "--save",
                                              "",
                                              "--appendonly",
                                              "no",
                                              "--daemonize",
                                              "no",
                                              "--databases",
                                              "1",
                                              "--maxmemory",
                                              "32mb",
                                              "--dir",
                                              directory_.path()};
  process_ = Child::start([&] { return enter() ? become(program, arguments, log_path()) : 1; }, SIGKILL);
}

bool RedisServer::wait_until_ready(Console& console) {
  constexpr Duration kMostTime = std::chrono::seconds(5);
  constexpr Duration kLook = std::chrono::milliseconds(20);
  const Duration deadline = monotonic() + kMostTime;
  while (process_.running() && monotonic() < deadline) {
    if (connected_to(socket_path())) return true;
    if (!console.pause_until(monotonic() + kLook)) return false;
  }
  return false;
}

std::vector<Fd> RedisServer::connect(int count) const {
  std::vector<Fd> connections;
  for (int i = 0; i < count; ++i) {
    Fd one = connected_to(socket_path());
    if (!one) break;
    connections.push_back(std::move(one));
  }
  return connections;
}

std::string RedisServer::log() const {
  return directory_ ? read_text(log_path()) : "a temporary directory cannot be made\n";
}

}  // namespace evenkeel::demo
