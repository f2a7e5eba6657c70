// The CLP library behind plain types.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "agents/classical/m_sct/favourites.h"

namespace opyard::agents {

// The relaxed linear program of SCT, solved by CLP's dual simplex after its presolve. Its
// variables, all at least 0, are the start s of each node, x in [0, 1] of each edge and the
// makespan w:
//   Objective:  minimise w + 0.0001 · sum of transfer · x.
//   Each edge:  source's s + seconds + transfer · x <= target's s.
//   Each node without a target:  s + seconds <= w.
//   Each node:  sum of x over the edges from it >= their number − 1, and so for those to it.
// The sums leave out edges without a transfer. The second term of the objective is ours: the
// program of the paper leaves x open wherever it does not matter to w. Times count in means of all
// `seconds`, so that CLP's tolerances mean the same for all graphs.
// Returns x, [num_edges], 1 for edges without a transfer; nothing after 100,000 steps, or once
// `should_stop` says so, which is asked at every step. Deterministic; `should_stop` apart.
[[nodiscard]] std::optional<std::vector<double>> SolveRelaxedProgram(
    const PrecedenceGraph& graph, const std::function<bool()>& should_stop);

}  // namespace opyard::agents
