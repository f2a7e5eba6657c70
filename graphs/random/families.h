// random:NAME: the topologies of the literature, with ops of a training step's figures.
#pragma once

#include <memory>
#include <vector>

#include "graphs/common/graph_source.h"

namespace opyard::graphs {

// All have the keys n (number of ops, default 500), seed, and those of op_figures.h. Ops without
// inputs are placeholders. Undirected models become DAGs by a random order of their nodes. A graph
// that would have more than 20 million edges is refused.
//
// Families with their further keys (defaults, ranges):
//
// `barabasi_albert`   attach (2, 1 … 64);
// `erdos_renyi`       p (0.05, 0 … 1);
// `fork_join`         branches (8, 1 … 1000), length (3, 1 … 1000): means;
// `series_parallel`   parallel (0.5, 0 … 1);
// `stochastic_block`  communities (4, 1 … 1000), p_in (0.3), p_out (0.001);
// `watts_strogatz`    degree (4, even, 2 … 64), rewire (0.1).
//
// Sources: topology.h and nested_topology.h. The defaults p, communities, p_in and p_out are those
// of the experiments of "One-Shot Priority Sampling" (ICLR 2023), with 500 or 1,000 nodes; attach,
// degree, rewire, branches, length and parallel are ours.
[[nodiscard]] std::vector<std::unique_ptr<const GraphSource>> RandomFamilies();

}  // namespace opyard::graphs
