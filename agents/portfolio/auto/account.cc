#include "agents/portfolio/auto/account.h"

#include <algorithm>
#include <functional>

namespace opyard::agents {
namespace {

std::string RulesText(const Account& account) {
  if (account.num_rules == 0) {
    return "";
  }
  if (account.num_rules == 1) {
    return "1 rule" + (account.best_rule.empty() ? "" : ", " + account.best_rule);
  }
  return std::to_string(account.num_rules) + " rules" +
         (account.best_rule.empty() ? "" : ", " + account.best_rule + " the best of them");
}

std::string SharesText(std::vector<SearchShare> searches) {
  std::ranges::stable_sort(searches, std::ranges::greater{}, &SearchShare::evaluations);
  std::int64_t total = 0;
  for (const SearchShare& search : searches) {
    total += search.evaluations;
  }
  std::string text;
  for (const SearchShare& search : searches) {
    if (search.evaluations > 0) {
      const std::int64_t percent = (200 * search.evaluations + total) / (2 * total);
      text += (text.empty() ? "" : ", ") + search.name + " " + std::to_string(percent) + " %";
    }
  }
  return text;
}

void AddClause(std::string& text, const std::string& clause) {
  text += (text.empty() || clause.empty() ? "" : "; ") + clause;
}

}  // namespace

std::string TextOf(const Account& account) {
  std::string text = RulesText(account);
  const std::string shares = SharesText(account.searches);
  AddClause(text, shares.empty() || text.empty() ? shares : "then " + shares);
  AddClause(text, account.origin.empty() ? "" : "the plan is from " + account.origin);
  return text;
}

}  // namespace opyard::agents
