// What lists of ops come to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agents/planning/aware_search.h"
#include "agents/planning/list_schedule.h"
#include "agents/planning/op_times.h"
#include "agents/planning/transfer_times.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// All ops, each after those that it depends on: of those that could be next, the one with the
// greatest of `keys`, [num_ops]; of equals the first in topological order.
[[nodiscard]] std::vector<OpId> ListByKeys(const sim::OpGraph& graph, std::span<const double> keys);

// Keeps a reference to `problem`.
class ListPlans {
 public:
  ListPlans(const env::Problem& problem, std::vector<std::int32_t> fusion_of_group);

  // Ways to choose devices: two for each of ViewsOf, with insertion into gaps and without; one
  // where placement is no task.
  [[nodiscard]] std::size_t num_ways() const { return ways_.size(); }
  [[nodiscard]] GapRule gaps(std::size_t way) const { return ways_[way].gaps; }

  // Devices by list scheduling, if placement is a task; if scheduling is one, priorities in the
  // order in which the ops start there. `memory_share` as in ListScheduleOptions.
  [[nodiscard]] sim::Plan Make(std::span<const double> keys,
                               std::size_t way,
                               std::optional<double> memory_share) const;

 private:
  struct Way {
    ScheduleView view;
    GapRule gaps = GapRule::kInsert;
  };

  const env::Problem& problem_;
  TransferTimes transfers_;
  OpTimes times_;
  std::vector<Way> ways_;
  std::vector<std::int32_t> fusion_of_group_;
};

}  // namespace opyard::agents
