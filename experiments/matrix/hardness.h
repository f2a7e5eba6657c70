// REGAL's filter for training sets: keeps the graphs that are worth learning from.
#pragma once

#include <cstdint>
#include <memory>

#include "agents/registry.h"
#include "env/problem.h"
#include "sim/base/interrupt.h"

namespace opyard::experiments {

struct HardnessOptions {
  std::int64_t few_evaluations = 0;
  std::int64_t many_evaluations = 0;  // more than `few_evaluations`
  double least_gain = 0.2;            // of the score that few evaluations reach
  std::int64_t seed = 0;              // of both searches
  std::size_t num_threads = 1;
  const InterruptFlag* interrupt = nullptr;
};

// True if the agent `brkga` finds a plan with `many_evaluations` that is better than the one it
// finds with `few_evaluations` by `least_gain` at least, or finds a feasible one only then. REGAL
// (Paliwal et al., ICLR 2020) keeps such graphs only: others teach nothing. Its two limits are not
// known. Long: both searches are run. False if interrupted.
[[nodiscard]] bool IsHard(const std::shared_ptr<const env::Problem>& problem,
                          const HardnessOptions& options,
                          const agents::AgentRegistry& registry);

}  // namespace opyard::experiments
