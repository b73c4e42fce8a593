#include "agent/figures/figures.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <utility>

namespace evenkeel::figures {
namespace {

constexpr std::string_view kPodIp = "{podIP}";
constexpr std::size_t kMostTargets = 64;
constexpr std::size_t kLongestBody = std::size_t{4} << 20U;
/// A source that alternates between good and bad must not fill the log.
constexpr Duration kBetweenLines = std::chrono::minutes(1);

std::string text_of(const IpAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text.data(), text.size());
  return address.v6 ? '[' + std::string(text.data()) + ']' : text.data();
}

std::string replaced(std::string url, const std::string& address) {
  for (auto at = url.find(kPodIp); at != std::string::npos; at = url.find(kPodIp, at + address.size()))
    url.replace(at, kPodIp.size(), address);
  return url;
}

/// When what a plain figure speaks of began.
std::optional<MonoTime> covered_since(const Objective& objective, MonoTime read) {
  return objective.figure_covers ? std::optional(read - *objective.figure_covers) : std::nullopt;
}

}  // namespace

void Figures::configure(const NodeSlo& slo) {
  std::vector<std::shared_ptr<Source>> before = std::exchange(sources_, {});
  for (const Objective& objective : slo.evenkeel.objectives) {
    // An unchanged objective keeps what is known of it: another setting of the node must not cost figures.
    const auto same = std::ranges::find_if(
        before, [&](const auto& source) { return source && source->objective == objective; });
    if (same != before.end()) {
      sources_.push_back(std::exchange(*same, nullptr));
      continue;
    }
    // A socket of the same path must be removed before it is created again.
    std::erase_if(before, [&](const auto& source) {
      return source && !objective.socket.empty() && source->objective.socket == objective.socket;
    });
    auto source = std::make_shared<Source>();
    source->objective = objective;
    if (!objective.file.empty()) source->local.emplace<FigureFile>(objective.file);
    if (!objective.socket.empty()) source->local.emplace<FigureSocket>(objective.socket);
    sources_.push_back(std::move(source));
  }
}

void Figures::find_targets(const NodeSnapshot& node, Source& source) {
  const Objective& objective = source.objective;
  const std::string& url = objective.prometheus.url;
  if (url.empty()) return;
  auto before = std::exchange(source.targets, {});
  const auto keep = [&](const std::string& wanted) {
    if (source.targets.size() >= kMostTargets) return;
    const auto known = before.find(wanted);
    source.targets.emplace(wanted, known == before.end() ? Target{} : std::move(known->second));
    if (known != before.end()) before.erase(known);
  };
  if (url.find(kPodIp) == std::string::npos) return keep(url);
  for (const PodSample& pod : node.pods)
    if (is_meant(objective, *pod.spec) && !pod.spec->network.addresses.empty())
      keep(replaced(url, text_of(pod.spec->network.addresses.front())));
}

void Figures::collect(NodeSnapshot& node, MonoTime now) {
  const bool configured = slo_ != node.slo;
  if (configured && node.slo) configure(*node.slo);
  if (configured || pods_ != node.pod_specs)
    for (auto& source : sources_) find_targets(node, *source);
  slo_ = node.slo;
  pods_ = node.pod_specs;
  node.objectives.resize(sources_.size());
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    look(*sources_[i], now);
    node.objectives[i] = sources_[i]->figure;
  }
}

void Figures::look(Source& source, MonoTime now) {
  Look seen;
  if (auto* file = std::get_if<FigureFile>(&source.local)) seen = file->look();
  if (auto* socket = std::get_if<FigureSocket>(&source.local)) seen = socket->look(now);
  if (seen.value) {
    const ParsedFigure figure = plausible(*seen.value, source.objective.target);
    if (figure.value) {
      source.figure = {figure.value, now, covered_since(source.objective, now), now};
      fine(source);
    } else {
      seen.problem = figure.problem;
    }
  }
  if (!seen.problem.empty()) trouble(source, seen.problem, now);
}

void Figures::trouble(Source& source, std::string_view problem, MonoTime now) {
  ++source.state.refused;
  source.state.problem = problem;
  if (source.in_trouble || (source.said && now - *source.said < kBetweenLines)) return;
  source.in_trouble = true;
  source.said = now;
  log_.warning("objective-figure-refused").with("objective", source.objective.name).with("why", problem);
}

void Figures::fine(Source& source) {
  ++source.state.accepted;
  source.state.problem.clear();
  if (!std::exchange(source.in_trouble, false)) return;
  log_.info("objective-figure-accepted").with("objective", source.objective.name);
}

void Figures::connect(OpenClient open, const runtime::Clock& clock) {
  open_client_ = std::move(open);
  clock_ = &clock;
}

void Figures::disconnect() {
  open_client_ = {};
  client_.reset();
}

/// False: it cannot be opened now, and the next scrape tries again.
bool Figures::open_client(Source& source, MonoTime now) {
  if (client_) return true;
  auto opened = open_client_();
  if (opened) {
    client_.emplace(std::move(*opened));
  } else {
    trouble(source, std::string("scrape: no HTTP client: ") + errno_name(opened.error().code), now);
  }
  return client_.has_value();
}

void Figures::scrape(MonoTime now) {
  if (!open_client_) return;
  for (const auto& source : sources_)
    for (auto& [url, target] : source->targets) {
      const auto& interval = source->objective.prometheus.interval;
      if (target.in_flight || (target.asked && now - *target.asked < interval)) continue;
      target.asked = now;
      if (open_client(*source, now)) start(source, url, target);
    }
}

void Figures::start(const std::shared_ptr<Source>& source, const std::string& url, Target& target) {
  target.in_flight = true;
  http::HttpCall call{.url = url, .headers = {"Accept: text/plain; version=0.0.4"}};
  call.connect_timeout = call.total_timeout =
      std::max<Duration>(source->objective.prometheus.interval, std::chrono::seconds(1));
  call.longest_body = kLongestBody;
  // Read while they arrive: whoever runs in the pods could fill the memory with many answers at a time.
  const auto reader = std::make_shared<MetricReader>(std::vector{source->objective.prometheus});
  call.piece = [reader](std::string_view piece) {
    reader->add(piece);
    return true;
  };
  client_->start(std::move(call),
                 [this, reader, waiting = std::weak_ptr(source), url](const http::HttpReply& reply) {
                   answered(waiting, url, reply, std::move(reader->end().front()));
                 });
}

void Figures::answered(const std::weak_ptr<Source>& waiting, const std::string& url,
                       const http::HttpReply& reply, ParsedMetric metric) {
  const auto source = waiting.lock();
  if (!source) return;
  const auto target = source->targets.find(url);
  if (target == source->targets.end()) return;
  const MonoTime now = clock_->now();
  target->second.in_flight = false;
  const Scraped figure = figure_of(*source, target->second, reply, std::move(metric));
  if (!figure.problem.empty()) return trouble(*source, figure.problem, now);
  if (!figure.value) return;
  target->second.last = ObjectiveFigure{figure.value, now, figure.since, now};
  fine(*source);
  settle_targets(*source);
}

Figures::Scraped Figures::figure_of(Source& source, Target& target, const http::HttpReply& reply,
                                    ParsedMetric metric) {
  if (reply.failure != http::HttpFailure::none) return {.problem = "scrape: " + reply.error};
  if (!reply.ok()) return {.problem = "scrape: HTTP status " + std::to_string(reply.status)};
  if (!metric.problem.empty()) return {.problem = std::move(metric.problem)};
  // The service may have counted at any moment between question and answer, so what it counts from then on
  // begins with the question.
  const MonoTime asked = *target.asked;
  ParsedFigure figure{.value = metric.value};
  auto since = covered_since(source.objective, asked);
  if (!figure.value) {
    figure = target.window.add(std::move(metric.buckets), asked, source.objective);
    since = target.window.since();
  }
  if (figure.value) figure = plausible(*figure.value, source.objective.target);
  return {figure.value, std::string(figure.problem), since};
}

/// Of several pods the worst figure counts, and the oldest one says how old it is: no pod is forgotten. It
/// speaks of the time of all.
void Figures::settle_targets(Source& source) {
  std::optional<ObjectiveFigure> worst;
  for (const auto& [url, target] : source.targets) {
    if (!target.last) return;
    if (!worst) worst = target.last;
    worst->at = std::min(worst->at, target.last->at);
    worst->value = std::max(*worst->value, *target.last->value);
    worst->until = std::max(worst->until, target.last->until);
    if (target.last->since < worst->since) worst->since = target.last->since;  // an unknown one is the least
  }
  if (worst) source.figure = *worst;
}

}  // namespace evenkeel::figures
