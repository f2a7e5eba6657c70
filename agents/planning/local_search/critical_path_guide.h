// Directs the moves of a search at the critical path of its current plan.
#pragma once

#include <cstdint>
#include <optional>

#include "agents/base/option_table.h"
#include "agents/planning/local_search/moves.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

inline constexpr std::int64_t kCriticalPathInterval = 50;

// The option `critical_path_interval`.
template <class Settings>
[[nodiscard]] OptionRow<Settings> CriticalPathIntervalRow(std::int64_t Settings::*member) {
  return {.name = "critical_path_interval",
          .field = Whole(member, 0, 1'000'000'000),
          .meaning =
              "moves between two evaluations that find the critical path of the current plan: "
              "moves begin on it the more often, the more that has paid; 0: it is never found",
          .paper = "0"};
}

// Keeps references to the problem and the evaluator.
class CriticalPathGuide {
 public:
  // `critical_path_interval`: 0 never guide.
  CriticalPathGuide(const env::Problem& problem,
                    env::Evaluator& evaluator,
                    std::int64_t critical_path_interval);

  // Call it with the plan that each move begins at. Once an interval is over and the plan is not
  // that of the last evaluation, evaluates it in detail and gives `moves` the groups to begin at,
  // and the reassignments and changes of order that its critical path suggests.
  // Nothing changes where the plan does not complete.
  void BeforeMove(const sim::Plan& plan, Moves& moves);

 private:
  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  std::int64_t critical_path_interval_;
  std::int64_t num_moves_;  // since the last evaluation
  std::optional<sim::Plan> evaluated_;
};

}  // namespace opyard::agents
