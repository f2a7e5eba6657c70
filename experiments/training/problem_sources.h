// The problems that a training samples from.
#pragma once

#include <memory>
#include <vector>

#include "agents/registry.h"
#include "env/problem_pool.h"
#include "experiments/config/config.h"
#include "experiments/training/teacher.h"

namespace opyard::experiments {

// One source per entry of the split's train, machine of it or the experiment and list of tasks,
// with the entry's weight divided among them. Their problems are named "GRAPH@MACHINE", with
// ":TASKS" behind it where the training has several lists. Graphs that stand alone are loaded now,
// and the first of each family; the others when they are sampled. Each is measured against a search
// of the experiment's baseline, by its name (baseline_search.h), which no count has. Throws
// InputError with everything that cannot be loaded or simulated, where it stands in the experiment.
// A problem has the plan of `teacher`, if there is one, from the time when it is first sampled.
// REQUIRES: the registry outlives the sources.
[[nodiscard]] std::vector<env::ProblemSource> MakeSources(
    const ExperimentConfig& config,
    const agents::AgentRegistry& registry,
    const std::shared_ptr<const Teacher>& teacher = nullptr);

}  // namespace opyard::experiments
