// The account of a portfolio's search: the agents that were asked, and the origin of the plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace opyard::agents {

struct SearchShare {
  std::string name;
  std::int64_t evaluations = 0;
};

struct Account {
  std::size_t num_rules = 0;          // that had an evaluation
  std::string best_rule;              // "" if none of them found a plan
  std::vector<SearchShare> searches;  // those without evaluations, too
  std::string origin;                 // whose plan is the best; "" if it is where the search began
};

// "12 rules, metis the best of them; then local_search 60 %, brkga 40 %; the plan is from brkga":
// only the clauses that have something to say, shares of evaluations, those with most first. "" if
// none has.
[[nodiscard]] std::string TextOf(const Account& account);

}  // namespace opyard::agents
