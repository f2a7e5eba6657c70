// The plans that a search on several levels begins at the best of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agents/base/search_context.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/evaluated_plan.h"
#include "agents/planning/multilevel/levels.h"
#include "env/evaluator.h"
#include "sim/base/rng.h"

namespace opyard::agents {

inline constexpr std::size_t kMostStarts = 8;

struct LevelStartOptions {
  Start start = Start::kHeuristics;
  std::int64_t num_levels = 20;  // of priorities
  double most = 0.25;            // of `evaluations`
  // The evaluations of the search that begins here; nothing: those that the evaluator has left, and
  // 1,000 where it has no limit.
  std::optional<std::int64_t> evaluations = {};
};

// Evaluates plans, no placement twice, for at most `options.most` of the evaluations. kHeuristics:
// each device alone and contiguous splits of the finest level, and on each level partitions by
// METIS, one on each of DeviceSets, and list schedules of heft and of critical_path
// (aware_search.h). Further partitions, about one for every 20 evaluations in all, go to the better
// half of the levels, and half of those, until one is left (successive halving); the level whose
// schedules are best has those on all views. Partitions keep to the devices' memory (metis_memory)
// if none of them completes without. Where scheduling is a task, ops are in the order of their
// upward ranks, and the best three placements are also evaluated with equal priorities. Other
// starts: the plans of InitialPlans (all_initial_plans.h). Returns the best kMostStarts plans, the
// best first.
std::vector<EvaluatedPlan> EvaluateLevelStarts(const env::Problem& problem,
                                               const Levels& levels,
                                               env::Evaluator& evaluator,
                                               const LevelStartOptions& options,
                                               Rng& rng);

// Evaluates the start that `context` names and returns it; without one, those of
// EvaluateLevelStarts.
std::vector<EvaluatedPlan> EvaluateStarts(const env::Problem& problem,
                                          const Levels& levels,
                                          env::Evaluator& evaluator,
                                          const LevelStartOptions& options,
                                          const SearchContext& context,
                                          Rng& rng);

}  // namespace opyard::agents
