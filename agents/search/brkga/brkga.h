// BRKGA: a genetic algorithm with biased random keys.
#pragma once

#include "agents/registry.h"

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
//
// Deviations:
//  - The first population holds SimpleStarts (simple_plans.h), as simulated_annealing does, the
//  rest is
//    random; `start: random` leaves them out.
//  - Without the option `population` and with less than 2,000 evaluations left at the start, the
//    population is a twentieth of them, but at least 20: many generations rather than few.
// Where only one plan exists, it is judged once.
// Options: population (0: as above), elite_share (0.2), mutant_share (0.15), elite_bias (0.7),
// start (simple or random).
[[nodiscard]] AgentEntry BrkgaEntry();

}  // namespace opyard::agents
