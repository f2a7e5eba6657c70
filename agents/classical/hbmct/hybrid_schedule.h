// Builds a schedule by HBMCT: batches of independent ops, each balanced over the devices.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "agents/classical/hbmct/balanced_batch.h"
#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "env/problem.h"
#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"

namespace opyard::agents {

// `order`, topological, cut before each op that reads, or waits for, one of its own batch.
[[nodiscard]] std::vector<std::vector<OpId>> IndependentBatches(const sim::OpGraph& graph,
                                                                std::span<const OpId> order);

struct HybridScheduleOptions {
  InitialDevice initial = InitialDevice::kExecutionTime;
  std::optional<double> memory_share = std::nullopt;  // none: memory is ignored
};

// Batches (IndependentBatches) one after the other, each by BalanceBatch after all work so far,
// transfers alone on their routes. The ops of a batch that belong to one group go to one device,
// one after the other; later ones of the group follow them. Where placement is no task, groups are
// where the default placement has them. O(edges · devices) and, in a batch of n ops, O(n · (devices
// + log n)) per move and O(devices · n) before the last.
[[nodiscard]] ListSchedule BuildHybridSchedule(const env::Problem& problem,
                                               const TransferTimes& transfers,
                                               const OpTimes& times,
                                               std::span<const OpId> order,
                                               const HybridScheduleOptions& options);

}  // namespace opyard::agents
