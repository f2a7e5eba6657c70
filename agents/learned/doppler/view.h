// A problem as DOPPLER's policies and its teacher see it.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/doppler/message_edges.h"
#include "agents/learned/doppler/node_graph.h"
#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/grouping/group_sequence.h"
#include "agents/planning/grouping/grouping.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents::doppler {

// Columns of a node: its seconds, bottom level, top level, and the seconds of the links that lead
// to it and away from it (utils.py of the published code, get_rl_graph).
inline constexpr std::int64_t kNodeColumns = 5;

// N nodes, D devices. Tensors are float32 where nothing else is said and lie on the device of the
// view; no gradients.
struct View {
  const env::Problem* problem = nullptr;
  GroupSequence sequence;
  TransferTimes transfers;
  NodeGraph graph;
  std::vector<double> bottom_levels;  // [N], seconds
  double scale = 1.0;                 // seconds of a node in the mean, or 1 if none takes time
  double reference_score = 0.0;       // env::FindReference
  torch::Tensor node_x;               // [N, kNodeColumns], each of mean 0 and variance 1
  // Each link in both directions, with its seconds, of mean 0 and variance 1.
  MessageEdges edges;
  torch::Tensor bottom_paths;  // [N, N]: 1 where the column is on the row's longest path to a sink
  torch::Tensor top_paths;     // [N, N]: the same to a source
  torch::Tensor device_mask;   // [N, D] bool: allowed
};

// The reference evaluates rule-based plans, not counted, for a problem without one. REQUIRES:
// placement or scheduling is a task; the problem outlives the view.
[[nodiscard]] View MakeView(const env::Problem& problem,
                            const GroupingOptions& groups,
                            torch::Device device = torch::kCPU);

// The least deviation of what is standardised: of the columns of nodes and devices, where it keeps
// what differs by rounding alone from counting; and of embeddings, where its inverse bounds the
// gradient through the division. The published code adds 1e-6 to all deviations: the gradient of
// candidates that are nearly alike is then a million times that of others, and each update a
// matter of rounding.
inline constexpr double kLeastDeviationOfColumns = 1e-3;
inline constexpr double kLeastDeviationOfEmbeddings = 0.1;

// (x − mean) / √(variance + least²) down the first dimension; the variance is that of the rows
// themselves.
[[nodiscard]] torch::Tensor Standardised(const torch::Tensor& x, double least);

// Whether several plans can come of the decisions: of some node between devices or, where
// scheduling is a task, of several nodes which is first.
[[nodiscard]] bool HasChoice(const env::Problem& problem, const GroupingOptions& groups);

// The device of each node where `plan` has its first op, or, where the node may not be there, the
// first one that it may be on. [N]
[[nodiscard]] std::vector<std::int64_t> DevicesOfNodes(const View& view, const sim::Plan& plan);

// The plan that puts node nodes[t] on devices[t], t = 0 … N − 1; where scheduling is a task,
// earlier ones have priority.
[[nodiscard]] sim::Plan ToPlan(const View& view,
                               const std::vector<std::int64_t>& nodes,
                               const std::vector<std::int64_t>& devices);

}  // namespace opyard::agents::doppler
