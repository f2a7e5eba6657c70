// The groups of a problem in the order in which an expert would lay them over devices.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "env/problem.h"

namespace opyard::agents {

// Groups of one stage stay together: what a network does at one depth, forward, backward and
// update.
struct Stages {
  std::vector<std::size_t> stage_of_group;  // [num_groups], in [0, num_stages)
  std::size_t num_stages = 0;
};

// One stage per value of Op::layer; a group is where its ops take most time, one without a layer
// where the group before it (GroupsInTopologicalOrder) is. Nothing where ops that say no layer take
// half of the time or more.
[[nodiscard]] std::optional<Stages> LayerStages(const env::Problem& problem);

// One stage per place in the forward pass: an op of another phase stands with the last forward op
// whose output it reads (activations), else with the first of the ops that it reads (gradients).
// Ops that take no time count for nothing. Where no op says its phase, the topological order.
[[nodiscard]] Stages ForwardStages(const env::Problem& problem);

// The layers of an unrolled recurrent network. Stage 0 is what lies below the first cell, stages
// 1 … num_cells are the cells with what stands between one and the next, and the last stage is
// attention and what lies above the last cell. The ends may be empty.
struct CellStages {
  Stages stages;
  std::size_t num_cells = 0;
};

// A cell is a layer whose forward pass multiplies with one weight more than once and has a Sigmoid
// (the gate of an LSTM or a GRU), or has a whole recurrent layer in one op. Ops with "attention" in
// their names belong to the last stage, with "embedding" to the first. Nothing where no layer is a
// cell.
[[nodiscard]] std::optional<CellStages> FindCellStages(const env::Problem& problem);

}  // namespace opyard::agents
