// Weights of a plan's decisions, from the critical path, to choose those that are worth a
// simulation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"
#include "sim/base/units.h"
#include "sim/graph/colocation.h"

namespace opyard::experiments {

enum class DecisionKind : std::uint8_t { kDevice, kPriority, kTransfer, kFusion };

struct Decision {
  DecisionKind kind = DecisionKind::kDevice;
  // A group of the grouping; for priorities an op, for transfers an entry of transfer_priority.
  std::int32_t subject = 0;
  SimTime weight;  // the time of the parts of the path that concern it
  Bytes moved;     // by transfers, sent and read by its ops; 0 but for devices
};

// Sorted by weight, heaviest first, then by bytes moved, most first, then by kind and subject.
// Holds the device of every group, and of the other decisions those that the plan makes and the
// path concerns. These are the priorities of ops in its queue waits and of copies in its channel
// waits, waiting or ahead, and the fusion priorities of the groups whose kernels are on it.
// FindCounterfactuals says which part concerns which decision.
[[nodiscard]] std::vector<Decision> WeighDecisions(const sim::Grouping& grouping,
                                                   const sim::SimulatedStep& step,
                                                   const sim::Timeline& timeline,
                                                   std::span<const sim::CriticalPart> path);

}  // namespace opyard::experiments
