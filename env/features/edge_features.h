// One row of features per edge: Observation::edge_x.
#pragma once

#include <span>
#include <vector>

#include "env/features/edges.h"
#include "env/features/feature_scales.h"

namespace opyard::env {

// [num_edges, kNumEdgeFeatures] row-major (columns.h).
[[nodiscard]] std::vector<float> EdgeFeatures(std::span<const Edge> edges,
                                              const FeatureScales& scales);

}  // namespace opyard::env
