// The best plans of a problem that a search over rows finds, which a training imitates.
#pragma once

#include <cstddef>
#include <limits>

#include <torch/torch.h>

#include "agents/learned/go/view.h"
#include "env/evaluator.h"
#include "sim/base/rng.h"

namespace opyard::agents::go {

// The best plan known on one resolution of a view.
struct RowPlan {
  torch::Tensor actions;  // int64 [T, R], on the CPU, with equal devices in the order of
                          // DeviceSymmetry; undefined: none is known
  double reward = -std::numeric_limits<double>::infinity();

  // Whether there is a plan, and it did not fail.
  [[nodiscard]] bool is_feasible() const;
  // Becomes `other` if that is better.
  void Take(const RowPlan& other);
};

// Actions of rows, int64 [T, R], with what they are worth: the reward of their plan, where it
// failed less by how much it asks for. Nothing when the budget ended.
[[nodiscard]] std::optional<RowPlan> EvaluateRows(const View& view,
                                                  std::size_t resolution,
                                                  const torch::Tensor& actions,
                                                  env::Evaluator& evaluator);

// Hill climbing until the evaluator is done: from `start`, a move gives one row, or a run of them
// in topological order, another action in the first task of the view, and is taken unless it is
// worse. Returns `start` where that has no plan.
[[nodiscard]] RowPlan SearchRows(const View& view,
                                 std::size_t resolution,
                                 const RowPlan& start,
                                 env::Evaluator& evaluator,
                                 Rng& rng);

// `plan` with the simplest names of its devices (SimplyNamedActions), where it then takes up to one
// hundredth longer: of the many plans that are all but as good, one that a policy can learn. One
// evaluation more.
[[nodiscard]] RowPlan SimplyNamed(const View& view,
                                  std::size_t resolution,
                                  const RowPlan& plan,
                                  env::Evaluator& evaluator);

// A plan for each resolution, from few rows to many, simply named: what SearchRows finds in so many
// evaluations from the best of several plans. These are the teacher's `plan` (actions of groups,
// int64 [T, G]) brought to rows, the best plan of the resolution before, and all rows on one
// device. Rows that no plan can be cut along by majority are what this is for: the best plan of
// groups is no good target for rows. Fewer resolutions when the evaluator was interrupted.
[[nodiscard]] std::vector<RowPlan> PlansOfResolutions(const View& view,
                                                      const torch::Tensor& plan,
                                                      std::int64_t evaluations,
                                                      env::Evaluator& evaluator,
                                                      Rng& rng);

}  // namespace opyard::agents::go
