#include "sim/graph/dominators.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/transitive_reduction.hpp>
#include <boost/range/iterator_range.hpp>

#include "sim/base/check.h"
#include "sim/graph/group_numbers.h"

namespace opyard::sim {
namespace {

using Digraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

Digraph ToBoost(const EdgeLists& edges, std::size_t num_vertices) {
  OPYARD_CHECK(edges.num_nodes() <= kMostReducedNodes, "a small graph");
  Digraph graph(num_vertices);
  for (std::size_t node = 0; node < edges.num_nodes(); ++node) {
    for (const std::int32_t to : edges.successors(node)) {
      add_edge(node, static_cast<std::size_t>(to), graph);
    }
  }
  return graph;
}

// The groups in the order of their first op that has inputs (else of their first op), and the edges
// that go forward in it.
struct GroupOrder {
  std::vector<std::int32_t> groups;  // by rank
  EdgeLists edges;                   // between ranks
};

GroupOrder OrderOf(const OpGraph& graph, const Grouping& grouping) {
  const auto num_groups = static_cast<std::size_t>(grouping.num_groups);
  std::vector<std::pair<bool, std::int32_t>> first_op(
      num_groups, {true, std::numeric_limits<std::int32_t>::max()});
  for (const OpId op : graph.topological_order()) {
    const bool is_source = graph.inputs(op).empty();
    auto& first = first_op[static_cast<std::size_t>(grouping.group_of[op.index()])];
    first = std::min(first, {is_source, graph.topological_index(op)});
  }
  std::vector<std::int32_t> groups(num_groups);
  std::iota(groups.begin(), groups.end(), 0);
  std::ranges::sort(groups, {}, [&](std::int32_t group) {
    return first_op[static_cast<std::size_t>(group)].second;
  });
  std::vector<std::int32_t> rank(num_groups);
  for (std::size_t i = 0; i < num_groups; ++i) {
    rank[static_cast<std::size_t>(groups[i])] = static_cast<std::int32_t>(i);
  }
  std::vector<EdgeLists::Edge> edges;
  const auto add = [&](OpId from, OpId to) {
    const auto rank_of = [&](OpId op) {
      return rank[static_cast<std::size_t>(grouping.group_of[op.index()])];
    };
    if (rank_of(from) < rank_of(to)) {
      edges.push_back({.from = rank_of(from), .to = rank_of(to)});
    }
  };
  for (const OpId op : graph.topological_order()) {
    for (const TensorId input : graph.inputs(op)) {
      add(graph.tensor(input).producer, op);
    }
    for (const OpId before : graph.control_inputs(op)) {
      add(before, op);
    }
  }
  return {.groups = std::move(groups), .edges = EdgeLists(num_groups, edges)};
}

// Regions of the dominator tree; each is named by the rank at its top.
class Regions {
 public:
  Regions(const OpGraph& graph, const Grouping& grouping, const std::vector<std::int32_t>& groups)
      : num_ops_(groups.size()), kinds_(groups.size(), DeviceKindSet::All()), top_(groups.size()) {
    std::vector<std::size_t> rank(groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      rank[static_cast<std::size_t>(groups[i])] = i;
    }
    for (std::size_t op = 0; op < graph.num_ops(); ++op) {
      const std::size_t own = rank[static_cast<std::size_t>(grouping.group_of[op])];
      ++num_ops_[own];
      kinds_[own] = kinds_[own].Common(graph.ops()[op].device_kinds);
    }
    std::iota(top_.begin(), top_.end(), std::size_t{0});
  }

  // A dominator has a lower rank than what it dominates.
  void Merge(const std::vector<std::int32_t>& dominators, std::int64_t max_ops) {
    std::vector<std::vector<std::size_t>> dominated(top_.size());
    for (std::size_t rank = 0; rank < top_.size(); ++rank) {
      if (dominators[rank] >= 0) {
        dominated[static_cast<std::size_t>(dominators[rank])].push_back(rank);
      }
    }
    for (std::size_t rank = top_.size(); rank-- > 0;) {
      std::ranges::stable_sort(
          dominated[rank], {}, [this](std::size_t other) { return num_ops_[other]; });
      for (const std::size_t other : dominated[rank]) {
        if (num_ops_[rank] + num_ops_[other] <= max_ops && kinds_[rank] == kinds_[other]) {
          top_[other] = rank;
          num_ops_[rank] += num_ops_[other];
        }
      }
    }
    for (std::size_t rank = 0; rank < top_.size(); ++rank) {
      top_[rank] = top_[top_[rank]];  // tops come first, and are final
    }
  }

  [[nodiscard]] std::size_t top(std::size_t rank) const { return top_[rank]; }

 private:
  std::vector<std::int64_t> num_ops_;  // of a region, under its top
  std::vector<DeviceKindSet> kinds_;
  std::vector<std::size_t> top_;  // of the region of rank i
};

}  // namespace

EdgeLists TransitiveReduction(const EdgeLists& edges) {
  const Digraph graph = ToBoost(edges, edges.num_nodes());
  Digraph reduced;
  std::vector<std::size_t> place(edges.num_nodes());  // of each node in `reduced`
  const auto index = get(boost::vertex_index, graph);
  boost::transitive_reduction(
      graph, reduced, boost::make_iterator_property_map(place.begin(), index), index);
  std::vector<std::int32_t> node_at(place.size());
  for (std::size_t node = 0; node < place.size(); ++node) {
    node_at[place[node]] = static_cast<std::int32_t>(node);
  }
  std::vector<EdgeLists::Edge> kept;
  for (const auto& edge : boost::make_iterator_range(boost::edges(reduced))) {
    kept.push_back({.from = node_at[source(edge, reduced)], .to = node_at[target(edge, reduced)]});
  }
  std::ranges::sort(
      kept, {}, [](const EdgeLists::Edge& edge) { return std::pair(edge.from, edge.to); });
  return {edges.num_nodes(), kept};
}

std::vector<std::int32_t> ImmediateDominators(const EdgeLists& edges) {
  const std::size_t root = edges.num_nodes();  // before all nodes that have no predecessor
  Digraph graph = ToBoost(edges, root + 1);
  for (std::size_t node = 0; node < root; ++node) {
    if (in_degree(node, graph) == 0) {
      add_edge(root, node, graph);
    }
  }
  std::vector<std::size_t> dominator(root + 1, root);
  boost::lengauer_tarjan_dominator_tree(
      graph,
      root,
      boost::make_iterator_property_map(dominator.begin(), get(boost::vertex_index, graph)));
  std::vector<std::int32_t> result;
  for (std::size_t node = 0; node < root; ++node) {
    result.push_back(dominator[node] == root ? -1 : static_cast<std::int32_t>(dominator[node]));
  }
  return result;
}

Grouping MergeDominated(const OpGraph& graph, const Grouping& grouping, std::int32_t max_ops) {
  OPYARD_CHECK(max_ops >= 1, "a group holds at least one op");
  const Grouping small =
      CoarsenGroups(graph, grouping, static_cast<std::int32_t>(kMostReducedNodes));
  const GroupOrder order = OrderOf(graph, small);
  Regions regions(graph, small, order.groups);
  regions.Merge(ImmediateDominators(TransitiveReduction(order.edges)), max_ops);
  std::vector<std::int32_t> top_of(order.groups.size());  // of each group of `small`
  for (std::size_t rank = 0; rank < top_of.size(); ++rank) {
    top_of[static_cast<std::size_t>(order.groups[rank])] = order.groups[regions.top(rank)];
  }
  std::vector<std::int32_t> label_of;
  for (const std::int32_t group : small.group_of) {
    label_of.push_back(top_of[static_cast<std::size_t>(group)]);
  }
  return NumberedByFirstOp(graph, label_of, top_of.size());
}

}  // namespace opyard::sim
