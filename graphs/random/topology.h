// Random acyclic graphs as bare edges: the network models of the literature, oriented into DAGs.
//
// Determinism: a topology follows from the arguments and the state of `rng`.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/rng.h"

namespace opyard::graphs {

// Predecessors of nodes 0 … n−1; those of node i are less than i, ascending, each once.
using Topology = std::vector<std::vector<std::int32_t>>;

// Undirected edges over nodes 0 … n−1, each once, without loops.
struct NodePair {
  std::int32_t a = 0;
  std::int32_t b = 0;
};

// Makes edges directed: from the node that comes first in a random order of the nodes to the one
// that comes later. Nodes are renumbered by that order. O(nodes + edges · log degree).
[[nodiscard]] Topology OrientRandomly(std::int32_t num_nodes,
                                      const std::vector<NodePair>& edges,
                                      Rng& rng);

// Each pair with probability `p` (Erdős and Rényi 1959, Gilbert's model), sampled by skipping
// (Batagelj and Brandes 2005): O(nodes + edges).
[[nodiscard]] std::vector<NodePair> SampleErdosRenyi(std::int32_t num_nodes, double p, Rng& rng);

struct CommunityOptions {
  std::int32_t num_communities = 1;  // of sizes that differ by at most one
  double p_in = 0.0;                 // of a pair within one
  double p_out = 0.0;                // of a pair across
};
// The stochastic block model (Holland et al. 1983). O(nodes · communities + edges).
[[nodiscard]] std::vector<NodePair> SampleStochasticBlock(std::int32_t num_nodes,
                                                          const CommunityOptions& options,
                                                          Rng& rng);

// A ring where each node is joined to its `degree` / 2 next ones, and the far end of each edge
// moves with probability `rewire` to a node that is not joined yet (Watts and Strogatz 1998).
// Graphs of at most `degree` nodes are complete. REQUIRES: degree even.
[[nodiscard]] std::vector<NodePair> SampleWattsStrogatz(std::int32_t num_nodes,
                                                        std::int32_t degree,
                                                        double rewire,
                                                        Rng& rng);

// Nodes come one by one, each with `attach` edges to earlier nodes, chosen in proportion to their
// degrees (Barabási and Albert 1999). The first `attach` + 1 nodes are complete.
[[nodiscard]] std::vector<NodePair> SampleBarabasiAlbert(std::int32_t num_nodes,
                                                         std::int32_t attach,
                                                         Rng& rng);

}  // namespace opyard::graphs
