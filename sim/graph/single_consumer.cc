#include "sim/graph/single_consumer.h"

#include <numeric>
#include <optional>
#include <vector>

#include "sim/base/check.h"

namespace opyard::sim {
namespace {

// One walk over all groups. Merged groups form trees; `Find` gives the root that stands for a
// group.
class MergePass {
 public:
  MergePass(const OpGraph& graph,
            const Grouping& grouping,
            std::int32_t max_ops,
            const PlaceSets& places)
      : graph_(graph), max_ops_(max_ops) {
    const auto num_groups = static_cast<std::size_t>(grouping.num_groups);
    parent_.resize(num_groups);
    std::iota(parent_.begin(), parent_.end(), 0);
    members_.resize(num_groups);
    num_ops_.resize(num_groups);
    kinds_.resize(num_groups, DeviceKindSet::All());
    places_.resize(num_groups);
    for (std::size_t op = 0; op < graph.num_ops(); ++op) {
      const auto group = static_cast<std::size_t>(grouping.group_of[op]);
      members_[group].emplace_back(op);
      kinds_[group] = kinds_[group].Common(graph.ops()[op].device_kinds);
      places_[group] = places.empty() ? 0 : places[op];
      ++num_ops_[group];
    }
    group_of_ = grouping.group_of;
  }

  // Returns the number of merges. Readers have higher numbers mostly, so they come first.
  std::int32_t Run() {
    std::int32_t num_merged = 0;
    for (std::size_t group = members_.size(); group-- > 0;) {
      const std::optional<std::int32_t> reader = OnlyReader(static_cast<std::int32_t>(group));
      if (reader.has_value() && TryMerge(Find(static_cast<std::int32_t>(group)), *reader)) {
        ++num_merged;
      }
    }
    return num_merged;
  }

  // Groups numbered by their first op in topological order.
  [[nodiscard]] Grouping Result() {
    Grouping result{.group_of = std::vector<std::int32_t>(graph_.num_ops())};
    std::vector<std::int32_t> number(parent_.size(), -1);
    for (const OpId op : graph_.topological_order()) {
      std::int32_t& own = number[Index(Find(group_of_[op.index()]))];
      if (own < 0) {
        own = result.num_groups++;
      }
      result.group_of[op.index()] = own;
    }
    return result;
  }

 private:
  static std::size_t Index(std::int32_t group) { return static_cast<std::size_t>(group); }

  std::int32_t Find(std::int32_t group) {
    while (parent_[Index(group)] != group) {
      parent_[Index(group)] = parent_[Index(parent_[Index(group)])];
      group = parent_[Index(group)];
    }
    return group;
  }

  // The root of the one other group that reads the outputs of `group`; nothing if none or several
  // do.
  std::optional<std::int32_t> OnlyReader(std::int32_t group) {
    std::optional<std::int32_t> reader;
    for (const OpId op : members_[Index(group)]) {
      for (std::size_t i = 0; i < graph_.num_outputs(op); ++i) {
        for (const OpId consumer : graph_.consumers(graph_.output(op, i))) {
          const std::int32_t root = Find(group_of_[consumer.index()]);
          if (root == Find(group)) {
            continue;
          }
          if (reader.has_value() && *reader != root) {
            return std::nullopt;
          }
          reader = root;
        }
      }
    }
    return reader;
  }

  bool TryMerge(std::int32_t group, std::int32_t reader) {
    const std::int32_t num_ops = num_ops_[Index(group)] + num_ops_[Index(reader)];
    if (num_ops > max_ops_ || kinds_[Index(group)] != kinds_[Index(reader)] ||
        places_[Index(group)] != places_[Index(reader)]) {
      return false;
    }
    parent_[Index(group)] = reader;
    num_ops_[Index(reader)] = num_ops;
    return true;
  }

  const OpGraph& graph_;
  std::int32_t max_ops_;
  std::vector<std::int32_t> group_of_;      // [num_ops], before the pass
  std::vector<std::vector<OpId>> members_;  // of each group before the pass
  std::vector<DeviceKindSet> kinds_;        // that all members allow
  std::vector<std::int32_t> places_;        // of PlaceSets, 0 without them
  std::vector<std::int32_t> parent_;
  std::vector<std::int32_t> num_ops_;  // of a root
};

}  // namespace

Grouping MergeSingleConsumers(const OpGraph& graph,
                              const Grouping& grouping,
                              std::int32_t max_ops,
                              const PlaceSets& places) {
  OPYARD_CHECK(max_ops >= 1, "a group holds at least one op");
  Grouping merged = grouping;
  while (true) {
    MergePass pass(graph, merged, max_ops, places);
    if (pass.Run() == 0) {
      return merged;
    }
    merged = pass.Result();
  }
}

}  // namespace opyard::sim
