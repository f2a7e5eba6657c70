#include "sim/graph/group_numbers.h"

namespace opyard::sim {

Grouping NumberedByFirstOp(const OpGraph& graph,
                           std::span<const std::int32_t> label_of,
                           std::size_t num_labels) {
  Grouping grouping{.group_of = std::vector<std::int32_t>(graph.num_ops())};
  std::vector<std::int32_t> group_of_label(num_labels, -1);
  for (const OpId op : graph.topological_order()) {
    std::int32_t& group = group_of_label[static_cast<std::size_t>(label_of[op.index()])];
    if (group < 0) {
      group = grouping.num_groups++;
    }
    grouping.group_of[op.index()] = group;
  }
  return grouping;
}

}  // namespace opyard::sim
