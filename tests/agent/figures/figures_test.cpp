// The figures of all objectives: scraped from real sockets, read from files, and put into the snapshot.
#include "agent/figures/figures.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "tests/support/fakes/http_script.h"
#include "tests/support/resident.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FiguresTest : public testing::Test {
 protected:
  FiguresTest() : loop(*runtime::EventLoop::open()) {
    figures.connect(
        [this] {
          ++clients;
          return no_descriptor ? Result<http::HttpClient>(fail(EMFILE, Op::open))
                               : http::HttpClient::open(loop);
        },
        clock);
    clock.advance(seconds(100));
  }
  ~FiguresTest() override { figures.disconnect(); }

  static Objective scraped(const std::string& url) {
    Objective one;
    one.name = "web";
    one.namespace_ = "shop";
    one.match_labels = {{"app", "web"}};
    one.prometheus = {.url = url, .metric = "latency_seconds"};
    one.target = 0.005;
    return one;
  }
  void configure(std::vector<Objective> objectives) {
    auto slo = std::make_shared<NodeSlo>();
    slo->evenkeel.objectives = std::move(objectives);
    node.slo = std::move(slo);
    figures.collect(node, clock.now());
  }
  /// Pods of the service with these addresses.
  void run_pods(const std::vector<std::string>& addresses) {
    auto pods = std::make_shared<std::vector<Pod>>();
    for (const std::string& address : addresses) {
      Pod& pod = pods->emplace_back();
      pod.namespace_ = "shop";
      pod.labels = {{"app", "web"}};
      pod.phase = PodPhase::running;
      IpAddress ip;
      ip.bytes = {127, 0, 0, static_cast<unsigned char>(std::stoi(address))};
      pod.network.addresses = {ip};
    }
    node.pods.clear();
    for (const Pod& pod : *pods) node.pods.push_back({.spec = &pod});
    node.pod_specs = std::move(pods);
  }
  /// Scrapes and waits until all answers are there.
  void scrape() {
    clock.advance(seconds(2));
    figures.scrape(clock.now());
    const auto before = looks();
    auto waiting = loop.timer([this] { loop.stop(); });
    for (int i = 0; i < 100 && looks() == before; ++i) {
      waiting->arm(milliseconds(20));
      loop.run();
    }
    figures.collect(node, clock.now());
  }
  [[nodiscard]] std::uint64_t looks() const { return figures.state(0).accepted + figures.state(0).refused; }
  [[nodiscard]] const std::string& problem() const { return figures.state(0).problem; }

  int clients = 0;  ///< asked for
  bool no_descriptor = false;
  runtime::SteppedClock clock{};
  const Fd quiet{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  runtime::Log log{quiet.get(), runtime::LogFormat::text, runtime::LogLevel::debug, nullptr};
  runtime::EventLoop loop;
  NodeSnapshot node{};
  figures::Figures figures{log};
};

TEST_F(FiguresTest, ScrapesTheService) {
  ScriptedServer server;
  server.answers([](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(200, "latency_seconds 0.004\n", {}, "text/plain"));
  });
  configure({scraped(server.url("/metrics"))});
  EXPECT_FALSE(node.objectives.at(0).value);
  scrape();
  EXPECT_EQ(node.objectives.at(0).value, 0.004) << problem();
  EXPECT_EQ(node.objectives.at(0).at, clock.now());
  EXPECT_FALSE(node.objectives.at(0).since) << "a plain figure does not say when it was measured";
  EXPECT_EQ(server.asked().back().target, "/metrics");
}

TEST_F(FiguresTest, NoClientIsOpenedWhileThereIsNothingToScrape) {
  Objective local = scraped("");
  local.file = "/nowhere/latency";
  configure({local});
  figures.scrape(clock.now());
  EXPECT_EQ(clients, 0) << "the library of the client takes memory";
  ScriptedServer server;
  server.answers(
      [](const Asked&, Exchange& exchange) { exchange.send(http_answer(200, "latency_seconds 0.004\n")); });
  configure({scraped(server.url("/metrics"))});
  scrape();
  scrape();
  EXPECT_EQ(clients, 1);
  EXPECT_EQ(node.objectives.at(0).value, 0.004) << problem();
}

TEST_F(FiguresTest, AClientThatCannotBeOpenedIsTriedAgainAndTold) {
  ScriptedServer server;
  server.answers(
      [](const Asked&, Exchange& exchange) { exchange.send(http_answer(200, "latency_seconds 0.004\n")); });
  configure({scraped(server.url("/metrics"))});
  no_descriptor = true;
  figures.scrape(clock.now());
  EXPECT_EQ(problem(), "scrape: no HTTP client: EMFILE");
  no_descriptor = false;
  scrape();
  EXPECT_EQ(node.objectives.at(0).value, 0.004) << problem();
}

TEST_F(FiguresTest, ABadAnswerKeepsTheLastGoodFigureAndSaysWhy) {
  ScriptedServer server;
  std::atomic<int> round = 0;
  server.answers([&](const Asked&, Exchange& exchange) {
    switch (++round) {
      case 1:
        exchange.send(http_answer(200, "latency_seconds 0.004\n"));
        break;
      case 2:
        exchange.send(http_answer(500, "broken"));
        break;
      case 3:
        exchange.send(http_answer(200, "latency_seconds -4\n"));
        break;
      case 4:
        exchange.send(http_answer(200, std::string(std::size_t{5} << 20, 'x')));
        break;
      default:
        exchange.reset();
    }
  });
  configure({scraped(server.url("/metrics"))});
  scrape();
  const MonoTime good = clock.now();
  for (const char* why : {"scrape: HTTP status 500", "the figure is negative", "scrape: ", "scrape: "}) {
    scrape();
    EXPECT_EQ(problem().substr(0, std::string_view(why).size()), why);
    EXPECT_EQ(node.objectives.at(0).value, 0.004);
    EXPECT_EQ(node.objectives.at(0).at, good) << "it grows older";
  }
}

// Whoever runs in the pods decides how long their answers are, and when they end.
TEST_F(FiguresTest, LongAnswersThatArriveAllAtOnceTakeNoMemory) {
  constexpr int kServices = 40;
  constexpr long kMostKib =
      80 * 1024;  // of 160 MiB that are sent; sanitizers need much for the server's threads
  const std::string line = "# " + std::string(1021, 'x') + "\n";
  std::string almost_all;
  while (almost_all.size() < (std::size_t{4} << 20) - line.size()) almost_all += line;
  std::atomic<int> sent = 0;
  ScriptedServer server;
  server.answers([&](const Asked&, Exchange& exchange) {
    exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 4194304\r\n\r\n");
    exchange.send(almost_all);
    ++sent;
    exchange.hang();
  });
  Objective patient = scraped(server.url("/metrics"));
  patient.prometheus.interval = seconds(60);
  configure(std::vector<Objective>(kServices, patient));
  const long before = resident_kib();
  figures.scrape(clock.now());
  auto waiting = loop.timer([this] { loop.stop(); });
  for (int i = 0; i < 1000 && sent < kServices; ++i) {
    waiting->arm(milliseconds(20));
    loop.run();
  }
  ASSERT_EQ(sent, kServices);
  EXPECT_LT(resident_kib() - before, kMostKib);
}

TEST_F(FiguresTest, OfSeveralPodsTheWorstCountsAndTheOldestSaysItsAge) {
  ScriptedServer server;
  std::atomic<double> latency = 0.001;
  server.answers([&](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(200, "latency_seconds " + std::to_string(latency.load()) + "\n"));
  });
  run_pods({"1"});
  configure({scraped("http://{podIP}:" + std::to_string(server.port()) + "/metrics")});
  scrape();
  EXPECT_EQ(node.objectives.at(0).value, 0.001) << problem();
  const MonoTime alone = node.objectives.at(0).at;
  run_pods({"1", "2"});  // nothing listens on 127.0.0.2
  figures.collect(node, clock.now());
  scrape();
  scrape();
  EXPECT_EQ(node.objectives.at(0).at, alone) << "the second pod has no figure yet";
  run_pods({});
  figures.collect(node, clock.now());
  const auto before = server.asked().size();
  clock.advance(seconds(2));
  figures.scrape(clock.now());
  EXPECT_EQ(server.asked().size(), before) << "nobody to ask";
}

TEST_F(FiguresTest, AHistogramSpeaksOfTheTimeBetweenTwoScrapesAndAPlainFigureOfWhatIsConfigured) {
  ScriptedServer server;
  std::atomic<int> count = 0;
  server.answers([&](const Asked&, Exchange& exchange) {
    const std::string all = std::to_string(count += 20);
    exchange.send(http_answer(200, "latency_seconds_bucket{le=\"1\"} " + all +
                                       "\nlatency_seconds_bucket{le=\"+Inf\"} " + all +
                                       "\nlatency_seconds 0.004\n"));
  });
  Objective histogram = scraped(server.url("/metrics"));
  histogram.target = 1;
  histogram.prometheus.quantile_percent = 50;
  configure({histogram});
  scrape();  // until its timer ends: the first one gives no figure
  const MonoTime first = clock.now();
  scrape();
  EXPECT_EQ(node.objectives.at(0).since, first) << problem();
  EXPECT_EQ(node.objectives.at(0).until, clock.now());
  Objective plain = scraped(server.url("/metrics"));
  plain.figure_covers = seconds(7);
  configure({plain});
  scrape();
  EXPECT_EQ(node.objectives.at(0).since, clock.now() - seconds(7)) << problem();
}

TEST_F(FiguresTest, AnotherSettingOfTheNodeCostsNoFigure) {
  const StateDir dir;
  Objective one;
  one.name = "web";
  one.file = dir.path + "/figure";
  one.target = 1;
  const auto put = [&](const char* text) {
    std::ofstream(dir.path + "/new") << text;
    std::filesystem::rename(dir.path + "/new", one.file);
    figures.collect(node, clock.now());
  };
  configure({one});
  put("0.4");
  put("0.5");
  EXPECT_EQ(node.objectives.at(0).value, 0.5);
  configure({one});
  EXPECT_EQ(node.objectives.at(0).value, 0.5);
  one.target = 2;
  configure({one});
  EXPECT_FALSE(node.objectives.at(0).value) << "another objective";
  configure({});
  EXPECT_TRUE(node.objectives.empty());
}

}  // namespace
}  // namespace evenkeel::test
