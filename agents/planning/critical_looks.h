// Looks now and then at what holds up the present plan of a search.
#pragma once

#include <cstdint>
#include <optional>

#include "agents/base/option_table.h"
#include "agents/planning/moves.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

inline constexpr std::int64_t kMovesPerLook = 50;

// The option `look`.
template <class Settings>
[[nodiscard]] OptionRow<Settings> LookRow(std::int64_t Settings::*member) {
  return {.name = "look",
          .field = Whole(member, 0, 1'000'000'000),
          .meaning =
              "moves from one look at the critical path of the present plan to the next, each "
              "of which is an evaluation: moves begin on it the more often, the more that has "
              "paid; 0: it is never looked at",
          .paper = "0"};
}

// Keeps references to the problem and the evaluator.
class CriticalLooks {
 public:
  // `moves_per_look`: 0 never looks.
  CriticalLooks(const env::Problem& problem,
                env::Evaluator& evaluator,
                std::int64_t moves_per_look);

  // Is told of the plan that each move begins at, and says to `moves` where to begin once another
  // look is due and the plan is not that of the last one. A plan that does not complete tells
  // nothing.
  void BeforeMove(const sim::Plan& plan, Moves& moves);

 private:
  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  std::int64_t moves_per_look_;
  std::int64_t num_moves_;  // since the last look
  std::optional<sim::Plan> seen_;
};

}  // namespace opyard::agents
