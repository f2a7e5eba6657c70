// The modules of a network, as its code nests them, and the ops of each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/graph/colocation.h"
#include "sim/graph/op_graph.h"

namespace opyard::sim {

// One node of the tree of the paths of ops.
struct Module {
  std::string path;                    // dotted; "" for the network itself
  std::int32_t parent = -1;            // -1 for the network
  std::vector<std::int32_t> children;  // in the network's order
};

struct ModuleTree {
  // [0] is the network; parents stand before children, depth-first in the network's order.
  std::vector<Module> modules;
  std::vector<std::int32_t> module_of;  // [num_ops], innermost module of each op
};

// The tree of the paths that the ops say (Op::module), or in a graph that says none of those in
// their names (name_scopes.h). The network's order of siblings is that of their first forward
// ops (forward_order.h).
//
// An op without a path belongs to a module that an op beside it belongs to, by the first of these
// rules that finds one:
// 1. The module of the first op with a path that shares its co-location label.
// 2. Of the modules of the ops whose outputs it reads, the deepest one around all of them, if ops
//    say its path; else, where an update reads from several modules, the network; else that of the
//    first input. Ops are visited in topological order.
// 3. The module of the ops that read it, forward ops before others, if it is one; the network for
//    inputs of several modules; else, as of a weight of several modules, that of the first reader.
//    Ops are visited against the topological order.
// After rule 3 the second runs once more; what no rule reaches belongs to the network.
// O(ops + edges), but for the depth of the tree and the sorting of siblings. Deterministic.
[[nodiscard]] ModuleTree ModuleTreeOf(const OpGraph& graph);

// 0 for the network, 1 for its children.
[[nodiscard]] std::int32_t DepthOf(const ModuleTree& tree, std::int32_t module);

// The ancestor of `module` at `depth`, or itself where it is not that deep.
[[nodiscard]] std::int32_t AncestorAt(const ModuleTree& tree,
                                      std::int32_t module,
                                      std::int32_t depth);

// One group per module that has ops of its own (`depth` unset), or per module at `depth`, which
// then holds all modules inside. Co-located ops stay together, in the module of the first of them.
// Groups are numbered by their least topological index.
[[nodiscard]] Grouping ModuleGroups(const OpGraph& graph,
                                    const ModuleTree& tree,
                                    std::optional<std::int32_t> depth);

}  // namespace opyard::sim
