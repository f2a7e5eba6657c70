// A problem as ColocRL sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/group_features.h"
#include "agents/learned/reinforce_lstm/settings.h"
#include "agents/planning/grouping/group_sequence.h"
#include "agents/planning/grouping/grouping.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents::reinforce_lstm {

struct View {
  const env::Problem* problem = nullptr;
  GroupSequence sequence;
  GroupFeatures features;                       // on the device of the view; of a faithful network
                                                // x has the mean output shapes, [G, kShapeWidth]
  std::vector<std::int64_t> priority_of_group;  // of the problem; empty if scheduling is no task
  double reference_score = 0.0;                 // the scale of the rewards (env::FindReference)
};

// The scale of the rewards is env::FindReference's, which evaluates rule-based plans, not counted,
// for a problem without a reference. What a network without `memory_features` may not see is 0.
// Made for a network on `device`. REQUIRES: problem.tasks().placement; the problem outlives the
// view.
[[nodiscard]] View MakeView(const env::Problem& problem,
                            const GroupingOptions& groups,
                            const Sizes& sizes,
                            torch::Device device = torch::kCPU);

// The plan of one placement, int64 [G], contiguous, on the CPU.
[[nodiscard]] sim::Plan ToPlan(const View& view, const torch::Tensor& devices);

}  // namespace opyard::agents::reinforce_lstm
