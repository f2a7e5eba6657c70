#include "env/objective.h"

#include "sim/base/check.h"

namespace opyard::env {

double Score(const Objective& objective,
             const ObjectiveScale& scale,
             const sim::SimResult& result) {
  OPYARD_CHECK(result.outcome == sim::Outcome::kCompleted, "only completed runs have a score");
  const double peak_bytes = static_cast<double>(result.peak_memory.count);
  switch (objective.kind) {
    case ObjectiveKind::kMakespan:
      return result.makespan.seconds();
    case ObjectiveKind::kPeakMemory:
      return peak_bytes;
    case ObjectiveKind::kWeighted:
      break;
  }
  const double reference_ps = static_cast<double>(scale.reference_makespan.picoseconds);
  return objective.makespan_weight * static_cast<double>(result.makespan.picoseconds) /
             reference_ps +
         objective.peak_memory_weight * peak_bytes /
             static_cast<double>(scale.largest_capacity.count);
}

}  // namespace opyard::env
