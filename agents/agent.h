// What every agent is: a search over the plans of one problem.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agents/training_point.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

enum class AgentKind : std::uint8_t { kClassical, kSearch, kLearned };

// What a table of agents says about one.
struct AgentInfo {
  std::string name;  // snake_case, unique
  AgentKind kind = AgentKind::kClassical;
  std::vector<std::string> tasks;  // of "placement", "scheduling", "fusion": what it decides
  std::string paper;               // "authors, venue year", or "" for none
  std::string summary;             // one sentence
};

// Searches until the evaluator is done or nothing is left to try. The answer is evaluator.best():
// every plan worth anything goes through the evaluator. Deterministic: the plans, and their order,
// depend only on problem, options, rng and, where they have to, on evaluator results and
// UsedShare(), never on the number of threads. An agent that learns tells `listener` about each
// update, which changes nothing in the search.
class Agent {
 public:
  virtual ~Agent() = default;
  virtual void Search(const env::Problem& problem,
                      env::Evaluator& evaluator,
                      Rng& rng,
                      const TrainingListener& listener) = 0;
};

}  // namespace opyard::agents
