#include <algorithm>
#include <set>

#include "agent/config/schema_read.h"
#include "agent/document/names.h"
#include "agent/document/units_text.h"

namespace evenkeel::config {
namespace {

constexpr std::size_t kMostObjectives = 64;
constexpr std::size_t kLongestSocketPath = 107;  // sockaddr_un, less the closing zero

bool is_metric_name(const std::string& name) {
  const auto inner = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
  };
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') && std::ranges::all_of(name, inner);
}

/// "http://HOST[:PORT][/PATH]", printable; the pod's address may stand for HOST.
bool is_scrape_url(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  const bool printable = std::ranges::all_of(url, [](char c) { return c > ' ' && c < 127; });
  return printable && url.starts_with(kScheme) && url.size() > kScheme.size() && url[kScheme.size()] != '/' &&
         url[kScheme.size()] != ':' && url.find('@') == std::string::npos;
}

/// The checks of one objective; each names its key.
class Check {
 public:
  Check(const NodeSlo& slo, const Objective& objective, std::size_t index, SchemaRead& read)
      : slo_(slo),
        objective_(objective),
        key_("extensions.evenkeel.objectives[" + std::to_string(index) + ']'),
        read_(read) {}

  void all(std::set<std::string>& names, std::set<std::string>& sockets) {
    if (!document::is_dns_label(objective_.name))
      problem(".name", found(objective_.name) + "; legal: small letters, digits and '-', 63 at most");
    else if (!names.insert(objective_.name).second)
      problem(".name", found(objective_.name) + " a second time");
    target();
    service();
    source();
    if (!objective_.socket.empty() && !sockets.insert(objective_.socket).second)
      problem(".socket", found(objective_.socket) + " a second time");
  }

 private:
  void problem(const std::string& key, const std::string& message) {
    // A key that is missing has no place: then the objective's own is named.
    const bool given = read_.origins.count(key_ + key) > 0;
    read_.problem(given ? key_ + key : key_, (given ? "" : key.substr(1) + ": ") + message);
  }
  void target() {
    const std::string key = key_ + ".target", whole = read_.prefix + key;
    const auto is_told = [&](const document::Problem& problem) { return problem.key == whole; };
    if (objective_.target > 0 || std::ranges::any_of(read_.problems, is_told)) return;
    problem(".target",
            (read_.origins.count(key) > 0 ? "found 0" : "missing") + std::string("; legal: above 0"));
  }
  static std::string found(const std::string& text) { return "found '" + text + '\''; }

  void service() {
    const bool pods = !objective_.namespace_.empty() || !objective_.match_labels.empty();
    const bool application = !objective_.host_application.empty();
    if (pods == application)
      return problem("", std::string("found ") + (pods ? "pods and a host application" : "no service") +
                             "; legal: namespace and matchLabels, or hostApplication");
    if (pods && (objective_.namespace_.empty() || objective_.match_labels.empty()))
      return problem("", "found only one of namespace and matchLabels; legal: both");
    const bool known = std::ranges::any_of(slo_.host_applications, [&](const HostApplication& app) {
      return app.name == objective_.host_application && app.qos != QosClass::be;
    });
    if (application && !known)
      problem(".hostApplication",
              found(objective_.host_application) + "; legal: one of hostApplications that is no best effort");
  }

  void source() {
    const auto& prometheus = objective_.prometheus;
    const bool scraped = !prometheus.url.empty() || !prometheus.metric.empty();
    const int sources =
        (scraped ? 1 : 0) + (objective_.file.empty() ? 0 : 1) + (objective_.socket.empty() ? 0 : 1);
    if (sources != 1)
      return problem(
          "", "found " + std::to_string(sources) + " sources; legal: one of prometheus, file and socket");
    if (scraped) metric();
    if (!objective_.file.empty() && !objective_.file.starts_with('/'))
      problem(".file", found(objective_.file) + "; legal: a path that begins with /");
    if (!objective_.socket.empty() &&
        (!objective_.socket.starts_with('/') || objective_.socket.size() > kLongestSocketPath))
      problem(".socket",
              found(objective_.socket) + "; legal: a path that begins with /, of at most 107 bytes");
  }

  void metric() {
    const auto& prometheus = objective_.prometheus;
    if (!is_scrape_url(prometheus.url))
      problem(".prometheus.url", found(prometheus.url) + "; legal: http://HOST:PORT/PATH");
    if (prometheus.url.find("{podIP}") != std::string::npos && !objective_.host_application.empty())
      problem(".prometheus.url", found(prometheus.url) + "; legal: {podIP} only with pods");
    if (!is_metric_name(prometheus.metric))
      problem(".prometheus.metric", found(prometheus.metric) + "; legal: letters, digits, _ and :");
    const auto& quantile = prometheus.quantile_percent;
    if (quantile && !(*quantile > 0 && *quantile < 100))
      problem(".prometheus.quantilePercent", "found a quantile at the edge; legal: above 0 and below 100");
    if (objective_.stale_after <= prometheus.interval)
      problem(".staleAfter", "found " + document::duration_text(objective_.stale_after) +
                                 "; legal: above prometheus.interval (" +
                                 document::duration_text(prometheus.interval) + ')');
  }

  const NodeSlo& slo_;
  const Objective& objective_;
  std::string key_;
  SchemaRead& read_;
};

}  // namespace

void check_objectives(const NodeSlo& slo, SchemaRead& read) {
  const auto& objectives = slo.evenkeel.objectives;
  if (objectives.size() > kMostObjectives)
    read.problem("extensions.evenkeel.objectives",
                 "found " + std::to_string(objectives.size()) + " objectives; legal: at most 64");
  std::set<std::string> names, sockets;
  for (std::size_t index = 0; index < objectives.size(); ++index)
    Check(slo, objectives[index], index, read).all(names, sockets);
}

}  // namespace evenkeel::config
