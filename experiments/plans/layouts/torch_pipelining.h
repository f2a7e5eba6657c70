// Split points and schedule of torch.distributed.pipelining.
#pragma once

#include <optional>
#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "experiments/plans/layouts/stage_schedule.h"
#include "experiments/plans/layouts/stages.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// Stages with the step that runs them.
struct PipelineLayout {
  Stages stages;
  ScheduledStep step;
};

// The stages of the plan for `target`, PyTorch's pipelining or what is built on it. Nothing where a
// reason is added.
[[nodiscard]] std::optional<PipelineLayout> PipelineLayoutOf(const LayoutInput& input,
                                                             const char* target,
                                                             std::vector<Inexpressible>& reasons);

// split_points.json: the module that each stage but the first begins with, and the stages and the
// device of each rank; schedule.csv, where there are micro-batches.
[[nodiscard]] Layout WriteTorchPipelining(const LayoutInput& input,
                                          std::vector<Inexpressible>& reasons);

[[nodiscard]] sim::OpPlacement RoundForTorchPipelining(const LayoutInput& input);

[[nodiscard]] ScheduledStep RunTorchPipelining(const LayoutInput& input,
                                               std::vector<Inexpressible>& reasons);

}  // namespace opyard::experiments
