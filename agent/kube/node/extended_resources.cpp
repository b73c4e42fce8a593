#include "agent/kube/node/extended_resources.h"

#include <utility>

#include "agent/kube/client/answer.h"
#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/pods/kube_text.h"
#include "agent/runtime/json.h"

namespace evenkeel::kube {
namespace {

std::string resource_name(std::size_t index) {
  return std::string("kubernetes.io/") + lending::kLentNames[index];
}

/// An empty patch changes nothing and is not sent.
bool put_amounts(runtime::Json& json, const lending::LentAmounts& amounts,
                 const lending::LentAmounts& standing) {
  bool any = false;
  json.begin_object();
  for (std::size_t i = 0; i < lending::kLentCount; ++i) {
    if (!amounts[i] && !standing[i]) continue;
    any = true;
    json.key(resource_name(i));
    // Amounts are strings: a JSON number of this size might be parsed as floating point on the way.
    amounts[i] ? json.value(std::to_string(*amounts[i])) : json.null();
  }
  json.end_object();
  return any;
}

}  // namespace

std::optional<lending::LentAmounts> lent_amounts_in(std::string_view node_json) {
  const auto parsed = document::parse_json(node_json, "node");
  if (!parsed.problems.empty() || document::text_at(parsed.root, {"kind"}) != "Node") return std::nullopt;
  lending::LentAmounts out{};
  for (std::size_t i = 0; i < lending::kLentCount; ++i) {
    const auto name = resource_name(i);
    const auto* value = document::value_at(parsed.root, {"status", "allocatable", name});
    if (value == nullptr) continue;
    const auto amount =
        value->scalar() != nullptr ? pods::plausible_bytes(value->scalar()->text) : std::nullopt;
    if (!amount) return std::nullopt;
    out[i] = amount->count();
  }
  return out;
}

std::string lending_patch(const lending::LentAmounts& amounts, const lending::LentAmounts& standing) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().key("status").begin_object().key("capacity");
  const bool any = put_amounts(json, amounts, standing);
  json.key("allocatable");
  put_amounts(json, amounts, standing);
  json.end_object().end_object();
  return any ? out : std::string();
}

Result<ExtendedResources> ExtendedResources::open(runtime::EventLoop& loop, KubeClient& api,
                                                  const runtime::Clock& clock, Random random,
                                                  const Options& options, OnObserved on_observed) {
  auto patcher =
      Patcher::open(loop, api, clock, std::move(random),
                    {.path = "/api/v1/nodes/" + options.node + "/status",
                     .spread = options.spread,
                     .min_interval = options.min_interval,
                     .longest_wait = options.longest_wait},
                    [on_observed = std::move(on_observed)](const http::HttpReply& reply) {
                      const auto stands = reply.ok() ? lent_amounts_in(reply.body) : std::nullopt;
                      if (stands && on_observed.stands) on_observed.stands(*stands);
                      if (!stands && on_observed.failed)
                        on_observed.failed(reply.ok() ? "the answer is not a Node" : trouble(reply));
                      return stands.has_value();
                    });
  if (!patcher) return tl::unexpected(patcher.error());
  return ExtendedResources(std::move(*patcher));
}

void ExtendedResources::publish(const lending::LentAmounts& amounts, const lending::LentAmounts& standing,
                                bool urgent) {
  patcher_.publish([amounts, standing] { return lending_patch(amounts, standing); }, urgent);
}

}  // namespace evenkeel::kube
