#include "agents/portfolio/auto/portfolio.h"

#include <algorithm>
#include <utility>

namespace opyard::agents {
namespace {

// The share by which the score fell, 0 where it did not; 1 where a first plan completed.
double GainOf(const std::optional<EvaluatedPlan>& before,
              const std::optional<EvaluatedPlan>& after) {
  if (!after.has_value() || after->fitness.is_infeasible) {
    return 0.0;
  }
  if (!before.has_value() || before->fitness.is_infeasible) {
    return 1.0;
  }
  const double from = before->fitness.value;
  return from > 0.0 ? std::max(0.0, (from - after->fitness.value) / from) : 0.0;
}

}  // namespace

void AddSlice(PortfolioMember& member, double share, const std::optional<EvaluatedPlan>& found) {
  member.last_share = share;
  member.used_share += share;
  member.gain_per_share = GainOf(member.own, found) / std::max(share, 1e-9);
  if (found.has_value() && (!member.own.has_value() || found->fitness < member.own->fitness)) {
    member.own = found;
  }
}

Fitness ExpectedFitness(const PortfolioMember& member, double share) {
  Fitness fitness = member.own->fitness;
  if (!fitness.is_infeasible) {
    fitness.value *= 1.0 - std::min(1.0, member.gain_per_share * share);
  }
  return fitness;
}

PortfolioMember* MostPromising(std::span<PortfolioMember> members) {
  PortfolioMember* best = nullptr;
  const auto rank = [](const PortfolioMember& member) {
    return std::pair(-member.gain_per_share, member.used_share);
  };
  for (PortfolioMember& member : members) {
    if (!member.is_spent && member.own.has_value() &&
        (best == nullptr || rank(member) < rank(*best))) {
      best = &member;
    }
  }
  return best;
}

}  // namespace opyard::agents
