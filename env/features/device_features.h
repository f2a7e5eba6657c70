// One row of features per device: Observation::device_x.
#pragma once

#include <vector>

#include "env/features/feature_scales.h"
#include "env/problem.h"

namespace opyard::env {

// [num_devices, kNumDeviceFeatures] row-major (columns.h). O(ops · devices).
[[nodiscard]] std::vector<float> DeviceFeatures(const Problem& problem,
                                                const FeatureScales& scales);

}  // namespace opyard::env
