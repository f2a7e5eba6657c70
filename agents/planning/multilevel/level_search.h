// A search that goes from level to level of one problem.
#pragma once

#include <functional>

#include "agents/base/search_context.h"
#include "agents/planning/multilevel/levels.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// A search on one level: from the start in `context` until `evaluator` is done. `view` is the
// problem with the groups of that level; the finest one is always the same object.
using SearchOneLevel = std::function<void(
    const env::Problem& view, env::Evaluator& evaluator, Rng& rng, const SearchContext& context)>;

// Calls `search` again and again, each time with `slice_share` of the budget and from the best plan
// so far, until the evaluator is done. Groups of a level are merged within what that plan treats
// alike (Levels::ViewUnder), so that no level loses it. Levels are sampled by how often a slice on
// them has made the plan better (operator_selection.h). With one level, `search` has all that is
// left. The device affinity in `context` is that of `problem`'s grouping. REQUIRES: a plan was
// evaluated.
//
// As multilevel partitioners go up and down their hierarchies (Walshaw, "Multilevel refinement for
// combinatorial optimisation problems", Annals of OR 2004; V-cycles). Deviation: the next level is
// sampled.
void SearchLevels(const env::Problem& problem,
                  const Levels& levels,
                  env::Evaluator& evaluator,
                  Rng& rng,
                  const SearchContext& context,
                  double slice_share,
                  const SearchOneLevel& search);

}  // namespace opyard::agents
