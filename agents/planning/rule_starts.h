// Where searches begin that may look at what rules come to.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/planning/common_options.h"
#include "agents/planning/decisions.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

struct StartOptions {
  Start start = Start::kRules;
  std::int64_t num_levels = kDefaultLevels;
  std::int64_t evaluations_left = 0;
};

// StartsOfPlacements (simple_plans.h) of SimplePlacements, and where placement is a task also of
// the aware list schedules (aware_search.h) of heft and critical_path, and of METIS
// partitions: AffordableTries (metis_tries.h), but four on each number of devices at least.
[[nodiscard]] std::vector<Decisions> RuleStarts(const env::Problem& problem,
                                                const StartOptions& options,
                                                Rng& rng);

// The plans that a search judges first: RuleStarts, but no more of them than a quarter of the
// evaluations left or than SimpleStarts has; SimpleStarts; or one random plan.
[[nodiscard]] std::vector<Decisions> StartsFor(const env::Problem& problem,
                                               const StartOptions& options,
                                               Rng& rng);
// The same of a search that has what `evaluator` has left, whatever the options say of that: 1,000
// where evaluations have no limit.
[[nodiscard]] std::vector<Decisions> StartsFor(const env::Problem& problem,
                                               const env::Evaluator& evaluator,
                                               StartOptions options,
                                               Rng& rng);

}  // namespace opyard::agents
