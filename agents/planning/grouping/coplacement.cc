#include "agents/planning/grouping/coplacement.h"

#include <cstdint>
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

// The one other group that waits for each group; nothing if none or several do. [num_groups]
std::vector<std::optional<std::int32_t>> OnlyConsumers(const sim::OpGraph& graph,
                                                       const sim::Grouping& grouping) {
  std::vector<std::optional<std::int32_t>> only(At(grouping.num_groups));
  std::vector<std::uint8_t> has_several(only.size(), 0);
  const auto count = [&](OpId op, OpId consumer) {
    const std::size_t group = At(grouping.group_of[op.index()]);
    const std::int32_t reader = grouping.group_of[consumer.index()];
    if (At(reader) != group) {
      const bool is_other = only[group].value_or(reader) != reader;
      has_several[group] = has_several[group] != 0 || is_other ? 1 : 0;
      only[group] = reader;
    }
  };
  for (const OpId op : graph.topological_order()) {
    for (std::size_t k = 0; k < graph.num_outputs(op); ++k) {
      for (const OpId consumer : graph.consumers(graph.output(op, k))) {
        count(op, consumer);
      }
    }
    for (const OpId consumer : graph.control_consumers(op)) {
      count(op, consumer);
    }
  }
  for (std::size_t group = 0; group < only.size(); ++group) {
    only[group] = has_several[group] != 0 ? std::nullopt : only[group];
  }
  return only;
}

}  // namespace

sim::Grouping CoplacedGroups(const env::Problem& problem) {
  const sim::OpGraph& graph = problem.graph();
  const sim::Grouping& grouping = problem.grouping();
  const sim::PlaceSets places = problem.place_sets();
  const std::vector<std::optional<std::int32_t>> consumers = OnlyConsumers(graph, grouping);
  std::vector<std::int32_t> place_of_group(consumers.size(), 0);
  for (std::size_t op = 0; op < places.size(); ++op) {
    place_of_group[At(grouping.group_of[op])] = places[op];
  }
  GroupSets sets(grouping.num_groups);
  for (std::int32_t group = 0; group < grouping.num_groups; ++group) {
    const std::optional<std::int32_t>& consumer = consumers[At(group)];
    if (consumer.has_value() && place_of_group[At(group)] == place_of_group[At(*consumer)]) {
      sets.Join(group, *consumer);
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
