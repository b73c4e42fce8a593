// `evenkeel run`: the agent in its event loop.
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "agent/cli/setup.h"
#include "agent/cli/verbs.h"
#include "agent/event_loop.h"
#include "agent/notify.h"

namespace evenkeel {
namespace {

/// Everything that lives as long as the process does.
struct Service {
  const Flags& flags;
  SystemClock clock{};
  SystemWallClock wall{};
  Log log;
  Notifier notifier{};
  std::unique_ptr<Agent> agent{};
  std::unique_ptr<HttpServer> http{};
  std::vector<int> watched{};

  explicit Service(const Flags& given)
      : flags(given), log(STDERR_FILENO, given.log_format, given.log_level, &wall) {}
};

void tick(Service& service, std::uint64_t periods) {
  if (periods > 1) service.agent->missed_ticks(periods - 1);
  service.agent->tick(service.clock.now());
  if (service.http) service.http->work();  // closes connections that went silent
  if (service.agent->counters().ticks == 1) service.notifier.ready("ticking");
}

/// 0, or the exit status.
int listen(Service& service, EventLoop& loop) {
  if (service.flags.listen == "none") return 0;
  auto opened = open_endpoint(service.flags, *service.agent);
  if (!opened.server) {
    service.log.error("cannot-listen").with("flag", "--listen").with("problem", opened.error);
    return opened.exit_code;
  }
  service.http = std::move(opened.server);
  service.log.info("listening").with("address", opened.address.host).with("port", service.http->port());
  const auto added =
      loop.add(service.http->fd(), EPOLLIN, [&service](std::uint32_t) { service.http->work(); });
  return added ? 0 : 1;
}

/// Inputs may begin to be watched later (a directory that did not exist), so the list is compared after each
/// event.
void follow_descriptors(Service& service, EventLoop& loop) {
  const auto now = service.agent->descriptors();
  for (const int fd : service.watched)
    if (std::find(now.begin(), now.end(), fd) == now.end()) loop.remove(fd);
  for (const int fd : now) {
    if (std::find(service.watched.begin(), service.watched.end(), fd) != service.watched.end()) continue;
    const auto added =
        loop.add(fd, EPOLLIN, [&service](std::uint32_t) { service.agent->react(service.clock.now()); });
    if (!added) service.log.warning("cannot-wait").with("errno", errno_name(added.error().code));
  }
  service.watched = now;
}

int serve(Service& service, EventLoop& loop) {
  const auto ticking = loop.every(service.flags.interval, [&](std::uint64_t periods) {
    tick(service, periods);
    follow_descriptors(service, loop);
  });
  const auto signals = loop.on_signals({SIGTERM, SIGINT, SIGHUP}, [&](int signal) {
    if (signal == SIGHUP) return static_cast<void>(service.agent->react(service.clock.now()));
    service.log.info("stopping").with("signal", signal == SIGTERM ? "SIGTERM" : "SIGINT");
    loop.stop();
  });
  if (!ticking || !signals) return 1;
  if (const auto period = service.notifier.watchdog_period())
    if (!loop.every(*period, [&](std::uint64_t) { service.notifier.watchdog(); })) return 1;
  follow_descriptors(service, loop);
  tick(service, 1);
  const int failed = loop.run();
  service.notifier.stopping();
  const auto last = service.agent->stop(service.clock.now());
  service.log.info("stopped")
      .with("restored", last.report.writes.size())
      .with("refused", last.report.refusals.size());
  return failed != 0 || !last.report.refusals.empty() ? 1 : 0;
}

}  // namespace

int run_agent(const Flags& flags) {
  ::signal(SIGPIPE, SIG_IGN);
  Service service(flags);
  auto options = agent_options(flags);
  if (!options.error.empty()) return usage_error(options.error);
  auto created = Agent::create(options.options, service.log, service.clock, &service.wall);
  if (!created.agent) {
    service.log.error("cannot-start").with("problem", created.error);
    return created.exit_code;
  }
  service.agent = std::move(created.agent);
  auto loop = EventLoop::open();
  if (!loop) return 1;
  if (const int failed = listen(service, *loop); failed != 0) return failed;
  const Layout& layout = service.agent->tree().layout();
  service.log.info("started")
      .with("version", EVENKEEL_VERSION)
      .with("cgroup", name(layout.version))
      .with("driver", name(layout.driver))
      .with("dry_run", flags.dry_run ? "true" : "false");
  return serve(service, *loop);
}

}  // namespace evenkeel
