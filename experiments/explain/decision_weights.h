// Which decisions of a plan are worth a second look, by what the critical path says of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/units.h"
#include "sim/graph/colocation.h"
#include "sim/trace/critical_path.h"
#include "sim/trace/timeline.h"

namespace opyard::experiments {

enum class DecisionKind : std::uint8_t { kDevice, kPriority, kTransfer, kFusion };

struct Decision {
  DecisionKind kind = DecisionKind::kDevice;
  // A group of the grouping; for priorities an op, for transfers an entry of transfer_priority.
  std::int32_t subject = 0;
  SimTime weight;  // the time of the parts of the path that concern it
  Bytes moved;     // by transfers, sent and read by its ops; 0 but for devices
};

// Heaviest first, then by bytes moved, then by kind, then by subject: the device of every group,
// and as far as the plan gives them the op priorities of those that wait in a queue on the path or
// are ahead there, the priorities of the copies that wait for a channel or are ahead, and the
// fusion priorities of the groups whose kernels are on it. Which part concerns whom stands at
// FindCounterfactuals.
[[nodiscard]] std::vector<Decision> WeighDecisions(const sim::Grouping& grouping,
                                                   const sim::SimulatedStep& step,
                                                   const sim::Timeline& timeline,
                                                   std::span<const sim::CriticalPart> path);

}  // namespace opyard::experiments
