#include <array>

#include "cgroup/base/host.h"
#include "cgroup/base/text.h"
#include "collectors/base/collector.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {
namespace {

/// Averages are percentages; rejects "nan" and "inf", which from_chars accepts.
bool average(Scanner& line, std::string_view key, double& out) {
  line.skip_blanks();
  if (!line.eat(key)) return false;
  const auto value = line.decimal();
  if (!value || !(*value >= 0.0 && *value <= 100.0)) return false;
  out = *value;
  return true;
}

std::optional<PressureLine> parse_line(Scanner line) {
  PressureLine out;
  if (!average(line, "avg10=", out.avg10_percent) || !average(line, "avg60=", out.avg60_percent) ||
      !average(line, "avg300=", out.avg300_percent))
    return std::nullopt;
  line.skip_blanks();
  const auto total_us = line.eat("total=") ? line.number() : std::nullopt;
  std::int64_t total_ns = 0;
  if (!total_us || *total_us < 0 || __builtin_mul_overflow(*total_us, 1000, &total_ns)) return std::nullopt;
  out.total = Duration(total_ns);
  return out;
}

constexpr std::array<std::string_view, 3> kFiles = {"proc/pressure/cpu", "proc/pressure/memory",
                                                    "proc/pressure/io"};

class NodePressure final : public collectors::Collector {
 public:
  void collect(collectors::Tick& tick) override {
    auto& pressure = tick.node.node.pressure;
    pressure.cpu = read(cpu_, tick);
    pressure.memory = read(memory_, tick);
    pressure.io = read(io_, tick);
    // "full" has no meaning for the CPU of a whole machine; kernels since 5.13 write zeros there.
    if (pressure.cpu) pressure.cpu->full.reset();
  }

 private:
  static std::optional<Pressure> read(ReadFile& file, const collectors::Tick& tick) {
    const auto text = file.read(tick.host, tick.buffer);
    auto pressure = text ? parse_pressure(*text) : std::nullopt;
    if (pressure) pressure->at = tick.node.at;
    return pressure;
  }
  ReadFile cpu_{std::string(kFiles[0]), Hold::kept};
  ReadFile memory_{std::string(kFiles[1]), Hold::kept};
  ReadFile io_{std::string(kFiles[2]), Hold::kept};
};

}  // namespace

std::optional<Pressure> parse_pressure(std::string_view text) {
  Scanner scan(text);
  Scanner some(scan.line());
  if (!some.eat("some ")) return std::nullopt;
  const auto first = parse_line(some);
  if (!first) return std::nullopt;
  Pressure out{.some = *first};
  Scanner full(scan.line());
  if (full.eat("full ")) out.full = parse_line(full);
  return out;
}

extern const collectors::CollectorSpec node_pressure_collector;
const collectors::CollectorSpec node_pressure_collector{
    "node-pressure", kFiles, [](const Host&) { return kFiles.size(); },
    [](const Host&) -> std::unique_ptr<collectors::Collector> { return std::make_unique<NodePressure>(); }};

}  // namespace evenkeel::node
