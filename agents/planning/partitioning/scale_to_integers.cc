#include "agents/planning/partitioning/scale_to_integers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opyard::agents {

std::vector<std::int32_t> ScaleToIntegers(std::span<const double> values, double total) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::vector<std::int32_t> weights;
  for (const double value : values) {
    const double share = sum > 0.0 ? value / sum : 0.0;
    weights.push_back(std::max(1, static_cast<std::int32_t>(std::llround(share * total))));
  }
  return weights;
}

}  // namespace opyard::agents
