// Which consumer an op would best be with: the first half of SCT.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/graph/colocation.h"

namespace opyard::agents {

// The times of ops and of transfers between them, the basis of the choice. Nodes are ops, by id.
struct PrecedenceGraph {
  struct Edge {
    std::size_t source = 0;
    std::size_t target = 0;
    double transfer_s = 0.0;  // if both are on different devices; 0: they never are, or none is due
  };

  std::vector<double> seconds;  // [num_nodes]
  std::vector<Edge> edges;      // acyclic; at most one from a node to another
};

// Means over the main devices, as `times` counts; transfers alone on their routes. An edge inside a
// group of `grouping` takes no transfer, nor does one from a Variable or constant, which goes with
// its reader.
[[nodiscard]] PrecedenceGraph BuildPrecedenceGraph(const env::Problem& problem,
                                                   const sim::Grouping& grouping,
                                                   const TransferTimes& transfers,
                                                   const OpTimes& times);

// Per edge whether its target is the favourite child of its source, [num_edges]. No node has two
// favourite children, none is the favourite of two.
using Favourites = std::vector<std::uint8_t>;

// The relaxed program rounded: favourites are the edges with x < 0.5 (relaxed_program.h). Nothing
// where that found no solution.
[[nodiscard]] std::optional<Favourites> FindFavouritesByProgram(
    const PrecedenceGraph& graph, const std::function<bool()>& should_stop);

// Edges by falling transfer time, each a favourite unless its source has one or its target is one;
// equals in the order of `graph.edges`. O(edges · log edges).
[[nodiscard]] Favourites FavouritesBySize(const PrecedenceGraph& graph);

// The favourite child of each op. [num_ops]
[[nodiscard]] std::vector<std::optional<OpId>> FavouriteChildren(const PrecedenceGraph& graph,
                                                                 const Favourites& favourites);

}  // namespace opyard::agents
