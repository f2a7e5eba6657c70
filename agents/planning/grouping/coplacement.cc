#include "agents/planning/grouping/coplacement.h"

#include <numeric>
#include <optional>
#include <vector>

#include "sim/base/array_index.h"
#include "sim/base/ids.h"

namespace opyard::agents {
namespace {

// Sets of groups, each a tree whose root stands for it.
class GroupSets {
 public:
  explicit GroupSets(std::int32_t num_groups) : parent_(At(num_groups)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  [[nodiscard]] std::int32_t Find(std::int32_t group) {
    while (parent_[At(group)] != group) {
      parent_[At(group)] = parent_[At(parent_[At(group)])];
      group = parent_[At(group)];
    }
    return group;
  }

  void Join(std::int32_t a, std::int32_t b) { parent_[At(Find(a))] = Find(b); }

 private:
  std::vector<std::int32_t> parent_;
};

// The one op that waits for `op`; nothing if none or several do.
std::optional<OpId> OnlyConsumer(const sim::OpGraph& graph, OpId op) {
  std::optional<OpId> only;
  bool has_several = false;
  const auto count = [&](OpId consumer) {
    has_several = has_several || (only.has_value() && *only != consumer);
    only = consumer;
  };
  for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
    for (const OpId consumer : graph.consumers(graph.output(op, k))) {
      count(consumer);
    }
  }
  for (const OpId consumer : graph.control_consumers(op)) {
    count(consumer);
  }
  return has_several ? std::nullopt : only;
}

}  // namespace

sim::Grouping CoplacedGroups(const env::Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  const sim::Grouping& grouping = problem.grouping();
  const sim::PlaceSets places = problem.place_sets();
  GroupSets sets(grouping.num_groups);
  for (const OpId op : graph.topological_order()) {
    const std::optional<OpId> consumer = OnlyConsumer(graph, op);
    if (consumer.has_value() &&
        (places.empty() || places[op.index()] == places[consumer->index()])) {
      sets.Join(grouping.group_of[op.index()], grouping.group_of[consumer->index()]);
    }
  }
  sim::Grouping merged{.group_of = std::vector<std::int32_t>(graph.num_ops())};
  std::vector<std::optional<std::int32_t>> number(At(grouping.num_groups));
  for (const OpId op : graph.topological_order()) {
    std::optional<std::int32_t>& own = number[At(sets.Find(grouping.group_of[op.index()]))];
    if (!own.has_value()) {
      own = merged.num_groups++;
    }
    merged.group_of[op.index()] = *own;
  }
  return merged;
}

}  // namespace opyard::agents
