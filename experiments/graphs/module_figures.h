// Figures of the modules of a network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/problem.h"
#include "experiments/graphs/graph_figures.h"
#include "sim/base/units.h"
#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// A module with all modules inside it.
struct ModuleFigures {
  std::string path;  // "" for the network
  std::int32_t depth = 0;
  OpTotals totals;
  Bytes parameters;
  // The sum of the times of its ops, each alone: on the first accelerator of a machine, or where
  // they may not run there, where they are fastest; without a machine their measured times, of
  // "*" before others. Nothing without either.
  std::optional<SimTime> time;
};

// The modules down to depth `most_depth` in the order of the tree (sim/graph/modules.h): the
// network, its first module, those inside. `problem` is one of ProblemOfSingleOps, or null.
// O(ops · depth of the tree + edges).
[[nodiscard]] std::vector<ModuleFigures> ModuleFiguresOf(const sim::OpGraph& graph,
                                                         const env::Problem* problem,
                                                         std::int32_t most_depth);

}  // namespace opyard::experiments
