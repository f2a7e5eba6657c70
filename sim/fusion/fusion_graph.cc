#include "sim/fusion/fusion_graph.h"

#include <algorithm>
#include <cstdlib>

#include "sim/graph/algorithms.h"

namespace opyard::sim {
namespace {

FusionRole RoleOf(FusionClass fusion_class) {
  switch (fusion_class) {
    case FusionClass::kElementwise:
    case FusionClass::kBroadcast:
    case FusionClass::kReshape:
      return FusionRole::kLight;
    case FusionClass::kReduction:
      return FusionRole::kReduction;
    case FusionClass::kHeavy:
      return FusionRole::kHeavy;
    case FusionClass::kOpaque:
      break;
  }
  return FusionRole::kOpaque;
}

// True if an op of role `reader` may share a kernel with an op of role `producer` that it reads
// from.
bool CanFuse(FusionRole producer, FusionRole reader) {
  return producer != FusionRole::kOpaque && reader != FusionRole::kOpaque &&
         reader != FusionRole::kHeavy &&
         !(producer == FusionRole::kReduction && reader == FusionRole::kReduction);
}

// A consumer of an op, and the bytes of the op's tensors that it reads.
struct DataEdge {
  std::int32_t consumer = 0;  // its topological position
  std::int64_t bytes = 0;
};

// Builds a FusionGraph. Ops go by their topological position, which is how the result numbers them.
class FusionGraphBuilder {
 public:
  FusionGraphBuilder(const OpGraph& graph, const FusionLimits& limits)
      : graph_(graph), depths_(OpDepths(graph)) {
    result_.num_ops = graph.num_ops();
    result_.limits = limits;
    result_.op_of.assign(graph.topological_order().begin(), graph.topological_order().end());
    for (const OpId op : result_.op_of) {
      result_.roles.push_back(RoleOf(graph.op(op).fusion_class));
    }
  }

  // REQUIRES: called once.
  FusionGraph Build() {
    for (std::size_t position = 0; position < result_.num_ops; ++position) {
      FindConsumers(position);
      AddCandidates(position);
      AddSuccessors(position);
      AddPredecessors(position);
    }
    // The closing entries. first_control needs none: each of its ranges ends where the range of
    // predecessors that it is part of ends.
    result_.first_candidate.push_back(Size32(result_.candidates.size()));
    result_.first_successor.push_back(Size32(result_.successors.size()));
    result_.first_predecessor.push_back(Size32(result_.predecessors.size()));
    return std::move(result_);
  }

 private:
  // Fills `consumers_`: each data consumer of the op at `position` once, by position. Bytes add up
  // where it reads several outputs.
  void FindConsumers(std::size_t position) {
    consumers_.clear();
    const OpId op = result_.op_of[position];
    for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
      const TensorId tensor = graph_.output(op, i);
      for (const OpId consumer : graph_.consumers(tensor)) {
        consumers_.push_back({.consumer = graph_.topological_index(consumer),
                              .bytes = graph_.tensor(tensor).bytes.count});
      }
    }
    std::ranges::sort(consumers_, {}, &DataEdge::consumer);
    std::size_t num_kept = 0;
    for (const DataEdge& edge : consumers_) {
      if (num_kept > 0 && consumers_[num_kept - 1].consumer == edge.consumer) {
        consumers_[num_kept - 1].bytes += edge.bytes;
      } else {
        consumers_[num_kept++] = edge;
      }
    }
    consumers_.resize(num_kept);
  }

  // Consumers that the graph alone lets fuse: roles that go together, depths (OpDepths) that differ
  // by max_depth_span at most. Most bytes first.
  void AddCandidates(std::size_t position) {
    result_.first_candidate.push_back(Size32(result_.candidates.size()));
    candidates_.clear();
    for (const DataEdge& edge : consumers_) {
      const std::int64_t span = std::int64_t{DepthOf(edge.consumer)} - DepthOf(position);
      if (CanFuse(result_.roles[position], result_.roles[At(edge.consumer)]) &&
          std::abs(span) <= result_.limits.max_depth_span) {
        candidates_.push_back(edge);
      }
    }
    result_.most_candidates = std::max(result_.most_candidates, candidates_.size());
    std::ranges::stable_sort(candidates_, std::ranges::greater(), &DataEdge::bytes);
    for (const DataEdge& edge : candidates_) {
      result_.candidates.push_back(edge.consumer);
    }
  }

  void AddSuccessors(std::size_t position) {
    std::vector<std::int32_t>& all = result_.successors;
    result_.first_successor.push_back(Size32(all.size()));
    const auto begin = static_cast<std::ptrdiff_t>(all.size());
    for (const DataEdge& edge : consumers_) {
      all.push_back(edge.consumer);
    }
    for (const OpId control_successor : graph_.control_consumers(result_.op_of[position])) {
      all.push_back(graph_.topological_index(control_successor));
    }
    std::sort(all.begin() + begin, all.end());
    all.erase(std::unique(all.begin() + begin, all.end()), all.end());
  }

  void AddPredecessors(std::size_t position) {
    std::vector<std::int32_t>& all = result_.predecessors;
    result_.first_predecessor.push_back(Size32(all.size()));
    const auto begin = static_cast<std::ptrdiff_t>(all.size());
    for (const TensorId input : graph_.inputs(result_.op_of[position])) {
      all.push_back(graph_.topological_index(graph_.tensor(input).producer));
    }
    std::sort(all.begin() + begin, all.end());
    all.erase(std::unique(all.begin() + begin, all.end()), all.end());
    // Producers of inputs come first, then those that are joined by a control edge only.
    result_.first_control.push_back(Size32(all.size()));
    const auto end_of_data = static_cast<std::ptrdiff_t>(all.size());
    for (const OpId control_predecessor : graph_.control_inputs(result_.op_of[position])) {
      const std::int32_t index = graph_.topological_index(control_predecessor);
      if (!std::binary_search(all.begin() + begin, all.begin() + end_of_data, index)) {
        all.push_back(index);
      }
    }
  }

  [[nodiscard]] std::int32_t DepthOf(std::int32_t position) const { return DepthOf(At(position)); }
  [[nodiscard]] std::int32_t DepthOf(std::size_t position) const {
    return depths_[result_.op_of[position].index()];
  }

  FusionGraph result_;
  const OpGraph& graph_;
  std::vector<std::int32_t> depths_;  // by OpId: OpDepths, edges on the longest path from a source
  std::vector<DataEdge> consumers_;   // of the op at the current position
  std::vector<DataEdge> candidates_;  // among `consumers_`
};

}  // namespace

FusionGraph PrepareFusion(const OpGraph& graph, const FusionLimits& limits) {
  return FusionGraphBuilder(graph, limits).Build();
}

}  // namespace opyard::sim
