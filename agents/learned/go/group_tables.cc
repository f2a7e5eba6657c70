#include "agents/learned/go/group_tables.h"

#include <string>

#include "sim/base/check.h"

namespace opyard::agents::go {

GroupTables::GroupTables(const Sizes& sizes, const std::vector<Task>& tasks, torch::Device device)
    : tables_(kNumTasks) {
  for (const Task task : tasks) {
    const auto i = static_cast<std::size_t>(task);
    const bool is_order = task == Task::kScheduling && sizes.head == PriorityHead::kGumbel;
    const std::int64_t num_levels = is_order ? 1 : sizes.num_levels;
    const std::int64_t num_choices = task == Task::kPlacement ? sizes.num_devices : num_levels;
    tables_[i] = register_parameter("table" + std::to_string(i),
                                    torch::zeros({sizes.num_groups, num_choices}, device));
  }
}

torch::Tensor GroupTables::Of(Task task, const SparseEdges& groups) const {
  const torch::Tensor& table = tables_[static_cast<std::size_t>(task)];
  OPYARD_CHECK(table.defined(), "a table of what is to be decided");
  return Scatter(Gather(table.unsqueeze(0), groups), groups, Aggregation::kMean).squeeze(0);
}

}  // namespace opyard::agents::go
