// Plans made from lists of ops.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// All ops, each after those that it depends on: of those that could be next, the one with the
// greatest of `keys`, [num_ops]; of equals the first in topological order.
[[nodiscard]] std::vector<OpId> ListByKeys(const sim::OpGraph& graph, std::span<const double> keys);

// Keeps a reference to `problem`. Used by one thread at a time.
class ListPlans {
 public:
  // `fusion_of_group` as in Decisions. `memory_share` as in ListScheduleOptions. Schedules are
  // justified (right_shift.h) as often as that makes them shorter, and at most
  // `most_justifications` times.
  ListPlans(const env::Problem& problem,
            std::vector<std::int32_t> fusion_of_group,
            std::optional<double> memory_share,
            std::int64_t most_justifications);

  // Ways to choose devices: two for each of ViewsOf, with insertion into gaps and without; one
  // where placement is no task.
  [[nodiscard]] std::size_t num_ways() const { return ways_.size(); }

  // Devices by list scheduling, if placement is a task; if scheduling is one, priorities in the
  // order in which the ops start there.
  [[nodiscard]] sim::Plan Make(std::span<const double> keys, std::size_t way);

 private:
  struct Way {
    ListScheduleOptions options;
    std::unique_ptr<ListScheduler> scheduler;  // once it was asked for
  };

  void AddWays(std::optional<double> memory_share);
  [[nodiscard]] ListScheduler& SchedulerOf(Way& way);
  [[nodiscard]] ListSchedule Schedule(std::span<const OpId> list, ListScheduler& scheduler) const;

  const env::Problem& problem_;
  TransferTimes transfers_;
  OpTimes times_;
  std::vector<Way> ways_;
  std::vector<std::int32_t> fusion_of_group_;
  std::int64_t most_justifications_;
};

}  // namespace opyard::agents
