// The figures that services report about themselves, for their objectives: scraped, read from files, received
// on local sockets. Does not judge them (qos/objectives).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/figures/histogram_window.h"
#include "agent/figures/local_sources.h"
#include "agent/http/http_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/log.h"
#include "qos/model/snapshot.h"

namespace evenkeel::figures {

/// For pages and metrics.
struct FigureState {
  std::string problem{};  ///< why there is no newer figure; empty: there is no reason known
  std::uint64_t accepted = 0, refused = 0;
};

class Figures {
 public:
  /// `log` must outlive it.
  explicit Figures(runtime::Log& log) : log_(log) {}
  Figures(const Figures&) = delete;
  Figures& operator=(const Figures&) = delete;

  /// In every tick, and whenever the configuration or the pods have changed: looks at files and sockets, and
  /// puts the newest figures into the snapshot.
  void collect(NodeSnapshot& node, MonoTime now);

  using OpenClient = std::function<Result<http::HttpClient>()>;
  /// Scrapes from now on; without it (stepped mode) nothing is scraped. The client is opened for the first
  /// scrape: its library takes a MiB and more, and most nodes have nothing to scrape. `clock` must outlive
  /// it.
  void connect(OpenClient open, const runtime::Clock& clock);
  void disconnect();
  /// Starts the scrapes that are due. Between two ticks.
  void scrape(MonoTime now);

  /// In the order of the configuration.
  [[nodiscard]] const FigureState& state(std::size_t objective) const { return sources_[objective]->state; }
  [[nodiscard]] std::size_t size() const { return sources_.size(); }

 private:
  /// One address of an objective that is scraped.
  struct Target {
    HistogramWindow window{};
    std::optional<ObjectiveFigure> last{};
    std::optional<MonoTime> asked{};
    bool in_flight = false;
  };
  struct Source {
    Objective objective{};
    std::variant<std::monostate, FigureFile, FigureSocket> local{};
    std::map<std::string, Target> targets{};  ///< by URL
    ObjectiveFigure figure{};
    FigureState state{};
    std::optional<MonoTime> said{};  ///< when a problem was last logged
    bool in_trouble = false;         ///< the last line said so
  };

  bool open_client(Source& source, MonoTime now);
  void start(const std::shared_ptr<Source>& source, const std::string& url, Target& target);
  void configure(const NodeSlo& slo);
  void find_targets(const NodeSnapshot& node, Source& source);
  void look(Source& source, MonoTime now);
  void answered(const std::weak_ptr<Source>& waiting, const std::string& url, const http::HttpReply& reply,
                ParsedMetric metric);
  /// Like ParsedFigure, with the server's own words.
  struct Scraped {
    std::optional<double> value{};
    std::string problem{};
    std::optional<MonoTime> since{};
  };
  static Scraped figure_of(Source& source, Target& target, const http::HttpReply& reply, ParsedMetric metric);
  void settle_targets(Source& source);
  void trouble(Source& source, std::string_view problem, MonoTime now);
  void fine(Source& source);

  runtime::Log& log_;
  OpenClient open_client_{};
  std::optional<http::HttpClient> client_{};
  const runtime::Clock* clock_ = nullptr;
  std::shared_ptr<const NodeSlo> slo_{};            ///< that the sources are of
  std::shared_ptr<const std::vector<Pod>> pods_{};  ///< that the targets are of
  std::vector<std::shared_ptr<Source>> sources_{};
};

}  // namespace evenkeel::figures
