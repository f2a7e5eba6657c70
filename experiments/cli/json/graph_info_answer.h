// The answer of `opyard graph info --json`.
#pragma once

#include <optional>
#include <string>

#include "experiments/graphs/graph_figures.h"
#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// `figures` are those of `graph`, `machine` those of the machine that was asked for.
[[nodiscard]] std::string GraphInfoJson(const sim::OpGraph& graph,
                                        const GraphFigures& figures,
                                        const std::optional<MachineFigures>& machine);

}  // namespace opyard::experiments
