// Files and datagrams as sources of figures.
#include "agent/figures/local_sources.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/state_dir.h"

namespace evenkeel::figures {
namespace {

using std::chrono::seconds;

class LocalSources : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return dir.path + "/" + name; }
  void put(const std::string& text) {
    std::ofstream(path("new")) << text;
    std::filesystem::rename(path("new"), path("figure"));
  }
  void send(const std::string& text) const {
    const Fd from(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0));
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::strcpy(to.sun_path, path("socket").c_str());
    ::sendto(from.get(), text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  test::StateDir dir{};
  MonoTime now{seconds(100)};
};

TEST_F(LocalSources, AFileCountsFromItsFirstChange) {
  FigureFile file(path("figure"));
  EXPECT_EQ(file.look().problem, "the file cannot be opened");
  put("1");
  EXPECT_FALSE(file.look().value) << "it may be of yesterday";
  EXPECT_FALSE(file.look().value);
  put("2");
  EXPECT_EQ(file.look().value, 2);
  EXPECT_FALSE(file.look().value) << "nothing new";
  put("2");
  EXPECT_EQ(file.look().value, 2) << "the same figure, measured again";
}

TEST_F(LocalSources, AFifoDoesNotBlock) {
  ASSERT_EQ(::mkfifo(path("figure").c_str(), 0600), 0);
  FigureFile file(path("figure"));
  EXPECT_EQ(file.look().problem, "it is not a regular file");
}

TEST_F(LocalSources, TheLastDatagramCounts) {
  FigureSocket socket(path("socket"));
  EXPECT_TRUE(socket.look(now).problem.empty());
  EXPECT_FALSE(socket.look(now).value);
  send("1");
  send("2.5\n");
  EXPECT_EQ(socket.look(now).value, 2.5);
  send("3");
  send("hello");
  const Look seen = socket.look(now);
  EXPECT_EQ(seen.value, 3) << "what is refused costs nothing";
  EXPECT_EQ(seen.problem, "the text is not one decimal number");
  send(std::string(5000, '1'));
  EXPECT_EQ(socket.look(now).problem, "the text is longer than 128 bytes");
  struct stat is {};
  ASSERT_EQ(::stat(path("socket").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777U, 0666U);
}

// Another user who may write into the directory has few instants for it, and as many attempts as he likes.
TEST_F(LocalSources, ALinkThatTakesThePlaceOfTheSocketIsNotFollowed) {
  const std::string at = path("socket"), moved = path("moved"), secret = path("secret");
  std::ofstream(secret) << "root's";
  ASSERT_EQ(::chmod(secret.c_str(), 0600), 0);
  std::atomic<bool> over = false;
  std::atomic<int> placed = 0;
  std::thread attacker([&] {
    while (!over)
      if (::rename(at.c_str(), moved.c_str()) == 0 && ::symlink(secret.c_str(), at.c_str()) == 0) ++placed;
  });
  for (int i = 0; i < 3000; ++i) {
    FigureSocket socket(at);
    socket.look(now);
    ::unlink(at.c_str());
  }
  over = true;
  attacker.join();
  struct stat is {};
  ASSERT_EQ(::stat(secret.c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777U, 0600U) << placed << " links";
}

TEST_F(LocalSources, ItsModeDoesNotDependOnTheUmask) {
  const mode_t before = ::umask(0077);
  FigureSocket socket(path("socket"));
  EXPECT_TRUE(socket.look(now).problem.empty());
  EXPECT_EQ(::umask(before), 0077U) << "which stays";
  struct stat is {};
  ASSERT_EQ(::stat(path("socket").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777U, 0666U);
}

// By itself the kernel keeps ten datagrams for a socket. A network of the test's own keeps as many as it
// asks.
TEST_F(LocalSources, AFloodIsTakenInParts) {
  constexpr int kSent = 2 * FigureSocket::kMostDatagrams + 50;
  bool deep = false;
  std::vector<std::optional<double>> seen;
  std::thread with_own_network([&] {
    if (::unshare(CLONE_NEWNET) != 0) return;
    std::ofstream queue("/proc/sys/net/unix/max_dgram_qlen");
    deep = static_cast<bool>(queue << kSent << std::flush);
    FigureSocket socket(path("socket"));
    socket.look(now);
    for (int i = 0; i < kSent; ++i) send(std::to_string(i));
    for (int i = 0; i < 3; ++i) seen.push_back(socket.look(now).value);
  });
  with_own_network.join();
  if (!deep) GTEST_SKIP() << "only root may have a network whose queues are long";
  constexpr int kPart = FigureSocket::kMostDatagrams;
  EXPECT_EQ(seen, (std::vector<std::optional<double>>{kPart - 1, 2 * kPart - 1, kSent - 1}));
}

TEST_F(LocalSources, ASocketThatAnotherProcessHasOpenIsLeftAlone) {
  for (const int type : {SOCK_DGRAM, SOCK_STREAM, SOCK_SEQPACKET}) {
    const Fd others(::socket(AF_UNIX, type, 0));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strcpy(at.sun_path, path("socket").c_str());
    ASSERT_EQ(::bind(others.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
    if (type != SOCK_DGRAM) {
      ASSERT_EQ(::listen(others.get(), 1), 0);
    }
    {
      FigureSocket socket(path("socket"));
      EXPECT_EQ(socket.look(now).problem, "the path is the socket of another process") << type;
    }
    EXPECT_TRUE(std::filesystem::exists(path("socket"))) << type;
    std::filesystem::remove(path("socket"));
  }
}

TEST_F(LocalSources, ASocketThatTookThePlaceOfOursIsNotRemoved) {
  {
    FigureSocket socket(path("socket"));
    socket.look(now);
    std::filesystem::rename(path("socket"), path("moved"));
    std::ofstream(path("socket")) << "precious";
  }
  EXPECT_TRUE(std::filesystem::exists(path("socket")));
}

TEST_F(LocalSources, ASocketOfAKilledAgentIsReplacedAndAnythingElseIsNot) {
  {
    const Fd left(::socket(AF_UNIX, SOCK_DGRAM, 0));
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::strcpy(at.sun_path, path("socket").c_str());
    ASSERT_EQ(::bind(left.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  }
  {
    FigureSocket socket(path("socket"));
    EXPECT_TRUE(socket.look(now).problem.empty());
    send("7");
    EXPECT_EQ(socket.look(now).value, 7);
  }
  EXPECT_FALSE(std::filesystem::exists(path("socket"))) << "removed with its owner";
  std::ofstream(path("socket")) << "precious";
  FigureSocket socket(path("socket"));
  EXPECT_EQ(socket.look(now).problem, "the path exists and is not a socket");
  std::filesystem::remove(path("socket"));
  EXPECT_FALSE(socket.look(now + seconds(1)).problem.empty()) << "tried again after ten seconds";
  EXPECT_TRUE(socket.look(now + seconds(11)).problem.empty());
}

}  // namespace
}  // namespace evenkeel::figures
