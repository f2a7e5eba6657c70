#include "env/objective.h"

#include <limits>

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

SimTime MakespanLimit(const Objective& objective, const ObjectiveScale& scale, double cutoff) {
  constexpr SimTime kNone{std::numeric_limits<std::int64_t>::max()};
  double limit_ps = cutoff * 1e12;
  if (objective.kind == ObjectiveKind::kWeighted) {
    limit_ps = cutoff / objective.makespan_weight *
               static_cast<double>(scale.reference_makespan.picoseconds);
  } else if (objective.kind == ObjectiveKind::kPeakMemory) {
    return kNone;
  }
  // Above every makespan whose score rounds to the cutoff. False for NaN: a weight of 0.
  const double safe_ps = limit_ps * (1.0 + 1e-12) + 2.0;
  return safe_ps < 9e18 ? SimTime{static_cast<std::int64_t>(safe_ps)} : kNone;
}

}  // namespace opyard::env
