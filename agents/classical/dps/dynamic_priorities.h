// The priorities of DPS while a schedule is being built.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "env/problem.h"
#include "sim/base/ids.h"

namespace opyard::agents {

// The ready op with the greatest b-level − t-level, in seconds:
//   b-level  UpwardRanks: the longest path to a sink, of means, since nothing on it has a place
//   yet; t-level  the longest path from a source: ops that are scheduled count their time where
//   they
//            are, transfers between two such ops that between their devices, the last one, to the
//            op in question, the mean.
// Ops that are not ready need no priority: each is behind some op that it waits for, whose b-level
// is greater and whose t-level is less. So a priority is final when the op becomes ready, and all
// of them take O(edges + ops · log ops). Equals: the least topological index.
class DynamicPriorities {
 public:
  // Means are over `mean_devices`; `mean` is that of transfers. All outlive it.
  DynamicPriorities(const env::Problem& problem,
                    const TransferTimes& transfers,
                    const OpTimes& times,
                    const TransferTimes::Line& mean,
                    std::span<const DeviceId> mean_devices);

  // The next op. REQUIRES: `so_far` holds all ops that were named before.
  [[nodiscard]] OpId Next(const ListSchedule& so_far);

 private:
  void MakeReady(OpId op);
  void Leave(OpId op, const ListSchedule& so_far);
  template <class Reach>
  void ForEachInput(OpId op, const Reach& reach) const;

  const env::Problem& problem_;
  const sim::OpGraph& graph_;
  const TransferTimes& transfers_;
  const OpTimes& times_;
  TransferTimes::Line mean_;
  std::vector<double> b_level_;           // [num_ops]
  std::vector<double> path_to_end_;       // [num_ops], t-level + time of an op that is scheduled
  std::vector<DeviceId> device_;          // [num_ops], of an op that is scheduled
  std::vector<std::size_t> num_awaited_;  // [num_ops]
  std::priority_queue<std::pair<double, std::int32_t>> ready_;  // priority, −topological index
  std::optional<OpId> last_;                                    // named, and not yet left
};

}  // namespace opyard::agents
