// The modules of ops before the network's order is known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/op_graph.h"

namespace opyard::sim {

// A module by the path of its parent and its own name.
struct PathNode {
  std::string path;
  std::int32_t parent = -1;  // stands before it
  std::int32_t depth = 0;
  bool is_named = false;  // ops, or their names, have this very path
};

struct ModulePaths {
  std::vector<PathNode> nodes;      // [0] is the network
  std::vector<std::int32_t> of_op;  // [num_ops]
};

// The module of every op, by the rules of ModuleTreeOf.
[[nodiscard]] ModulePaths ModulePathsOf(const OpGraph& graph);

}  // namespace opyard::sim
