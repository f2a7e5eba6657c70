#include "sim/fusion/quotient_graph.h"

#include <algorithm>

namespace opyard::sim {

void QuotientGraph::Reset(const FusionGraph& graph) {
  graph_ = &graph;
  clusters_.Reset(graph.num_ops);
  order_.Reset(graph.num_ops);
  forward_.found.resize(graph.num_ops);
  backward_.found.resize(graph.num_ops);
  stamps_.assign(graph.num_ops, 0);
  last_stamp_ = 0;
}

void QuotientGraph::Begin(std::int32_t start, Side& side) {
  side.found[0] = start;
  side.num_found = 1;
  side.num_expanded = 0;
  side.work = clusters_.size(start);
  side.stamp = ++last_stamp_;
  side.start = start;
}

bool QuotientGraph::WaitsForNothingBut(std::int32_t cluster, std::int32_t op) const {
  return std::ranges::all_of(graph_->predecessors_of(op), [&](std::int32_t predecessor) {
    return clusters_.cluster_of(predecessor) == cluster;
  });
}

std::optional<std::int32_t> QuotientGraph::FindDetour(std::int32_t a, std::int32_t b) {
  Begin(a, forward_);
  Begin(b, backward_);
  // Most often an op is pulled in that waits for nothing else.
  if (clusters_.size(b) == 1 && WaitsForNothingBut(a, b)) {
    backward_.num_expanded = 1;
    return std::nullopt;
  }
  std::optional<std::int32_t> detour;
  while (!detour.has_value() && !forward_.is_exhausted() && !backward_.is_exhausted()) {
    detour = forward_.work < backward_.work ? Expand<true>(forward_, backward_)
                                            : Expand<false>(backward_, forward_);
  }
  return detour;
}

template <bool kIsForward>
std::optional<std::int32_t> QuotientGraph::Expand(Side& side, const Side& other) {
  const std::int32_t cluster = side.found[side.num_expanded++];
  const std::uint64_t limit = order_.label(other.start);
  std::optional<std::int32_t> detour;
  clusters_.AnyOp(cluster, [&](std::int32_t op) {
    const auto neighbours = kIsForward ? graph_->successors_of(op) : graph_->predecessors_of(op);
    side.work += static_cast<std::int64_t>(neighbours.size());
    for (const std::int32_t neighbour : neighbours) {
      const std::int32_t next = clusters_.cluster_of(neighbour);
      const std::uint32_t stamp = stamps_[At(next)];
      if (next == cluster || stamp == side.stamp) {
        continue;
      }
      if (stamp == other.stamp || next == other.start) {
        if (cluster == side.start && next == other.start) {
          continue;  // the edge that is to be contracted
        }
        detour = next == other.start ? cluster : next;
        return true;
      }
      const std::uint64_t label = order_.label(next);
      if (kIsForward ? label < limit : label > limit) {
        stamps_[At(next)] = side.stamp;
        side.found[side.num_found++] = next;
      }
    }
    return false;
  });
  return detour;
}

std::int32_t QuotientGraph::Contract(std::int32_t a, std::int32_t b) {
  const bool moves_found_behind = forward_.is_exhausted();
  const std::int32_t place = moves_found_behind ? b : a;
  const std::int32_t joint = clusters_.Join(a, b);
  if (joint == place) {
    order_.Remove(a + b - joint);
  } else {
    order_.Replace(place, joint);
  }
  if (moves_found_behind) {
    order_.MoveBehind(joint, forward_.others());
  } else {
    order_.MoveBefore(joint, backward_.others());
  }
  return joint;
}

}  // namespace opyard::sim
