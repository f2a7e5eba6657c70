#include "agents/learned/go/row_search.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "agents/learned/go/row_order.h"
#include "env/reward.h"

namespace opyard::agents::go {
namespace {

// Equal devices in the order of the rows.
torch::Tensor Canonical(const View& view, std::size_t resolution, const torch::Tensor& actions) {
  const torch::Tensor of_groups =
      CanonicalActions(view, resolution, ActionsOfGroups(view, resolution, actions.unsqueeze(0)));
  return ActionsOfRows(view, resolution, of_groups)[0].to(torch::kCPU);
}

// The actions of the rows of a resolution in a task before anything is known: the level in the
// middle, or the order of the rule.
torch::Tensor RuleActions(const View& view, std::size_t resolution, Task task) {
  const torch::Tensor& order = view.rule_order[resolution];
  if (task == Task::kScheduling && view.head == PriorityHead::kGumbel) {
    return torch::empty_like(order).index_copy(0, order, torch::arange(order.size(0)));
  }
  return torch::full_like(order, view.num_levels / 2);
}

// Actions of groups, int64 [T, G], as those of rows: placements alone, if there are any.
torch::Tensor Brought(const View& view, std::size_t resolution, const torch::Tensor& of_groups) {
  torch::Tensor actions =
      ActionsOfRows(view, resolution, of_groups.unsqueeze(0))[0].to(torch::kCPU).clone();
  if (view.tasks.front() == Task::kPlacement) {
    for (std::size_t i = 1; i < view.tasks.size(); ++i) {
      actions[static_cast<std::int64_t>(i)].copy_(RuleActions(view, resolution, view.tasks[i]));
    }
  }
  return actions;
}

class RowMoves {
 public:
  RowMoves(const View& view, std::size_t resolution)
      : task_(view.tasks.front()),
        is_order_(task_ == Task::kScheduling && view.head == PriorityHead::kGumbel),
        mask_(view.resolutions[resolution].mask.to(torch::kCPU).contiguous()),
        num_rows_(static_cast<std::uint64_t>(mask_.size(0))),
        num_choices_(task_ == Task::kPlacement ? mask_.size(1) : view.num_levels) {}

  // Actions of the first task, changed by one move; they may be as they were.
  void Make(std::span<std::int64_t> actions, Rng& rng) const {
    if (is_order_) {
      std::swap(actions[rng.Below(num_rows_)], actions[rng.Below(num_rows_)]);
      return;
    }
    const std::uint64_t first = rng.Below(num_rows_);
    const bool is_run = rng.Below(2) == 0;
    const std::uint64_t length = is_run ? 1 + rng.Below(num_rows_ - first) : 1;
    const auto others = static_cast<std::uint64_t>(std::max<std::int64_t>(num_choices_ - 1, 1));
    const std::int64_t choice =
        (actions[first] + 1 + static_cast<std::int64_t>(rng.Below(others))) % num_choices_;
    for (std::uint64_t row = first; row < first + length; ++row) {
      if (IsAllowed(row, choice)) {
        actions[row] = choice;
      }
    }
  }

  [[nodiscard]] std::int64_t num_choices() const { return num_choices_; }
  [[nodiscard]] bool IsAllowed(std::uint64_t row, std::int64_t choice) const {
    return task_ != Task::kPlacement ||
           mask_.const_data_ptr<bool>()[static_cast<std::int64_t>(row) * mask_.size(1) + choice];
  }

 private:
  Task task_;
  bool is_order_;
  torch::Tensor mask_;  // bool [R, D]
  std::uint64_t num_rows_;
  std::int64_t num_choices_;
};

std::span<std::int64_t> FirstTask(torch::Tensor& actions) {
  return {actions.data_ptr<std::int64_t>(), static_cast<std::size_t>(actions.size(1))};
}

// `actions` with all rows that may be there on one device, for each that equal ones are named by.
std::vector<torch::Tensor> OnSingleDevices(const View& view,
                                           std::size_t resolution,
                                           const torch::Tensor& actions) {
  std::vector<torch::Tensor> starts;
  const RowMoves moves(view, resolution);
  for (std::int64_t device = 0; device < moves.num_choices(); ++device) {
    torch::Tensor on_one = actions.clone();
    const std::span<std::int64_t> of_rows = FirstTask(on_one);
    for (std::size_t row = 0; row < of_rows.size(); ++row) {
      of_rows[row] = moves.IsAllowed(row, device) ? device : of_rows[row];
    }
    on_one = Canonical(view, resolution, on_one);
    const auto is_equal = [&](const torch::Tensor& start) { return torch::equal(start, on_one); };
    if (std::ranges::none_of(starts, is_equal)) {
      starts.push_back(on_one);
    }
  }
  return starts;
}

// The plans that a search on a resolution may begin from; `before`: the best plan of the resolution
// before, if any.
std::vector<torch::Tensor> Starts(const View& view,
                                  std::size_t resolution,
                                  const torch::Tensor& plan,
                                  const RowPlan& before) {
  std::vector<torch::Tensor> starts = {Brought(view, resolution, plan)};
  if (before.actions.defined()) {
    const torch::Tensor of_groups =
        ActionsOfGroups(view, resolution - 1, before.actions.unsqueeze(0))[0];
    starts.push_back(Brought(view, resolution, of_groups));
  }
  if (view.tasks.front() == Task::kPlacement) {
    const std::vector<torch::Tensor> on_one = OnSingleDevices(view, resolution, starts.front());
    starts.insert(starts.end(), on_one.begin(), on_one.end());
  }
  return starts;
}

}  // namespace

bool RowPlan::is_feasible() const {
  return actions.defined() && reward > env::kFailureReward;
}

void RowPlan::Take(const RowPlan& other) {
  if (other.actions.defined() && other.reward > reward) {
    *this = other;
  }
}

std::optional<RowPlan> EvaluateRows(const View& view,
                                    std::size_t resolution,
                                    const torch::Tensor& actions,
                                    env::Evaluator& evaluator) {
  const torch::Tensor of_groups = ActionsOfGroups(view, resolution, actions.unsqueeze(0));
  const std::optional<env::Evaluation> evaluation = evaluator.Evaluate(ToPlan(view, of_groups[0]));
  if (!evaluation.has_value()) {
    return std::nullopt;
  }
  const double overshoot = evaluation->is_feasible() ? 0.0 : Overshoots(view, of_groups).front();
  return RowPlan{
      .actions = actions,
      .reward = env::Reward(env::RewardKind::kSqrt, *evaluation, view.reference_score) - overshoot};
}

RowPlan SearchRows(const View& view,
                   std::size_t resolution,
                   const RowPlan& start,
                   env::Evaluator& evaluator,
                   Rng& rng) {
  if (!start.actions.defined()) {
    return start;
  }
  const RowMoves moves(view, resolution);
  RowPlan best = start;
  while (!evaluator.is_done()) {
    torch::Tensor moved = best.actions.clone();
    moves.Make(FirstTask(moved), rng);
    const std::optional<RowPlan> found = EvaluateRows(view, resolution, moved, evaluator);
    if (found.has_value() && found->reward >= best.reward) {
      best = *found;
    }
  }
  best.actions = Canonical(view, resolution, best.actions);
  return best;
}

RowPlan SimplyNamed(const View& view,
                    std::size_t resolution,
                    const RowPlan& plan,
                    env::Evaluator& evaluator) {
  if (!plan.is_feasible()) {
    return plan;
  }
  const torch::Tensor of_groups = SimplyNamedActions(
      view, resolution, ActionsOfGroups(view, resolution, plan.actions.unsqueeze(0)));
  const torch::Tensor named = ActionsOfRows(view, resolution, of_groups)[0].to(torch::kCPU);
  if (torch::equal(named, plan.actions)) {
    return plan;
  }
  const std::optional<RowPlan> found = EvaluateRows(view, resolution, named, evaluator);
  // A reward is the root of a time, below 0: half a hundredth of it is a hundredth of the time.
  const double least = plan.reward - 0.005 * std::abs(plan.reward);
  return found.has_value() && found->reward >= least ? *found : plan;
}

std::vector<RowPlan> PlansOfResolutions(const View& view,
                                        const torch::Tensor& plan,
                                        std::int64_t evaluations,
                                        env::Evaluator& evaluator,
                                        Rng& rng) {
  std::vector<RowPlan> plans;
  for (std::size_t resolution = 0; resolution < view.resolutions.size() && !evaluator.is_done();
       ++resolution) {
    env::Evaluator slice = evaluator.Slice({.evaluations = evaluations});
    RowPlan start;
    for (const torch::Tensor& actions :
         Starts(view, resolution, plan, plans.empty() ? RowPlan() : plans.back())) {
      start.Take(EvaluateRows(view, resolution, actions, slice).value_or(RowPlan()));
    }
    plans.push_back(
        SimplyNamed(view, resolution, SearchRows(view, resolution, start, slice, rng), evaluator));
  }
  return plans;
}

}  // namespace opyard::agents::go
