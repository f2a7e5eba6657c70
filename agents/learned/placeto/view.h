// A problem as Placeto sees it: a graph of merged nodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/group_features.h"
#include "agents/learned/common/sparse_edges.h"
#include "agents/planning/grouping/group_sequence.h"
#include "agents/planning/grouping/grouping.h"
#include "env/problem.h"
#include "env/reward.h"

namespace opyard::agents::placeto {

// The sets of nodes that are pooled for a node.
inline constexpr std::size_t kNumPools = 3;
enum class Pool : std::uint8_t { kAncestors, kDescendants, kParallel };

// G nodes, each a group of the sequence; in topological order of their first ops. Merging may have
// made circles: a node may be both an ancestor and a descendant of another.
// Edges, devices and the mask lie on the device of the view; the rest is read step by step, on the
// CPU.
struct View {
  const env::Problem* problem = nullptr;
  GroupSequence sequence;
  torch::Tensor cost;    // [G]: Σ of the mean times of its ops ÷ the greatest
  torch::Tensor output;  // [G]: Σ bytes that leave it ÷ the greatest
  torch::Tensor memory;  // [G]: Σ bytes of all outputs of its ops ÷ the greatest
  // The edges of 2 G rows: row g reads the nodes that feed node g; row G + g reads G + those that
  // it feeds.
  SparseEdges edges;
  // Per pool and node, the other nodes in it: parallel are those that are neither ancestors nor
  // descendants.
  std::array<std::vector<std::vector<std::int64_t>>, kNumPools> pools;
  DeviceFeatures devices;                       // [D, …]
  torch::Tensor device_mask;                    // [G, D] bool: allowed
  std::vector<std::int64_t> visited;            // ascending: the nodes that have a choice
  std::vector<std::int64_t> priority_of_group;  // of the problem; empty if scheduling is no task
  env::Reference reference;                     // the scale of run times (env::FindReference)
};

// The reference evaluates rule-based plans, not counted, for a problem without one. REQUIRES:
// problem.tasks().placement; the problem outlives the view. Made for a network on `device`.
[[nodiscard]] View MakeView(const env::Problem& problem,
                            const GroupingOptions& groups,
                            torch::Device device = torch::kCPU);

// The pools of each of `nodes`, [T], in as many states. Of 3 T rows: row pool · T + t reads rows
// (pool · G + member) · T + t.
[[nodiscard]] SparseEdges PoolEdges(const View& view, const std::vector<std::int64_t>& nodes);

}  // namespace opyard::agents::placeto
