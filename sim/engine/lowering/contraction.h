// The kernel graph of a plan with fusion: that of the problem, with the ops of each kernel as one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/lowering/kernel_graph.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/fusion/fuser.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Reused from run to run so that nothing is allocated; one thread at a time.
struct ContractionWorkspace {
  FusionWorkspace fusion;
  std::vector<std::uint8_t> is_internal;  // [num_tensors] by TensorId
  KernelGraph graph;
  // By kernel: the last edge and control edge to it.
  std::vector<std::int32_t> last_edge;
  std::vector<std::int32_t> last_control;
  // By index in the graph without fusion; meaningful for what leaves its kernel.
  std::vector<std::int32_t> tensor_index;
  std::vector<std::int32_t> edge_index;
  std::vector<std::int32_t> count;
};

// Fuses the ops of `plan`, whose fusion priorities are valid, into `workspace.fusion.kernels`, and
// returns what a run has to execute: `workspace.graph`, or `problem.unfused` where all ops stay
// alone.
//
// Internal tensors and edges fall away; a tensor has one edge to each kernel that reads it. A
// kernel starts with its outputs and the largest workspace among its ops.
[[nodiscard]] const KernelGraph& FuseKernels(const LoweredProblem& problem,
                                             const Plan& plan,
                                             ContractionWorkspace& workspace);

}  // namespace opyard::sim
