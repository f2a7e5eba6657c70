// Experiments as they are asked for: by file or by name.
#pragma once

#include <string>
#include <vector>

#include "agents/registry.h"
#include "experiments/config/config.h"

namespace opyard::experiments {

// The experiment of the file `reference`, else the shipped one of that name or path, with its
// `overrides` ("budget.seconds=10"). Throws InputError with everything that is wrong with it,
// missing graphs and machines included; and for agents that decide none of its tasks.
[[nodiscard]] ExperimentConfig ReadWholeExperiment(const std::string& reference,
                                                   const std::vector<std::string>& overrides,
                                                   const agents::AgentRegistry& registry);

}  // namespace opyard::experiments
