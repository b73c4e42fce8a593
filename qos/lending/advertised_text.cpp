#include "qos/lending/advertised.h"
#include "qos/model/reason.h"

namespace evenkeel::lending {
namespace {

/// Thousandths of CPUs stay plain numbers, as the Node shows them.
Reason::Number number(LentResource resource, const std::optional<std::int64_t>& amount) {
  if (!amount) return std::monostate{};
  const bool cpu = resource == LentResource::batch_cpu || resource == LentResource::mid_cpu;
  return cpu ? Reason::Number(*amount) : Reason::Number(Bytes(*amount));
}

/// Pods that the kubelet started keep the amount up.
Reason floor_text(LentResource resource, const LentLine& line, bool taken) {
  const auto standing = number(resource, line.standing), floor = number(resource, line.floor);
  const auto computed = number(resource, line.computed);
  if (line.standing && (line.change == LentChange::none || !taken))
    return Reason{"stays at {}: started pods request {}, only {} can be lent", {standing, floor, computed}};
  if (!line.standing) return Reason{"{}: started pods request it, only {} can be lent", {floor, computed}};
  return Reason{"{} to {}: started pods request it, only {} can be lent", {standing, floor, computed}};
}

Reason computed_text(LentResource resource, const LentLine& line, bool taken) {
  const auto standing = number(resource, line.standing);
  const auto wanted = number(resource, line.wanted);
  if (line.at_floor()) return floor_text(resource, line, taken);
  if (line.change == LentChange::none) return {};
  if (!line.standing) return Reason{"{} can be lent", {wanted}};
  if (!taken) return Reason{"held at {}: {} differs too little", {standing, wanted}};
  return *line.wanted < *line.standing ? Reason{"{} to {}: less can be lent", {standing, wanted}}
                                       : Reason{"{} to {}: more can be lent", {standing, wanted}};
}

/// What is left when nothing more may be lent.
std::string remainder_text(LentResource resource, const LentLine& line) {
  if (!line.standing) return "nothing is advertised";
  if (!line.held)
    return Reason{"stays at {}: what pods request of it is unknown", {number(resource, line.standing)}}
        .text();
  if (!line.wanted) return "removed from the Node: no pod requests any of it";
  if (line.wanted == line.held)
    return Reason{"only the {} that pods request", {number(resource, line.held)}}.text();
  return Reason{"only {} of the {} that pods request",
                {number(resource, line.wanted), number(resource, line.held)}}
      .text();
}

std::string cause_text(LentResource resource, const LentLine& line, bool taken) {
  switch (line.cause) {
    case LentCause::computed:
      return computed_text(resource, line, taken).text();
    case LentCause::unknown:
      if (!line.standing) return "not advertised: " + line.unknown;
      return Reason{"held at {}: ", {number(resource, line.standing)}}.text() + line.unknown;
    case LentCause::degraded:
      return because("no data for {}: ", line.age).text() + remainder_text(resource, line);
    case LentCause::off:
      return "colocation is off: " + remainder_text(resource, line);
  }
  return {};
}

}  // namespace

std::string lent_text(LentResource resource, const LentLine& line, bool taken) {
  auto text = cause_text(resource, line, taken);
  const auto& amount = taken ? line.wanted : line.standing;
  if (line.below_requested(amount)) {
    if (!text.empty()) text += ", ";
    text += Reason{"pods request {}, more than the {} advertised",
                   {number(resource, line.held), number(resource, amount ? amount : 0)}}
                .text();
  }
  return text.empty() ? text : std::string(kLentNames[static_cast<std::size_t>(resource)]) + ": " + text;
}

}  // namespace evenkeel::lending
