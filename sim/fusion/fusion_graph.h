// The graph as a fuser needs it: flat arrays that are made once per problem.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/array_index.h"
#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// The parts that ops can play in a kernel, as the rules of merging distinguish them.
enum class FusionRole : std::uint8_t { kLight, kReduction, kHeavy, kOpaque };

// The elements [begin, end) of `all`.
[[nodiscard]] inline std::span<const std::int32_t> Subrange(const std::vector<std::int32_t>& all,
                                                            std::int32_t begin,
                                                            std::int32_t end) {
  return std::span<const std::int32_t>(all).subspan(At(begin), At(end - begin));
}

// Plain data, immutable once made. Ops go by their topological index. Ranges of op k end where
// those of op k + 1 begin; the arrays `first_…` but `first_control` have one more element as the
// end.
struct FusionGraph {
  std::size_t num_ops = 0;
  FusionLimits limits;
  std::vector<OpId> op_of;        // [num_ops]: the graph's id
  std::vector<FusionRole> roles;  // [num_ops]
  // The data consumers of each op that may share a kernel with it, as far as the graph alone
  // decides: parts that go together, depths that are near enough. More bytes on the edge first,
  // then by index. The bytes of an edge are those of all tensors of the op that the consumer reads.
  std::vector<std::int32_t> first_candidate;
  std::vector<std::int32_t> candidates;
  std::size_t most_candidates = 0;  // of one op
  // Who waits for each op, and whom it waits for, by data or control edges; each once.
  std::vector<std::int32_t> first_successor;
  std::vector<std::int32_t> successors;
  std::vector<std::int32_t> first_predecessor;
  // [num_ops]: within the range of predecessors, the first of those by a control edge only.
  std::vector<std::int32_t> first_control;
  std::vector<std::int32_t> predecessors;

  [[nodiscard]] std::span<const std::int32_t> candidates_of(std::int32_t op) const {
    return Subrange(candidates, first_candidate[At(op)], first_candidate[At(op) + 1]);
  }
  [[nodiscard]] std::span<const std::int32_t> successors_of(std::int32_t op) const {
    return Subrange(successors, first_successor[At(op)], first_successor[At(op) + 1]);
  }
  [[nodiscard]] std::span<const std::int32_t> predecessors_of(std::int32_t op) const {
    return Subrange(predecessors, first_predecessor[At(op)], first_predecessor[At(op) + 1]);
  }
  // Those of predecessors_of that make a tensor which `op` reads.
  [[nodiscard]] std::span<const std::int32_t> producers_of(std::int32_t op) const {
    return Subrange(predecessors, first_predecessor[At(op)], first_control[At(op)]);
  }
};

// O(ops + edges), with a logarithm for the consumers of one op.
[[nodiscard]] FusionGraph PrepareFusion(const OpGraph& graph, const FusionLimits& limits);

}  // namespace opyard::sim
