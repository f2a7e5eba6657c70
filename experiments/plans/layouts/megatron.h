// The pipeline layout of Megatron-LM.
#pragma once

#include <vector>

#include "experiments/plans/layouts/layout.h"
#include "experiments/plans/layouts/stage_schedule.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// megatron-arguments.txt: --pipeline-model-parallel-size and --pipeline-model-parallel-layout, a
// text of E (embedding, all modules before the blocks), t (block), m (module of multi-token
// prediction) and L (loss, all other modules behind the blocks), with | between stages.
[[nodiscard]] Layout WriteMegatron(const LayoutInput& input, std::vector<Inexpressible>& reasons);

[[nodiscard]] sim::OpPlacement RoundForMegatron(const LayoutInput& input);

// The step under 1F1B, interleaved where ranks have several stages.
[[nodiscard]] ScheduledStep RunMegatron(const LayoutInput& input,
                                        std::vector<Inexpressible>& reasons);

}  // namespace opyard::experiments
