// Writes the trials of a tuning to a tracker.
#pragma once

#include <string>

#include "experiments/tracking/tracker.h"
#include "experiments/tuning/tuning.h"

namespace opyard::experiments {

// `request` with listeners that write each trial, a run "tuning/AGENT/trial007": its parameters
// that are numbers, its score on each problem as that is known, and its mean improvement after each
// round, whose step is the number of problems. `tracker` outlives the tuning.
[[nodiscard]] TuningRequest Tracked(TuningRequest request, Tracker& tracker);

}  // namespace opyard::experiments
