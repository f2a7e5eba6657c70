#include "sim/graph/colocation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "sim/base/check.h"
#include "sim/graph/group_numbers.h"

namespace opyard::sim {
namespace {

// The kinds on which all ops of each group may run, as bits.
std::vector<std::uint32_t> KindsOfGroups(const OpGraph& graph, const Grouping& grouping) {
  std::vector<std::uint32_t> kinds(static_cast<std::size_t>(grouping.num_groups), ~0U);
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    std::uint32_t bits = 0;
    for (std::size_t kind = 0; kind < kNumDeviceKinds; ++kind) {
      if (graph.ops()[op].device_kinds.Contains(static_cast<DeviceKind>(kind))) {
        bits |= 1U << kind;
      }
    }
    kinds[static_cast<std::size_t>(grouping.group_of[op])] &= bits;
  }
  return kinds;
}

// The places of each group, which two groups must have in common to be merged.
std::vector<std::uint32_t> PlacesOfGroups(const OpGraph& graph,
                                          const Grouping& grouping,
                                          const PlaceSets& places) {
  if (places.empty()) {
    return KindsOfGroups(graph, grouping);
  }
  std::vector<std::uint32_t> of_group(static_cast<std::size_t>(grouping.num_groups));
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    of_group[static_cast<std::size_t>(grouping.group_of[op])] =
        static_cast<std::uint32_t>(places[op]);
  }
  return of_group;
}

// Data that flows between two groups.
struct GroupEdge {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t bytes = 0;
};

// One edge per tensor and consumer across groups, in topological order of the producers.
std::vector<GroupEdge> EdgesBetween(const OpGraph& graph, const Grouping& grouping) {
  std::vector<GroupEdge> edges;
  for (const OpId op : graph.topological_order()) {
    for (std::size_t i = 0; i < graph.num_outputs(op); ++i) {
      const TensorId tensor = graph.output(op, i);
      for (const OpId consumer : graph.consumers(tensor)) {
        const std::int32_t from = grouping.group_of[op.index()];
        const std::int32_t to = grouping.group_of[consumer.index()];
        if (from != to) {
          edges.push_back({.from = from, .to = to, .bytes = graph.tensor(tensor).bytes.count});
        }
      }
    }
  }
  return edges;
}

// Groups that melt together; a group is named by the least number in it.
class MergedGroups {
 public:
  MergedGroups(const OpGraph& graph, const Grouping& grouping, const PlaceSets& places)
      : parent_(static_cast<std::size_t>(grouping.num_groups)),
        num_ops_(parent_.size()),
        places_(PlacesOfGroups(graph, grouping, places)),
        count_(parent_.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const std::int32_t group : grouping.group_of) {
      ++num_ops_[static_cast<std::size_t>(group)];
    }
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::uint32_t places(std::size_t group) const { return places_[group]; }
  [[nodiscard]] std::size_t num_ops(std::size_t group) const { return num_ops_[group]; }

  std::size_t Find(std::size_t group) {
    while (parent_[group] != group) {
      parent_[group] = parent_[parent_[group]];
      group = parent_[group];
    }
    return group;
  }

  void Merge(std::size_t a, std::size_t b) {
    const std::size_t keep = std::min(Find(a), Find(b));
    const std::size_t drop = std::max(Find(a), Find(b));
    if (keep != drop) {
      parent_[drop] = keep;
      num_ops_[keep] += num_ops_[drop];
      --count_;
    }
  }

  void MergeIfSmall(std::size_t a, std::size_t b, std::size_t most_ops) {
    const std::size_t from = Find(a);
    const std::size_t to = Find(b);
    if (places_[from] == places_[to] && num_ops_[from] + num_ops_[to] <= most_ops) {
      Merge(from, to);
    }
  }

 private:
  std::vector<std::size_t> parent_;
  std::vector<std::size_t> num_ops_;
  std::vector<std::uint32_t> places_;
  std::size_t count_;
};

void MergeAlongEdges(const OpGraph& graph,
                     const Grouping& grouping,
                     std::size_t max_groups,
                     MergedGroups& merged) {
  std::vector<GroupEdge> edges = EdgesBetween(graph, grouping);
  std::ranges::stable_sort(edges, std::ranges::greater(), &GroupEdge::bytes);
  const std::size_t most_ops = (2 * graph.num_ops() + max_groups - 1) / max_groups;
  for (const GroupEdge& edge : edges) {
    if (merged.count() <= max_groups) {
      return;
    }
    merged.MergeIfSmall(
        static_cast<std::size_t>(edge.from), static_cast<std::size_t>(edge.to), most_ops);
  }
}

// The merged groups that share one set of places, in the order of those.
std::vector<std::vector<std::size_t>> ByPlaces(std::size_t num_groups, MergedGroups& merged) {
  std::map<std::uint32_t, std::vector<std::size_t>> of_places;
  for (std::size_t group = 0; group < num_groups; ++group) {
    if (merged.Find(group) == group) {
      of_places[merged.places(group)].push_back(group);
    }
  }
  std::vector<std::vector<std::size_t>> classes;
  for (auto& [places, members] : of_places) {
    classes.push_back(std::move(members));
  }
  return classes;
}

// The number of groups that each class keeps: its share of `max_groups`, but one at least.
std::vector<std::size_t> Quotas(const std::vector<std::vector<std::size_t>>& classes,
                                std::size_t count,
                                std::size_t max_groups) {
  std::vector<std::size_t> quotas;
  for (const auto& members : classes) {
    quotas.push_back(std::max<std::size_t>(max_groups * members.size() / count, 1));
  }
  while (std::accumulate(quotas.begin(), quotas.end(), std::size_t{0}) > max_groups) {
    std::size_t& largest = *std::ranges::max_element(quotas);
    if (largest == 1) {
      break;
    }
    --largest;
  }
  return quotas;
}

// Joins `members` into `quota` runs of neighbours with about as many ops each.
void MergeRuns(std::span<const std::size_t> members, std::size_t quota, MergedGroups& merged) {
  std::size_t total = 0;
  for (const std::size_t group : members) {
    total += merged.num_ops(group);
  }
  std::size_t before = 0;
  std::size_t run_start = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::size_t size = merged.num_ops(members[i]);
    const std::size_t run_of_member = before * quota / total;
    if (i > 0 && run_of_member == run) {
      merged.Merge(members[run_start], members[i]);
    } else {
      run_start = i;
      run = run_of_member;
    }
    before += size;
  }
}

}  // namespace

Grouping ColocationGroups(const OpGraph& graph) {
  const auto num_labels = static_cast<std::int32_t>(graph.colocation_labels().size());
  std::vector<std::int32_t> label_of;
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    label_of.push_back(
        graph.ops()[op].colocation.value_or(num_labels + static_cast<std::int32_t>(op)));
  }
  return NumberedByFirstOp(graph, label_of, static_cast<std::size_t>(num_labels) + graph.num_ops());
}

Grouping CoarsenGroups(const OpGraph& graph,
                       const Grouping& grouping,
                       std::int32_t max_groups,
                       const PlaceSets& places) {
  OPYARD_CHECK(max_groups >= 1, "at least one group");
  const auto most = static_cast<std::size_t>(max_groups);
  const auto num_groups = static_cast<std::size_t>(grouping.num_groups);
  if (num_groups <= most) {
    return grouping;
  }
  MergedGroups merged(graph, grouping, places);
  MergeAlongEdges(graph, grouping, most, merged);
  if (merged.count() > most) {
    const auto classes = ByPlaces(num_groups, merged);
    const auto quotas = Quotas(classes, merged.count(), most);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      MergeRuns(classes[i], quotas[i], merged);
    }
  }
  std::vector<std::int32_t> label_of;
  for (const std::int32_t group : grouping.group_of) {
    label_of.push_back(static_cast<std::int32_t>(merged.Find(static_cast<std::size_t>(group))));
  }
  return NumberedByFirstOp(graph, label_of, num_groups);
}

}  // namespace opyard::sim
