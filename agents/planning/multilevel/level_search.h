// A search that goes from level to level of one problem.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "agents/base/option_table.h"
#include "agents/base/search_context.h"
#include "agents/planning/encoding/evaluated_plan.h"
#include "agents/planning/local_search/operator_selection.h"
#include "agents/planning/multilevel/levels.h"
#include "env/budget.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// A search on one level, from the start in `context` until `evaluator` is done. `view` is the
// problem with the groups of that level.
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

// `share` of the whole budget of `evaluator`, but 30 evaluations at least.
[[nodiscard]] env::Evaluator LevelSlice(env::Evaluator& evaluator, double share);

// A search over the levels of one problem. Groups of a level are merged within what the plan that a
// slice begins at treats alike (Levels::ViewUnder), so that no level loses it. Levels are sampled
// by how often a slice on them has made the plan better (operator_selection.h), those of more
// groups than evaluations less at first.
//
// As multilevel partitioners go up and down their hierarchies (Walshaw, "Multilevel refinement for
// combinatorial optimisation problems", Annals of OR 2004; V-cycles). Deviation: the next level is
// sampled.
class LevelSearch {
 public:
  // `budget`: that of the whole search. The elites in `context` are those of `search`, and its
  // device affinity is that of `problem`'s grouping. REQUIRES: `problem` and `levels` outlive it.
  LevelSearch(const env::Problem& problem,
              const Levels& levels,
              const env::Budget& budget,
              SearchOneLevel search,
              SearchContext context);

  // Races `starts` (start_race.h) for `share` of what is left of the budget, on the finest level of
  // at most 1,024 groups. Returns them as they have become, the best first.
  std::vector<EvaluatedPlan> Race(std::vector<EvaluatedPlan> starts,
                                  double share,
                                  env::Evaluator& evaluator,
                                  Rng& rng);

  // Searches from `start` on a sampled level until `slice` is done. Returns the better of `start`
  // and what was found.
  EvaluatedPlan SearchSlice(EvaluatedPlan start, env::Evaluator& slice, Rng& rng);

  // Adds the placements of `plans` to the elites.
  void AddElites(const std::vector<EvaluatedPlan>& plans);

 private:
  [[nodiscard]] std::size_t RaceLevel() const;
  EvaluatedPlan SearchOn(std::size_t level, EvaluatedPlan start, env::Evaluator& slice, Rng& rng);

  const env::Problem& problem_;
  const Levels& levels_;
  SearchOneLevel search_;
  SearchContext context_;
  OperatorSelection gains_;  // of the levels
};

}  // namespace opyard::agents
