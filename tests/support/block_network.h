// A network of repeated blocks between an embedding and a head, with the module of each op.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "sim/graph/op_graph.h"
#include "sim/plan/plan.h"

namespace opyard::testing {

struct BlockNetwork {
  std::int32_t num_blocks = 3;
  bool has_backward = true;
  bool has_loss = true;  // without a backward pass, too
};

// One step. Ops, each of 1 us but weights and "x": "x" (Placeholder), "embed/mm", for block i of
// module layers.i "layers.i/norm", of module layers.i.up "layers.i/up", which reads it, and
// "layers.i/add", which reads both its block's input and "up"; "head/mm" and, of the network
// itself, "loss". embed, layers.i.up and head each read a Variable, "embed/weight" and so on. The
// backward pass goes back op by op, "layers.i/add_grad" and so on, and ends with "embed/mm_grad";
// each of these ops reads the one before, and what its forward op made. Beside those of ops with
// weights stand "embed/mm_wgrad" and so on, which no op reads. Phases are given; no updates.
[[nodiscard]] std::shared_ptr<const sim::OpGraph> MakeBlockNetwork(const BlockNetwork& network);

// The placement that gives each op the device of the longest path of `devices` around its module;
// "" stands for the network, and has to be there.
[[nodiscard]] sim::OpPlacement PlacedByModule(const sim::OpGraph& graph,
                                              const std::map<std::string, std::int32_t>& devices);

}  // namespace opyard::testing
