// The units that pipeline stages hold whole: the repeated blocks of a network, and the modules
// before and behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/plans/layouts/op_roles.h"
#include "sim/graph/modules.h"
#include "sim/graph/op_graph.h"

namespace opyard::experiments {

// Units stand in the network's order. The blocks are consecutive: [first_block, end_block).
struct NetworkUnits {
  std::vector<std::int32_t> modules;  // [num_units]
  std::size_t first_block = 0;
  std::size_t end_block = 0;
  std::vector<std::size_t> unit_of;  // [num_ops]

  [[nodiscard]] std::size_t num_blocks() const { return end_block - first_block; }
};

// The units of a network whose repeated blocks are siblings with one stem and a number each
// (`layers.0`, `layers.1`; `layer0`, `layer1`): of all such families, the one with the most modules
// in blocks whose trees below have equal names; of equals the first. Units are the children of the
// modules from the network down to the parent of the blocks, but for these modules themselves.
//
// Ops between units, of these modules' own, go with a unit: forward ones with the last unit whose
// data they read, else the first that reads theirs; backward ones with the last unit that reads
// theirs, else the first whose data they read; inputs, weights and updates with the first unit that
// they share data with. Co-located ops then go with the first of them. Nothing where no family has
// two blocks. O(ops + edges + modules log).
[[nodiscard]] std::optional<NetworkUnits> FindUnits(const sim::OpGraph& graph,
                                                    const sim::ModuleTree& tree,
                                                    const std::vector<OpRole>& roles);

}  // namespace opyard::experiments
