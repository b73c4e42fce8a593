#include <algorithm>
#include <optional>
#include <vector>

#include "agent/cli/verbs.h"
#include "agent/http/http_client.h"
#include "agent/kube/client/answer.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/node/extended_resources.h"
#include "agent/kube/watch/pod_watch.h"
#include "agent/pods/pod_list.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"
#include "cgroup/executor/journal.h"
#include "qos/lending/advertised.h"

namespace evenkeel::cli {
namespace {

constexpr Duration kPatience = std::chrono::seconds(30);
constexpr std::size_t kNamesShown = 5;

bool any_of(const lending::LentAmounts& amounts) {
  return std::any_of(amounts.begin(), amounts.end(), [](const auto& amount) { return amount.has_value(); });
}

/// "batch-cpu 25000, batch-memory 1048576"
std::string list_of(const lending::LentAmounts& amounts) {
  std::string out;
  for (std::size_t i = 0; i < lending::kLentCount; ++i)
    if (amounts[i])
      out +=
          (out.empty() ? "" : ", ") + std::string(lending::kLentNames[i]) + ' ' + std::to_string(*amounts[i]);
  return out;
}

std::vector<std::string> holders(const std::vector<Pod>& pods) {
  std::vector<std::string> out;
  for (const auto& pod : pods) {
    const auto held = lending::requested_amounts({pod});
    if (std::any_of(held.begin(), held.end(), [](const auto& amount) { return amount.value_or(0) > 0; }))
      out.push_back(pods::pod_title(pod));
  }
  return out;
}

std::string names(const std::vector<std::string>& all) {
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kNamesShown); ++i) out += (i == 0 ? "" : ", ") + all[i];
  return out + (all.size() > kNamesShown ? ", …" : "");
}

/// Reads what is advertised, then which pods request it, then removes it. Each step starts after the response
/// to the previous one.
class Steps {
 public:
  Steps(runtime::EventLoop& loop, kube::KubeClient& api, const WithdrawOptions& options)
      : loop_(loop), api_(api), options_(options) {}

  bool open() {
    const Duration at_once{};
    auto reporter = kube::ExtendedResources::open(
        loop_, api_, clock_, kube::system_random(),
        {.node = options_.node_name, .spread = at_once, .min_interval = at_once},
        {.stands = [this](const lending::LentAmounts& amounts) { stands(amounts); },
         .failed = [this](const std::string& why) { end(false, here() + "cannot be patched: " + why); }});
    if (!reporter) return false;
    reporter_.emplace(std::move(*reporter));
    reporter_->resync();
    return true;
  }
  void end(bool done, std::string words) {
    result_ = {done, std::move(words)};
    loop_.stop();
  }
  [[nodiscard]] std::string here() const { return "node " + options_.node_name + ": "; }
  [[nodiscard]] const WithdrawResult& result() const { return result_; }

 private:
  void stands(const lending::LentAmounts& amounts) {
    if (taking_) {
      if (any_of(amounts)) return end(false, here() + "still advertises " + list_of(amounts));
      return end(true, here() + "withdrawn: " + list_of(standing_));
    }
    if (!any_of(amounts)) return end(true, here() + "nothing is advertised");
    standing_ = amounts;
    api_.start({.url = kube::PodWatch::list_url(options_.node_name),
                .total_timeout = kPatience,
                .longest_body = document::kLongestList,
                .piece = [this](std::string_view piece) { return answer_.add(piece); }},
               [this](const http::HttpReply& reply) { pods(reply); });
  }
  void pods(const http::HttpReply& reply) {
    auto why = kube::transport_trouble(reply);
    if (why.empty()) {
      const auto list = answer_.end();
      if (!list.problems.empty()) {
        why = list.problems.front().text();
      } else if (const auto held = holders(list.pods); !held.empty() && !options_.force) {
        return end(false, here() + std::to_string(held.size()) +
                              (held.size() == 1 ? " pod requests some of " : " pods request some of ") +
                              list_of(standing_) + ": " + names(held) +
                              ". When the kubelet restarts it would fail them. Delete them first, or use "
                              "--force");
      }
    }
    if (!why.empty() && !options_.force)
      return end(false, here() + "it is not known whether pods request any of " + list_of(standing_) + ": " +
                            why + ". --force removes them from the Node all the same");
    if (options_.dry_run) return end(true, here() + "would withdraw " + list_of(standing_));
    taking_ = true;
    reporter_->publish({}, standing_, true);
  }

  runtime::EventLoop& loop_;
  kube::KubeClient& api_;
  const WithdrawOptions& options_;
  pods::PodListReader answer_{};
  runtime::SystemClock clock_{};
  std::optional<kube::ExtendedResources> reporter_{};
  lending::LentAmounts standing_{};
  bool taking_ = false;
  WithdrawResult result_{};
};

}  // namespace

WithdrawResult withdraw(const WithdrawOptions& options) {
  if (executor::Journal::in_use(options.state_dir))
    return {false, "an agent runs here (" + options.state_dir +
                       " is in use) and would advertise the resources again. Stop it first"};
  auto loop = runtime::EventLoop::open();
  if (!loop) return {false, std::string("no event loop: ") + errno_name(loop.error().code)};
  auto http = http::HttpClient::open(*loop);
  if (!http) return {false, std::string("no HTTP client: ") + errno_name(http.error().code)};
  auto api = kube::KubeClient::open(*loop, *http, options.api, "api");
  if (!api) return {false, options.api.server + ": " + errno_name(api.error().code)};
  Steps steps(*loop, *api, options);
  const auto patience =
      loop->timer([&] { steps.end(false, steps.here() + "no answer from " + options.api.server); });
  patience->arm(kPatience);
  if (!steps.open() || loop->run() != 0) return {false, "no event loop"};
  return steps.result();
}

}  // namespace evenkeel::cli
