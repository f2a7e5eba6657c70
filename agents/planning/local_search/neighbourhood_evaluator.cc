#include "agents/planning/local_search/neighbourhood_evaluator.h"

#include <span>
#include <utility>

namespace opyard::agents {
namespace {

// In the plan.
std::int64_t PriorityOf(const sim::Plan& plan, OpId op) {
  return plan.op_priority.empty() ? 0 : plan.op_priority[op.index()];
}

}  // namespace

NeighbourhoodEvaluator::NeighbourhoodEvaluator(const env::Problem& problem,
                                               env::Evaluator& evaluator,
                                               NeighbourEvaluation evaluation)
    : problem_(problem),
      evaluator_(evaluator),
      evaluation_(evaluation),
      ops_of_group_(OpsOfGroups(problem)) {}

std::vector<NeighbourhoodEvaluator::State> NeighbourhoodEvaluator::Evaluate(
    std::vector<Decisions> decisions) {
  std::vector<sim::Plan> plans;
  for (const Decisions& d : decisions) {
    plans.push_back(ToPlan(problem_, d));
  }
  const std::vector<env::Evaluation> evaluations = evaluator_.Evaluate(plans);
  std::vector<State> states;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    states.push_back({.decisions = std::move(decisions[i]),
                      .plan = std::move(plans[i]),
                      .fitness = FitnessOf(evaluations[i])});
  }
  return states;
}

std::optional<NeighbourhoodEvaluator::State> NeighbourhoodEvaluator::EvaluateNeighbour(
    const State& from, Decisions next, std::optional<double> cutoff) {
  // Other fusion priorities may change any kernel: no change of ops shows that.
  if (evaluation_ == NeighbourEvaluation::kWhole ||
      next.fusion_of_group != from.decisions.fusion_of_group) {
    std::vector<State> states = Evaluate({std::move(next)});
    return states.empty() ? std::nullopt : std::optional(std::move(states.front()));
  }
  State state{.decisions = std::move(next), .plan = {}, .fitness = {}};
  std::vector<env::Evaluation> evaluations;
  if (state.decisions.sequence != nullptr || from.decisions.sequence != nullptr) {
    state.plan = ToPlan(problem_, state.decisions);
    evaluations = evaluator_.EvaluateNeighbours(from.plan, std::span(&state.plan, 1), cutoff);
  } else {
    const env::Move move = MoveBetween(from, state.decisions);
    state.plan = from.plan;
    sim::Apply(move, state.plan);
    evaluations = evaluator_.EvaluateNeighbours(from.plan, std::span(&move, 1), cutoff);
  }
  if (evaluations.empty() || evaluations.front().is_cut_off()) {
    return std::nullopt;
  }
  state.fitness = FitnessOf(evaluations.front());
  return state;
}

env::Move NeighbourhoodEvaluator::MoveBetween(const State& from, const Decisions& next) const {
  const Decisions& before = from.decisions;
  const bool has_other_order = next.order != before.order;
  env::Move move;
  for (std::size_t group = 0; group < ops_of_group_.size(); ++group) {
    const bool moves = !next.device_of_group.empty() &&
                       next.device_of_group[group] != before.device_of_group[group];
    const bool reorders =
        !next.priority_of_group.empty() &&
        (has_other_order || next.priority_of_group[group] != before.priority_of_group[group]);
    for (const OpId op : ops_of_group_[group]) {
      const std::int64_t priority =
          reorders ? PriorityOf(problem_, next, op) : PriorityOf(from.plan, op);
      if (moves || priority != PriorityOf(from.plan, op)) {
        move.push_back(
            {.op = op,
             .device = moves ? next.device_of_group[group] : from.plan.placement[op.index()],
             .priority = priority});
      }
    }
  }
  return move;
}

}  // namespace opyard::agents
