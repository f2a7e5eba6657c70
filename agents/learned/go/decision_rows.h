// The decision granularity of GO: rows, each a group of ops, and their features.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "agents/learned/common/op_graph.h"
#include "agents/learned/common/sparse_edges.h"
#include "agents/planning/grouping/group_sequence.h"

namespace opyard::agents::go {

// The columns of DecisionRows::x. The first ones are sums over the ops of a row, relative to what a
// row would have if all had as much: v / (v + 1 / R) of a share v of the whole. So 1/2 is "as much
// as the others" in every graph and however finely it is cut. Then come the means of the columns of
// the ops. Then come all of these once more as standard scores over the rows, cut to ± 3: how a row
// differs from the others, which a network of many layers is slow to see by itself.
inline constexpr std::int64_t kNumRowShares = 6;
inline constexpr std::int64_t kNumRowColumns =
    kNumRowShares + static_cast<std::int64_t>(env::kNumFeatures);
inline constexpr std::int64_t kRowWidth = 2 * kNumRowColumns;

// R rows, in topological order; D devices; no gradients.
struct DecisionRows {
  GroupSequence sequence;
  SparseEdges ops;     // a row per decision: the ops that it is for
  SparseEdges groups;  // the same: the groups of the problem
  torch::Tensor x;  // [R, kRowWidth]: shares of the time, of the path, of the bytes of parameters
                    // and of all others, of the ops and of what is sent; means of the ops; the
                    // standard scores of all these
  torch::Tensor mask;  // [R, D] bool: allowed
  // From row to row; x of several edges between two of them: the greatest, but for
  // transfer_to_op_time the sum, in times of the mean row.
  OpLinks links;
};

[[nodiscard]] DecisionRows MakeDecisionRows(const OpGraph& graph, GroupSequence sequence);
// The same on `device`.
[[nodiscard]] DecisionRows ToDevice(const DecisionRows& rows, torch::Device device);

}  // namespace opyard::agents::go
