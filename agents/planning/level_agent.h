// An agent that searches on several levels of groups.
#pragma once

#include <cstdint>

#include "agents/base/agent.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/multilevel/level_search.h"
#include "agents/planning/multilevel/levels.h"

namespace opyard::agents {

struct LevelAgentOptions {
  Start start = Start::kHeuristics;
  std::int64_t num_levels = kDefaultLevels;  // of priorities
  double slice_share = 0.05;  // of the budget, for a slice on a level, but 30 evaluations at least
  double race_share = 0.3;    // of what is left of the budget, for the race of the starts
};

class LevelAgent : public Agent {
 public:
  // The search on one of `levels`. Valid as long as this agent and `levels`.
  [[nodiscard]] virtual SearchOneLevel OnLevels(const Levels& levels) const = 0;

 protected:
  // The start in `context`, else EvaluateLevelStarts; the race of the starts, which become the
  // elites; then slice after slice, each from the best plan so far, until the evaluator is done.
  // With one level, one slice has all that is left. A problem with one plan has that plan
  // evaluated.
  void SearchLevels(const env::Problem& problem,
                    env::Evaluator& evaluator,
                    Rng& rng,
                    const SearchContext& context,
                    const LevelAgentOptions& options) const;
};

}  // namespace opyard::agents
