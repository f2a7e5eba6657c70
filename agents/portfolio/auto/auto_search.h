// One search by a portfolio.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agents/base/agent_entry.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/evaluated_plan.h"
#include "agents/planning/multilevel/levels.h"
#include "agents/portfolio/auto/account.h"
#include "agents/portfolio/auto/portfolio.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

struct AutoSettings {
  double probe_fraction = 0.05;
  Start start = Start::kHeuristics;
};

// As AutoEntry says (auto.h).
class AutoSearch {
 public:
  // Takes the `entries` that have something to decide in `problem` and enough evaluations for it.
  // REQUIRES: all arguments outlive it.
  AutoSearch(const AutoSettings& settings,
             std::span<const AgentEntry> entries,
             const env::Problem& problem,
             env::Evaluator& evaluator,
             Rng& rng);

  // The starts on all levels, and then the rules.
  void EvaluateHeuristics();
  // The race of the starts by local_search; then the searches, until the evaluator is done or none
  // has anything left to try. REQUIRES: a plan was evaluated, or it is done.
  void RunSearches();

  [[nodiscard]] Account TakeAccount() const;

 private:
  void AddMember(const AgentEntry& entry);
  void Race();
  [[nodiscard]] double ShareOrLeast(double share, double least) const;
  [[nodiscard]] double ProbeShare() const;
  [[nodiscard]] double NextShare(const PortfolioMember& search) const;
  void RunSlice(PortfolioMember& search, double share);
  void SearchWhole(PortfolioMember& search, env::Evaluator& slice, Rng& rng) const;
  void Count(PortfolioMember& member, const env::Evaluator& slice);

  const AutoSettings& settings_;
  const env::Problem& problem_;
  env::Evaluator& evaluator_;
  Rng& rng_;
  Levels levels_;
  std::vector<PortfolioMember> rules_;
  std::vector<PortfolioMember> searches_;
  std::vector<EvaluatedPlan> starts_;  // the best ones, later as the race has left them
  std::string best_rule_;              // whose plan was the best before the searches
  std::string origin_;                 // whose plan is the best so far
  std::optional<Fitness> best_fitness_;
};

}  // namespace opyard::agents
