// One row of features per ordered pair of devices: Observation::pair_x.
#pragma once

#include <vector>

#include "env/features/feature_scales.h"
#include "env/problem.h"

namespace opyard::env {

// [num_devices, num_devices, kNumPairFeatures] row-major, sources first (columns.h).
[[nodiscard]] std::vector<float> PairFeatures(const Problem& problem, const FeatureScales& scales);

}  // namespace opyard::env
