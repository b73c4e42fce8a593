// `evenkeel run`: runs the agent in its event loop.
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "agent/cli/endpoint.h"
#include "agent/cli/setup.h"
#include "agent/cli/verbs.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"
#include "agent/runtime/heap.h"
#include "agent/runtime/notify.h"
#include "agent/runtime/time_share.h"
#include "agent/runtime/version.h"

namespace evenkeel::cli {
namespace {

/// How often the amounts to lend are computed: often enough to advertise a sudden drop in time.
constexpr Duration kLendInterval = std::chrono::seconds(10);

/// How often it is looked which scrapes are due.
constexpr Duration kScrapeInterval = std::chrono::seconds(1);

/// Rates are known from the second tick on, so the third has an average.
constexpr std::uint64_t kFirstLend = 3;

/// Work for events between two ticks may take a tenth of the time; then they wait for the next tick.
/// Otherwise a container that makes and removes cgroups of its own without end would keep the agent busy.
/// Alarms have a tenth of their own, so that such a container cannot keep the brake from acting.
constexpr int kEarlyShare = 10;

/// Everything that lives as long as the process does.
struct Service {
  const Flags& flags;
  runtime::SystemClock clock{};
  runtime::SystemWallClock wall{};
  runtime::Log log;
  runtime::Notifier notifier{};
  std::unique_ptr<Agent> agent{};
  std::optional<runtime::EventLoop> loop{};
  std::optional<Endpoint> endpoint{};
  std::unique_ptr<kube::KubeFeed> kube{};
  std::unique_ptr<Cluster> cluster{};
  std::vector<int> watched{};
  runtime::TimeShare early;                 ///< for events of `watched`
  runtime::TimeShare alarms;                ///< for alarms of the brake
  std::optional<runtime::Timer> release{};  ///< fires when the brake's lease ends
  bool ended = false;                       ///< every value is restored: nothing may be decided any more

  explicit Service(const Flags& given)
      : flags(given),
        log(STDERR_FILENO, given.log_format, given.log_level, &wall),
        early(given.interval / kEarlyShare),
        alarms(given.interval / kEarlyShare) {}
};

/// A pod directory that is missing from the pod list triggers a new request for the list.
void ask_about_unknown(Service& service) {
  if (service.kube)
    service.kube->unknown_cgroup_found(service.agent->view().observer.roster().newest_unknown_cgroup());
}

/// After each decision.
void settle(Service& service) {
  ask_about_unknown(service);
  if (!service.release) return;
  if (const auto due = service.agent->due()) service.release->arm(*due - service.clock.now());
}

void react(Service& service) {
  if (service.ended) return;
  service.agent->react(service.clock.now());
  settle(service);
}

void tick(Service& service, std::uint64_t periods) {
  if (periods > 1) service.agent->parts().tick.missed(periods - 1);
  service.agent->tick(service.clock.now());
  service.early.renew();
  service.alarms.renew();
  service.endpoint->renew();
  settle(service);
  const auto ticks = service.agent->parts().tick.counters().ticks;
  if (ticks == 1) {
    service.notifier.ready("ticking");
    service.endpoint->probe();  // the first values are written, and no request is answered before
    runtime::trim_heap();       // of what was read and written for the first time
  }
  if (ticks == kFirstLend) service.cluster->lend();
}

/// False: the event loop refuses.
bool listen(Service& service, const EndpointAddresses& addresses, const std::string& node_name) {
  service.endpoint.emplace(
      addresses, host_names(node_name),
      Endpoint::Parts{*service.agent, service.clock, service.log, service.flags.interval});
  return service.endpoint->serve(*service.loop);
}

/// Nothing is lost: the next tick looks at all that has changed, and follow_descriptors() waits again.
void wait_for_next_tick(Service& service, runtime::EventLoop& loop) {
  for (const int fd : service.watched) loop.remove(fd);
  service.watched.clear();
  service.agent->parts().tick.paused();
}

/// The loop goes on for what is to be taken off the Node. A tick in it would write again what is restored.
void end(Service& service, runtime::EventLoop& loop) {
  service.ended = true;
  for (const int fd : service.watched) loop.remove(fd);
  service.watched.clear();
  service.agent->parts().figures.disconnect();  // the loop is destroyed before the agent
  service.agent->parts().brakes.set_alarm_source({});
}

void handle_event(Service& service, runtime::EventLoop& loop) {
  const MonoTime started = service.clock.now();
  react(service);
  service.early.add(service.clock.now() - started);
  if (service.early.used_up()) wait_for_next_tick(service, loop);
}

/// The kernel gives an alarm per window and service: many, where there are many services. Those beyond their
/// share are dropped; a service that waits after the next tick as well gives another one.
void handle_alarm(Service& service, Alarm alarm) {
  if (service.alarms.used_up()) return;
  alarm.at = service.clock.now();
  service.agent->alarm(alarm);
  settle(service);
  service.alarms.add(service.clock.now() - alarm.at);
  if (service.alarms.used_up()) service.agent->parts().tick.paused();
}

/// An input may become watchable later (its directory did not exist), so the list is compared after each
/// event.
void follow_descriptors(Service& service, runtime::EventLoop& loop) {
  const auto now = service.agent->descriptors();
  for (const int fd : service.watched)
    if (std::find(now.begin(), now.end(), fd) == now.end()) loop.remove(fd);
  for (const int fd : now) {
    if (std::find(service.watched.begin(), service.watched.end(), fd) != service.watched.end()) continue;
    const auto added =
        loop.add(fd, EPOLLIN, [&service, &loop](std::uint32_t) { handle_event(service, loop); });
    if (!added) service.log.warning("cannot-wait").with("errno", errno_name(added.error().code));
  }
  service.watched = now;
}

/// Alarms arrive between two ticks, and the brake is released between two ticks as well.
bool open_alarms(Service& service, runtime::EventLoop& loop) {
  auto release = loop.timer([&service] { react(service); });
  if (!release) return false;
  service.release.emplace(std::move(*release));
  service.agent->parts().brakes.set_alarm_source(
      {.add =
           [&loop](int fd, std::uint32_t events, std::function<void(std::uint32_t)> ready) {
             return loop.add(fd, events, std::move(ready)).has_value();
           },
       .remove = [&loop](int fd) { loop.remove(fd); },
       .on_alarm = [&service](const Alarm& alarm) { handle_alarm(service, alarm); }});
  return true;
}

/// Services are asked for their figures between two ticks.
bool open_figures(Service& service, runtime::EventLoop& loop) {
  const auto scraping = loop.every(kScrapeInterval, [&service](std::uint64_t) {
    service.agent->parts().figures.scrape(service.clock.now());
  });
  if (scraping)
    service.agent->parts().figures.connect([&loop] { return http::HttpClient::open(loop); }, service.clock);
  return scraping.has_value();
}

/// Connects to the servers, whose responses arrive between two ticks. False: that failed.
bool open_kube(Service& service, const KubeSetup& setup) {
  if (!setup.feed.kubelet && !setup.feed.api) return true;
  auto opened = kube::KubeFeed::open({.loop = *service.loop,
                                      .clock = service.clock,
                                      .random = kube::system_random(),
                                      .inputs = service.agent->parts().inputs,
                                      .on_change = [&service] { react(service); }},
                                     setup.feed);
  if (!opened) return false;
  service.kube = std::move(*opened);
  for (const auto* client : {service.kube->kubelet(), service.kube->api()})
    if (client != nullptr) service.agent->parts().servers.traffic.push_back(&client->traffic());
  return true;
}

/// Connects the agent's reports and evictions to the API server, if there is one.
bool open_cluster(Service& service, const reporting::ReportTarget& report, const std::string& node_name) {
  service.cluster =
      std::make_unique<Cluster>(report, *service.agent, service.clock, service.wall, service.log);
  kube::KubeClient* const api = service.kube ? service.kube->api() : nullptr;
  Cluster::ReportsTo reports{.owners = service.flags.events && !service.flags.dry_run,
                             .usage = service.flags.node_metric && !service.flags.dry_run,
                             .topology = service.flags.node_topology && !service.flags.dry_run,
                             .host_root = service.flags.host_root};
  if (service.kube) reports.kubelet = service.kube->kubelet();
  return api == nullptr || service.cluster->connect(*service.loop, *api, node_name, reports);
}

/// The kernel gives no epoll instance, timer or signal descriptor: none are left, as a rule.
int no_event_loop(Service& service) {
  service.log.error("cannot-start")
      .with("problem",
            "the kernel refuses a descriptor for the event loop or a timer (RLIMIT_NOFILE, or no memory)");
  return 1;
}

int serve(Service& service, runtime::EventLoop& loop) {
  const auto ticking = loop.every(service.flags.interval, [&](std::uint64_t periods) {
    if (service.ended) return;
    tick(service, periods);
    follow_descriptors(service, loop);
  });
  const auto signals = loop.on_signals({SIGTERM, SIGINT, SIGHUP}, [&](int signal) {
    if (signal == SIGHUP) return react(service);
    service.log.info("stopping").with("signal", signal == SIGTERM ? "SIGTERM" : "SIGINT");
    loop.stop();
  });
  if (!ticking || !signals) return no_event_loop(service);
  const auto lending = loop.every(kLendInterval, [&](std::uint64_t) {
    if (service.ended) return;
    service.cluster->lend();
    runtime::trim_heap();
  });
  if (!lending) return no_event_loop(service);
  if (const auto period = service.notifier.watchdog_period())
    if (!loop.every(*period, [&](std::uint64_t) { service.notifier.watchdog(); }))
      return no_event_loop(service);
  if (!open_alarms(service, loop) || !open_figures(service, loop)) return no_event_loop(service);
  follow_descriptors(service, loop);
  tick(service, 1);
  const int failed = loop.run();
  service.notifier.stopping();
  end(service, loop);
  const auto last = service.agent->stop(service.clock.now());
  service.log.info("stopped")
      .with(service.flags.dry_run ? "would_restore" : "restored", last.report.writes.size())
      .with("refused", last.report.refusals.size());
  service.cluster->disconnect();
  return failed != 0 || !last.report.refusals.empty() ? 1 : 0;
}

}  // namespace

int run_agent(const Flags& flags) {
  ::signal(SIGPIPE, SIG_IGN);
  Service service(flags);
  const auto setup = kube_setup(flags, process_environment, kServiceAccount);
  if (!setup.error.empty()) return usage_error(setup.error);
  const auto report = report_target(flags, setup.feed.api.has_value());
  if (!report.error.empty()) return usage_error(report.error);
  const auto problem = reporting_problem(flags, setup.feed.api.has_value());
  if (!problem.empty()) return usage_error(problem);
  const auto addresses = endpoint_addresses(flags);
  if (!addresses.error.empty()) return usage_error(addresses.error);
  const ServerSources delivered{
      setup.feed.node_name.empty() ? "" : kube::KubeFeed::node_url(*setup.feed.api, setup.feed.node_name),
      setup.nodeslo_object};
  auto created =
      Agent::create(agent_options(flags, setup.pods, delivered), service.log, service.clock, &service.wall);
  if (!created.agent) {
    service.log.error("cannot-start").with("problem", created.error);
    return created.exit_code;
  }
  service.agent = std::move(created.agent);
  auto loop = runtime::EventLoop::open();
  if (!loop) return no_event_loop(service);
  service.loop.emplace(std::move(*loop));
  if (!listen(service, addresses, setup.node_name)) return no_event_loop(service);
  if (!open_kube(service, setup) || !open_cluster(service, report.target, setup.node_name))
    return no_event_loop(service);
  const tree::Layout& layout = service.agent->view().tree().layout();
  service.log.info("started")
      .with("version", runtime::kVersion)
      .with("cgroup", tree::name(layout.version))
      .with("driver", tree::name(layout.driver))
      .with("nodeslo", delivered.nodeslo_object.empty() ? flags.nodeslo : delivered.nodeslo_object)
      .with("pods", setup.pods.delivered() ? setup.pods.path : flags.pods)
      .with("dry_run", flags.dry_run ? "true" : "false");
  if (!setup.missing_reason.empty())
    service.log.info(setup.pods.delivered() ? "pods-from-api-server" : "pods-from-cgroup-tree")
        .with("why", setup.missing_reason);
  return serve(service, *service.loop);
}

}  // namespace evenkeel::cli
