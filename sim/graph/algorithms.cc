#include "sim/graph/algorithms.h"

#include <algorithm>

namespace opyard::sim {
namespace {

// Calls `visit(predecessor)` for each edge into `op`, data edges first.
template <class Visit>
void ForEachPredecessor(const OpGraph& graph, OpId op, const Visit& visit) {
  for (const TensorId input : graph.inputs(op)) {
    visit(graph.tensor(input).producer);
  }
  for (const OpId before : graph.control_inputs(op)) {
    visit(before);
  }
}

}  // namespace

std::vector<std::int32_t> OpDepths(const OpGraph& graph) {
  std::vector<std::int32_t> depths(graph.num_ops());
  for (const OpId op : graph.topological_order()) {
    std::int32_t& depth = depths[op.index()];
    ForEachPredecessor(
        graph, op, [&](OpId before) { depth = std::max(depth, depths[before.index()] + 1); });
  }
  return depths;
}

GraphExtent ExtentOf(const OpGraph& graph) {
  GraphExtent extent;
  std::vector<std::int32_t> ops_at_depth(graph.num_ops());
  for (const std::int32_t depth : OpDepths(graph)) {
    extent.depth = std::max(extent.depth, depth + 1);
    extent.width = std::max(extent.width, ++ops_at_depth[static_cast<std::size_t>(depth)]);
  }
  return extent;
}

SimTime LongestPath(const OpGraph& graph, std::span<const SimTime> op_times) {
  std::vector<SimTime> finish(graph.num_ops());
  SimTime longest;
  for (const OpId op : graph.topological_order()) {
    SimTime start = graph.op(op).release;
    ForEachPredecessor(
        graph, op, [&](OpId before) { start = std::max(start, finish[before.index()]); });
    finish[op.index()] = start + op_times[op.index()];
    longest = std::max(longest, finish[op.index()]);
  }
  return longest;
}

}  // namespace opyard::sim
