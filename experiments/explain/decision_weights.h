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

enum class DecisionKind : std::uint8_t { kDevice, kPriority };

struct Decision {
  DecisionKind kind = DecisionKind::kDevice;
  std::int32_t subject = 0;  // a group of the grouping; for priorities an op
  SimTime weight;            // the time of the parts of the path that concern it
  Bytes moved;               // by transfers, sent and read by its ops; 0 for priorities
};

// Heaviest first, then by bytes moved, then devices before priorities, then by subject: the device
// of every group, and in a plan with op priorities the priority of each op that waits in a queue on
// the path or is ahead there. Which part concerns whom stands at FindCounterfactuals.
[[nodiscard]] std::vector<Decision> WeighDecisions(const sim::Grouping& grouping,
                                                   const sim::SimulatedStep& step,
                                                   const sim::Timeline& timeline,
                                                   std::span<const sim::CriticalPart> path);

}  // namespace opyard::experiments
