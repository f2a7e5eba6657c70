// Writes the updates of a training to a tracker.
#pragma once

#include "experiments/tracking/tracker.h"
#include "experiments/training/training.h"

namespace opyard::experiments {

// `request` with a listener that writes each update, and then does what its own does. `tracker`
// outlives the training.
[[nodiscard]] TrainingRequest Tracked(TrainingRequest request, Tracker& tracker);

}  // namespace opyard::experiments
