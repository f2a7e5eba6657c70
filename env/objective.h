// Objectives, which agents minimise, and the decisions that may change.
#pragma once

#include <cstdint>

#include "sim/base/units.h"
#include "sim/result/sim_result.h"

namespace opyard::env {

enum class ObjectiveKind : std::uint8_t { kMakespan, kPeakMemory, kWeighted };

// The figure that every agent of a problem makes small.
struct Objective {
  ObjectiveKind kind = ObjectiveKind::kMakespan;
  double makespan_weight = 1.0;     // for kWeighted: per multiple of the reference makespan
  double peak_memory_weight = 0.0;  // for kWeighted: per multiple of the largest device's capacity
};

// The figures that make the parts of a weighted objective comparable.
struct ObjectiveScale {
  SimTime reference_makespan;
  Bytes largest_capacity;
};

// The score of a completed run, lower is better: seconds (kMakespan), bytes (kPeakMemory), or the
// weighted sum of the two as multiples of `scale`. REQUIRES: result.outcome == kCompleted.
[[nodiscard]] double Score(const Objective& objective,
                           const ObjectiveScale& scale,
                           const sim::SimResult& result);

// A makespan that no run with a score of at most `cutoff` exceeds; the largest where the makespan
// alone says nothing about the score.
[[nodiscard]] SimTime MakespanLimit(const Objective& objective,
                                    const ObjectiveScale& scale,
                                    double cutoff);

// The decisions that an agent takes; the problem's defaults stand for the others.
struct TaskSet {
  bool placement = true;
  bool scheduling = false;
  bool fusion = false;
  friend bool operator==(const TaskSet&, const TaskSet&) = default;
};

}  // namespace opyard::env
