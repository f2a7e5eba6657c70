// Messages to an agent in another process: texts of JSON that opyard's own code reads there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/options.h"

namespace opyard::experiments {

// Asks what the agent is; it answers with a description, or that it gives up.
[[nodiscard]] std::string DescribeRequest(const std::string& agent, const std::string& version);

struct SearchRequestText {
  std::string agent;
  std::string version;  // of opyard, the same on both sides
  Options params;       // the agent's own
  std::int64_t seed = 0;
  std::int64_t memory_bytes = 0;
  env::Budget budget;
};

// Asks for a search: of the same problem, its graph and machine included, as texts.
[[nodiscard]] std::string SearchRequestOf(const SearchRequestText& request,
                                          const env::Problem& problem);

// The results of plans that were to be evaluated: fewer evaluations than plans if the budget is
// spent, or if the plan after them is not legal; then `illegal` says why.
[[nodiscard]] std::string EvaluationsAnswer(const std::vector<env::Evaluation>& evaluations,
                                            const std::string& illegal,
                                            const env::Evaluator& evaluator);

}  // namespace opyard::experiments
