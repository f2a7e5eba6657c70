// The units in which a pipeline schedule runs a step: stage, micro-batch and pass of each op.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graphs/microbatches/passes.h"
#include "sim/base/units.h"
#include "sim/graph/op_graph.h"

namespace opyard::graphs {

// The micro-batch of ops that run once a step: weights and updates.
inline constexpr std::int32_t kNoMicrobatch = -1;

// Arrays are indexed by OpId. The ops with equal stage, micro-batch and pass are one action of a
// schedule (2F0 of a schedule file: stage 2, pass F, micro-batch 0).
struct PipelineUnits {
  std::vector<std::int32_t> stage;       // [num_ops], in [0, num_stages)
  std::vector<std::int32_t> microbatch;  // [num_ops], in [0, num_microbatches), or kNoMicrobatch
  std::vector<Pass> pass;                // [num_ops]
  std::int32_t num_stages = 0;
  std::int32_t num_microbatches = 0;
};

// The first layer (LayersOf) of each of `num_stages` stages: runs of whole layers, whose longest
// takes as little time as possible. `op_times` has the time of each op on any one device. Of equal
// cuts, the one whose first stages hold as many layers as they can. Throws InputError where there
// are fewer layers than stages. REQUIRES: num_stages >= 1. O(ops + edges + layers · log time).
[[nodiscard]] std::vector<std::int32_t> BalancedStages(const sim::OpGraph& graph,
                                                       std::span<const SimTime> op_times,
                                                       std::int32_t num_stages);

// The units of `graph`, one step or one of several micro-batches (RepeatMicrobatches): stage s has
// the layers from first_layers[s] on, before first_layers[s + 1]; layers below first_layers[0] are
// of stage 0. The micro-batch is in an op's name; in a graph without micro-batches it is 0. Throws
// InputError where `first_layers` is empty or does not ascend, where a stage has no layer, and
// where no op says its phase.
[[nodiscard]] PipelineUnits FindPipelineUnits(const sim::OpGraph& graph,
                                              std::span<const std::int32_t> first_layers);

}  // namespace opyard::graphs
