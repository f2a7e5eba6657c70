// The kernel graph of a plan with fusion: that of the problem, with the ops of each kernel as one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/engine/lowering/kernel_graph.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/fusion/fuser.h"
#include "sim/fusion/fusion_log.h"
#include "sim/fusion/fusion_replay.h"
#include "sim/plan/plan.h"
#include "sim/plan/streams.h"

namespace opyard::sim {

// The kernels that the placement and the fusion priorities of a plan make of its ops.
struct FusedPlan {
  // The plan that it belongs to.
  std::uint64_t problem = 0;  // LoweredProblem::serial
  OpPlacement placement;
  std::vector<std::int32_t> fusion_priority;
  std::vector<std::int32_t> fusion_region;
  QueueDiscipline streams = QueueDiscipline::kFifo;  // the plan's queue, if it has streams
  std::vector<std::vector<Stream>> order;
  std::uint64_t last_use = 0;

  Kernels kernels;
  FusionLog log;
  std::vector<std::uint8_t> is_internal;  // [num_tensors] by TensorId
  KernelGraph graph;
  std::vector<std::int64_t> duration_ps;  // [num_kernels], on the device of its ops
};

// Reused from run to run so that nothing is allocated; one thread at a time.
struct ContractionWorkspace {
  FusionWorkspace fusion;
  ReplayWorkspace replay;
  // The last few. Searches come back to a plan again and again, and change no more than priorities
  // of half its neighbours.
  std::array<FusedPlan, 4> recent;
  std::uint64_t num_uses = 0;
  // By kernel: the last edge and control edge to it.
  std::vector<std::int32_t> last_edge;
  std::vector<std::int32_t> last_control;
  // By index in the graph without fusion; meaningful for what leaves its kernel.
  std::vector<std::int32_t> tensor_index;
  std::vector<std::int32_t> edge_index;
  std::vector<std::int32_t> count;
};

// Fuses the ops of `plan`, whose placement and fusion priorities are valid, and returns what comes
// of it, which stands until the next call; null where all ops stay alone. Where the workspace still
// has it from a plan that differs in nothing else than priorities, at the cost of a comparison.
//
// Internal tensors and edges fall away; a tensor has one edge to each kernel that reads it. A
// kernel starts with its outputs and the largest workspace among its ops, and has the latest of
// their releases. `streams` are those of the plan, if it has any.
[[nodiscard]] const FusedPlan* FuseKernels(const LoweredProblem& problem,
                                           const Plan& plan,
                                           const Streams& streams,
                                           ContractionWorkspace& workspace);

}  // namespace opyard::sim
