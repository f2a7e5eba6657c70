// BRKGA: a genetic algorithm with biased random keys.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// Gonçalves and Resende, "Biased random-key genetic algorithms for combinatorial optimization"
// (J. Heuristics 2011), with the keys of REGAL (Paliwal et al., ICLR 2020): per group one affinity
// for each device (where placement is a task) and one priority (where scheduling is a task). Tensor
// priorities are not among them.
//
// A generation copies the elites, draws mutants afresh, and fills up with children of one elite and
// one non-elite parent (population.h). Elites are not judged again: with a population of 100, 20
// elites and 15 mutants, k generations after the first cost 100 + 80·k evaluations. A generation is
// one batch, so that the result does not depend on the number of threads.
// Where only one plan exists, it is judged once. Deviations and options stand in the entry.
[[nodiscard]] AgentEntry BrkgaEntry();

}  // namespace opyard::agents
