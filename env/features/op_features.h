// One row of features per op: Observation::x.
#pragma once

#include <span>
#include <vector>

#include "env/features/edges.h"
#include "env/features/feature_scales.h"
#include "env/problem.h"

namespace opyard::env {

// [num_ops, kNumFeatures] row-major (columns.h). REQUIRES: `edges` as DistinctEdges gives them.
[[nodiscard]] std::vector<float> OpFeatures(const Problem& problem,
                                            std::span<const Edge> edges,
                                            const FeatureScales& scales);

}  // namespace opyard::env
