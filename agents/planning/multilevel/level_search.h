// A search that goes from level to level of one problem.
#pragma once

#include <functional>
#include <vector>

#include "agents/base/option_table.h"
#include "agents/base/search_context.h"
#include "agents/planning/encoding/evaluated_plan.h"
#include "agents/planning/multilevel/levels.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// A search on one level: from the start in `context` until `evaluator` is done. `view` is the
// problem with the groups of that level; the finest one is always the same object.
using SearchOneLevel = std::function<void(
    const env::Problem& view, env::Evaluator& evaluator, Rng& rng, const SearchContext& context)>;

// The option `slice`.
template <class Settings>
[[nodiscard]] OptionRow<Settings> SliceRow(double Settings::*member) {
  return {.name = "slice",
          .field = Real(member, 0.001, 1.0),
          .meaning =
              "share of the budget, but 30 evaluations at least, after which another level "
              "of coarser or finer groups is sampled"};
}

struct LevelSearchOptions {
  double slice_share = 0.05;  // of the budget, for one call on a level, but 30 evaluations at least
  double race_share = 0.3;    // of what is left of it, for the race of the starts
};

// The starts race first (start_race.h), on the finest level of at most 1,024 groups. Then `search`
// is called again and again, from the best plan so far, until the evaluator is done. Groups of a
// level are merged within what that plan treats alike (Levels::ViewUnder), so that no level loses
// it. Levels are sampled by how often a slice on them has made the plan better
// (operator_selection.h). With one level, `search` has all that is left. What the starts have
// become are the elites of `search`, beside those in `context`. The device affinity in `context` is
// that of `problem`'s grouping. REQUIRES: `starts` were evaluated by `evaluator`, or are none and
// it is done.
//
// As multilevel partitioners go up and down their hierarchies (Walshaw, "Multilevel refinement for
// combinatorial optimisation problems", Annals of OR 2004; V-cycles). Deviation: the next level is
// sampled.
void SearchLevels(const env::Problem& problem,
                  const Levels& levels,
                  std::vector<EvaluatedPlan> starts,
                  env::Evaluator& evaluator,
                  Rng& rng,
                  const SearchContext& context,
                  const LevelSearchOptions& options,
                  const SearchOneLevel& search);

}  // namespace opyard::agents
