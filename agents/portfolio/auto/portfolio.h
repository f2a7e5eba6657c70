// The searches of a portfolio: what each found, and which goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "agents/base/agent.h"
#include "agents/base/agent_entry.h"
#include "agents/planning/encoding/evaluated_plan.h"
#include "agents/planning/encoding/fitness.h"
#include "agents/planning/multilevel/level_search.h"

namespace opyard::agents {

// A member, and what its slices of the budget came to.
struct PortfolioMember {
  const AgentEntry* entry = nullptr;
  std::unique_ptr<Agent> agent;            // at its defaults
  std::unique_ptr<LevelSearch> on_levels;  // of a LevelAgent
  std::optional<EvaluatedPlan> own;        // the best plan that it found or began at
  double gain_per_share = 0.0;             // by which its last slice made that better, relative
  double last_share = 0.0;                 // of the budget, of that slice
  double used_share = 0.0;
  std::int64_t num_evaluations = 0;
  std::uint64_t num_slices = 0;
  bool is_spent = false;  // nothing is left for it to try, or too little budget to try it
};

// Takes down a slice in which `member` used `share` of the budget and found `found`.
void AddSlice(PortfolioMember& member, double share, const std::optional<EvaluatedPlan>& found);

// The fitness of its plan if it gains at the pace of its last slice for `share` of the budget.
// REQUIRES: member.own.
[[nodiscard]] Fitness ExpectedFitness(const PortfolioMember& member, double share);

// The one whose last slice gained most for its share, of equals the one that has used least; null
// if none has anything left to try.
[[nodiscard]] PortfolioMember* MostPromising(std::span<PortfolioMember> members);

}  // namespace opyard::agents
