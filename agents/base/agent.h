// The interface of an agent: a search over the plans of one problem.
#pragma once

#include "agents/base/search_context.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// Searches until the evaluator is done or nothing is left to try. The answer is evaluator.best():
// every plan worth anything goes through the evaluator. Deterministic: the plans, and their order,
// depend only on problem, options, rng and, where they have to, on evaluator results and
// UsedShare(), never on the number of threads. An agent that learns reports to `context.listener`
// each update, which changes nothing in the search.
class Agent {
 public:
  virtual ~Agent() = default;
  virtual void Search(const env::Problem& problem,
                      env::Evaluator& evaluator,
                      Rng& rng,
                      const SearchContext& context) = 0;
};

}  // namespace opyard::agents
