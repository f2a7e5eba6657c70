// The plans that searches evaluate first, those of rules among them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/decisions.h"
#include "env/evaluator.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

struct InitialPlanOptions {
  Start start = Start::kHeuristics;
  std::int64_t num_levels = kDefaultLevels;
  std::int64_t evaluations_left = 0;
};

// The plans that a search evaluates first. kHeuristics: InitialPlansOfPlacements (simple_plans.h)
// of SimplePlacements, and where placement is a task also of the aware list schedules
// (aware_search.h) of heft and critical_path, and of METIS partitions: AffordableTries
// (metis_tries.h), but four on each number of devices at least; no more of all these than a quarter
// of the evaluations left or than SimpleInitialPlans has. kSimple: SimpleInitialPlans.
// kSingleDevice: InitialPlansOfPlacements of SingleDevicePlacements alone. kRandom: one random
// plan. kNetwork: none.
[[nodiscard]] std::vector<Decisions> InitialPlans(const env::Problem& problem,
                                                  const InitialPlanOptions& options,
                                                  Rng& rng);
// The placements of list schedules with the keys of heft and of critical_path: on all views
// (aware_search.h), or on the first that has all main devices.
enum class ListScheduleViews : std::uint8_t { kFirst, kAll };
[[nodiscard]] std::vector<env::GroupPlacement> ListSchedulePlacements(
    const env::Problem& problem,
    ListScheduleViews views,
    std::optional<double> memory_share = std::nullopt);  // as in ListScheduleOptions

// The plans of a search that has what `evaluator` has left, whatever the options say of that: 1,000
// where evaluations have no limit.
[[nodiscard]] std::vector<Decisions> InitialPlans(const env::Problem& problem,
                                                  const env::Evaluator& evaluator,
                                                  InitialPlanOptions options,
                                                  Rng& rng);

}  // namespace opyard::agents
