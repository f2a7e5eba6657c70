// Results of runs whose plan may not fit.
#pragma once

#include <optional>

#include "sim/base/error.h"
#include "sim/result/sim_result.h"

namespace opyard::testing {

// Nothing where the plan does not fit.
template <class Run>
std::optional<sim::SimResult> ResultOf(const Run& run) {
  try {
    return run();
  } catch (const PlanError&) {
    return std::nullopt;
  }
}

}  // namespace opyard::testing
