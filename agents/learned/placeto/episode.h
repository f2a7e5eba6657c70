// One episode of Placeto: node after node is placed anew, and each step is evaluated.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/placeto/policy.h"
#include "agents/learned/placeto/settings.h"
#include "agents/learned/placeto/view.h"
#include "env/evaluator.h"
#include "sim/base/rng.h"
#include "sim/result/sim_result.h"

namespace opyard::agents::placeto {

// A placement, and what the report of its one counted evaluation says.
struct EvaluatedState {
  std::vector<std::int64_t> devices;  // [G]
  std::vector<float> starts;          // [G]: the first of its ops ÷ the latest; what takes no time
                                      // counts only where nothing else does, and what never ran
                                      // starts at the run's end
  std::vector<float> memory;          // [D]: peak ÷ the greatest
  double run_time = 0.0;              // RunTime
  bool is_feasible = false;
};

// T steps. `run_times` has one more: before the first step, then after each.
struct Episode {
  torch::Tensor states;             // [T, G, 6 + D]: what the policy saw, where it is
  std::vector<std::int64_t> nodes;  // [T]: that it placed
  torch::Tensor devices;            // int64 [T]: where; it lies where the states do
  torch::Tensor log_probs;          // [T]: of that choice, on the CPU
  std::vector<double> run_times;    // [T + 1]
  std::vector<double> rewards;      // [T]: run time before − after
  torch::Tensor last;               // int64 [G]: the placement at the end, on the CPU
  EvaluatedState first;             // where it began
  EvaluatedState best;              // of least run time, the first of equal ones
  std::int64_t num_evaluations = 0;
  std::int64_t num_completed = 0;  // steps that end with a placement that completes
};

// The score ÷ that of the reference, and the penalty for memory ÷ its makespan, if there is one no
// more than kMostSeconds ÷ its makespan; what did not complete takes as long as env::kFailureReward
// says.
[[nodiscard]] double RunTime(const View& view,
                             const EpisodeOptions& options,
                             const sim::SimResult& result);

[[nodiscard]] EvaluatedState Read(const View& view,
                                  const EpisodeOptions& options,
                                  std::vector<std::int64_t> devices,
                                  const sim::SimReport& report);

// The input of the policy when it places `node`, [G, 6 + D]: cost, output, whether it was placed in
// this pass, whether it is `node`, its start − that of `node`, the memory of its device; its
// device, one-hot. `is_done`: [G]. On the CPU. As published, differences of starts are divided by
// the greatest, if that is not 0, and the memory is that of the node's outputs.
[[nodiscard]] torch::Tensor StateOf(const View& view,
                                    const EvaluatedState& evaluated,
                                    const std::vector<bool>& is_done,
                                    std::int64_t node,
                                    Layers layers = Layers::kCompact);

// The plan of a placement, [G].
[[nodiscard]] sim::Plan ToPlan(const View& view, const std::vector<std::int64_t>& devices);

// Begins at `start`, or evaluates the placement that `options` say, and visits each node that has a
// choice. A step that leaves its node where it is gains nothing and is not evaluated, but an
// episode without an evaluation ends with one, so that a budget comes to an end. Any other step is
// one evaluation, with a report: its starts and peaks are what the next step sees. Runs that go on
// in the middle of a neighbour's (Evaluator::EvaluateNeighbours) keep no report and cannot serve.
// Nothing when the budget ended before the episode did.
[[nodiscard]] std::optional<Episode> Play(const View& view,
                                          const EpisodeOptions& options,
                                          const std::optional<EvaluatedState>& start,
                                          Policy& policy,
                                          env::Evaluator& evaluator,
                                          Rng& rng);

}  // namespace opyard::agents::placeto
