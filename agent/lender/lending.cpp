#include "agent/lender/lending.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "agent/config/nodeslo_config.h"
#include "agent/history/prediction_checkpoint.h"
#include "qos/lending/prod_reclaimable.h"
#include "qos/model/capacity.h"

namespace evenkeel::lender {

namespace {

Usage allocatable_of(const NodeObject& object, const NodeSample& node) {
  Usage out{cpu_allocatable(object, node), memory_allocatable(object, node)};
  if (!out.cpu && node.cpu_capacity > MilliCpu{}) out.cpu = node.cpu_capacity;
  if (!out.memory) out.memory = memory_capacity(object, node);
  return out;
}

}  // namespace

std::vector<std::string> Lending::configure(const NodeSlo& slo, const NodeObject& node) {
  auto layered = config::node_strategy(slo.colocation, node);
  strategy_ = std::move(layered.strategy);
  prediction_ = slo.evenkeel.prediction;
  if (usage_required_)
    for (auto& notice : evenkeel::lender::apply_collect_policy(collect_policy_, strategy_))
      layered.notices.push_back(std::move(notice));
  if (layered.notices == notices_) return {};
  notices_ = layered.notices;
  return notices_;
}

void Lending::observe(const NodeSnapshot& node) {
  if (measures()) history_.observe(node, strategy_);
}

void Lending::learn(MonoTime now) {
  if (learned_ && now - *learned_ < prediction_.training_interval) return;
  const auto round = history_.training_round(prediction_.training_interval);
  if (!round) return;
  predictor_.train(*round, prediction_, now);
  learned_ = now;
}

lending::ProdReclaimable Lending::reclaim(const NodeSnapshot& node, const std::vector<Pod>& pods,
                                          const RecentUsage& recent, Moment moment) {
  if (node.pods_known) learn(moment.now);
  return lending::prod_reclaimable(
      lending::reclaim_input({.predictor = predictor_,
                              .settings = prediction_,
                              .allocatable = allocatable_of(node.object, node.node),
                              .pods = pods,
                              .measured = recent.pods,
                              .now = moment.now,
                              .unix_seconds = moment.unix_seconds}));
}

lending::Lendable Lending::compute(const NodeSnapshot& node, const std::vector<Pod>& pods,
                                   const RecentUsage& recent) const {
  auto sum = evenkeel::lending::lendable({.object = node.object,
                                          .node = node.node,
                                          .pods = pods,
                                          .usage = recent,
                                          .strategy = strategy_,
                                          .prod_reclaimable = prod_->reclaimable,
                                          .pods_known = node.pods_known});
  // The terms of the predictor's part follow those of the sum that contains it.
  sum.terms.insert(sum.terms.end(), prod_->terms.begin(), prod_->terms.end());
  return sum;
}

void Lending::update(const NodeSnapshot& node, Moment moment) {
  const bool on = strategy_.enable;
  const bool something_stands = std::ranges::any_of(state_.standing, [](const auto& one) { return !!one; });
  if (!measures() && !something_stands) return forget();
  const std::vector<Pod> no_pods;
  const auto& pods = node.pod_specs ? *node.pod_specs : no_pods;
  const RecentUsage recent = history_.recent();
  prod_.reset();
  if (measures()) prod_ = reclaim(node, pods, recent, moment);
  if (prod_ && !(node.pods_known && lending::names_pods(pods))) prod_->reclaimable.reset();
  if (!on && !something_stands) return clear_offer();
  lendable_ = on ? compute(node, pods, recent) : lending::Lendable{};
  advertised_ = lending::advertise({.lendable = *lendable_,
                                    .usage = recent,
                                    .object = node.object,
                                    .pods = pods,
                                    .strategy = strategy_,
                                    .now = moment.now,
                                    .pods_known = node.pods_known},
                                   state_);
}

void Lending::clear_offer() {
  lendable_.reset();
  advertised_.reset();
  state_ = {};
}

void Lending::forget() {
  history_ = {};
  predictor_ = {};
  learned_.reset();
  prod_.reset();
  clear_offer();
}

void Lending::mark_written(MonoTime now) {
  if (!advertised_) return;
  evenkeel::lending::written(*advertised_, now, state_);
  advertised_->write = false;
}

Resources lendable_of(const Lending& lending, const NodeObject& node) {
  Resources out;
  if (!lending.advertised()) return out;
  const auto take = [&](auto member, lending::LentResource resource) {
    using Q = typename std::decay_t<decltype(node.lent.*member)>::value_type;
    const auto index = static_cast<std::size_t>(resource);
    const auto& shown = node.lent.*member;
    const auto& standing = lending.standing()[index];
    const auto& computed = lending.advertised()->computed[index];
    if (shown && standing && computed && shown->count() == *standing) out.*member = Q(*computed);
  };
  take(&Resources::batch_cpu, lending::LentResource::batch_cpu);
  take(&Resources::batch_memory, lending::LentResource::batch_memory);
  take(&Resources::mid_cpu, lending::LentResource::mid_cpu);
  take(&Resources::mid_memory, lending::LentResource::mid_memory);
  return out;
}

Lender::Lender(Environment environment)
    : in_(std::move(environment)), peaks_(in_.state_dir, "prediction", in_.wall, in_.log) {}

void Lender::configure() {
  for (const auto& notice : lending_.configure(*in_.inputs.slo(), in_.node.object))
    in_.log.warning("node-strategy").with("problem", notice);
}

void Lender::set_collect_policy(CollectPolicy policy) {
  lending_.measure_as(std::move(policy));
  configure();
}

void Lender::update(MonoTime now) {
  std::optional<std::int64_t> unix_seconds;
  if (in_.wall) unix_seconds = static_cast<std::int64_t>(in_.wall->unix_seconds());
  if (!peaks_.loaded()) load(now);
  lending_.update(in_.node, {now, unix_seconds});
  save(now, history::SaveReason::periodic);
}

/// Once, before the predictor learns anything.
void Lender::load(MonoTime now) {
  const auto text = peaks_.load(now);
  if (text)
    peaks_.log_loaded(
        history::read_checkpoint(*text, peaks_.moment(now), lending_.prediction(), lending_.learned()));
}

void Lender::save(MonoTime now, history::SaveReason reason) {
  if (peaks_.due(now, lending_.prediction().checkpoint_interval, reason))
    peaks_.save(history::checkpoint_text(lending_.learned(), peaks_.moment(now)), now, reason);
}

}  // namespace evenkeel::lender
