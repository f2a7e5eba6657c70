#include "agents/portfolio/auto/auto_search.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "agents/base/agent_registry.h"
#include "agents/base/slice.h"
#include "agents/planning/level_agent.h"
#include "agents/planning/level_starts.h"
#include "agents/planning/multilevel/level_search.h"

namespace opyard::agents {
namespace {

constexpr double kHeuristicShare = 0.1;              // of the budget, for all heuristics together
constexpr double kLeastForHeuristics = 20.0;         // evaluations
constexpr double kStartShare = 0.8;                  // of those, for the starts on all levels
constexpr double kRuleShare = 0.2;                   // of those, at most for one rule
constexpr double kRaceShare = 0.2;                   // of what is left of it
constexpr double kNextShare = 0.5;                   // of what is left of it, at most for one slice
constexpr std::int64_t kEvaluationsOfTime = 10'000;  // where they have no limit
constexpr std::int64_t kEvaluationsPerOp = 20;       // for list_search, whose state is a key per op
constexpr std::int64_t kLeastForCrossEntropy = 2'000;  // a probe then holds five batches
constexpr std::int64_t kLeastForBrkga = 20'000;        // and so many generations of a hundred
constexpr double kLeastInProbe = 30.0;                 // evaluations
constexpr const char* kStarts = "initial_plans";
constexpr const char* kRacer = "local_search";

// Whether the budget is large enough for a search that needs many evaluations.
bool HasEnoughEvaluations(const AgentEntry& entry,
                          const env::Problem& problem,
                          const env::Evaluator& evaluator) {
  const std::int64_t evaluations =
      evaluator.options().budget.evaluations.value_or(kEvaluationsOfTime);
  if (entry.info.name == "list_search") {
    return evaluations >= kEvaluationsPerOp * static_cast<std::int64_t>(problem.graph().num_ops());
  }
  if (entry.info.name == "cross_entropy") {
    return evaluations >= kLeastForCrossEntropy;
  }
  return entry.info.name != "brkga" || evaluations >= kLeastForBrkga;
}

}  // namespace

AutoSearch::AutoSearch(const AutoSettings& settings,
                       std::span<const AgentEntry> entries,
                       const env::Problem& problem,
                       env::Evaluator& evaluator,
                       Rng& rng)
    : settings_(settings), problem_(problem), evaluator_(evaluator), rng_(rng), levels_(problem) {
  for (const AgentEntry& entry : entries) {
    if (!FindTaskProblem(entry.info, problem.tasks()).has_value() &&
        HasEnoughEvaluations(entry, problem, evaluator)) {
      AddMember(entry);
    }
  }
}

void AutoSearch::AddMember(const AgentEntry& entry) {
  Options defaults;
  PortfolioMember member{.entry = &entry, .agent = entry.make(defaults)};
  if (const auto* agent = dynamic_cast<const LevelAgent*>(member.agent.get()); agent != nullptr) {
    member.on_levels = std::make_unique<LevelSearch>(
        problem_, levels_, evaluator_.options().budget, agent->OnLevels(levels_), SearchContext{});
  }
  const bool is_rule = entry.info.kind == AgentKind::kClassical;
  (is_rule ? rules_ : searches_).push_back(std::move(member));
}

void AutoSearch::EvaluateHeuristics() {
  const double share = ShareOrLeast(kHeuristicShare, kLeastForHeuristics);
  env::Evaluator heuristics = SliceOf(evaluator_, share);
  env::Evaluator slice = SliceOf(heuristics, kStartShare);
  starts_ = EvaluateLevelStarts(problem_,
                                levels_,
                                slice,
                                {.start = settings_.start,
                                 .most = kStartShare * share,
                                 .evaluations = evaluator_.options().budget.evaluations},
                                rng_);
  if (!starts_.empty()) {
    origin_ = kStarts;
    best_fitness_ = starts_.front().fitness;
  }
  const bool has_rules = settings_.start == Start::kHeuristics;
  for (std::size_t i = 0; has_rules && i < rules_.size() && !heuristics.is_done(); ++i) {
    env::Evaluator part = heuristics.Slice(kRuleShare);
    Rng own = rng_;  // the plans that the rule finds alone
    rules_[i].agent->Search(problem_, part, own, {});
    Count(rules_[i], part);
  }
  best_rule_ = origin_;
}

void AutoSearch::RunSearches() {
  Race();
  const std::optional<EvaluatedPlan> first = BestPlanOf(evaluator_);
  const double probe = ProbeShare();
  for (PortfolioMember& search : searches_) {
    search.own = first;
    RunSlice(search, probe);
  }
  while (!evaluator_.is_done()) {
    PortfolioMember* next = MostPromising(searches_);
    if (next == nullptr) {
      return;
    }
    const std::optional<EvaluatedPlan> best = BestPlanOf(evaluator_);
    if (ExpectedFitness(*next, probe) > best->fitness) {
      next->own = best;
    }
    RunSlice(*next, NextShare(*next));
  }
}

// The starts become the elites of all searches.
void AutoSearch::Race() {
  const auto racer = std::ranges::find_if(searches_, [](const PortfolioMember& member) {
    return member.entry->info.name == kRacer && member.on_levels != nullptr;
  });
  if (racer == searches_.end()) {
    return;
  }
  const std::int64_t before = evaluator_.num_evaluations();
  starts_ = racer->on_levels->Race(std::move(starts_), kRaceShare, evaluator_, rng_);
  racer->num_evaluations += evaluator_.num_evaluations() - before;
  for (PortfolioMember& member : searches_) {
    if (member.on_levels != nullptr) {
      member.on_levels->AddElites(starts_);
    }
  }
  if (!starts_.empty() && best_fitness_.has_value() && starts_.front().fitness < *best_fitness_) {
    origin_ = kRacer;
    best_fitness_ = starts_.front().fitness;
  }
}

// `share` of the budget, but `least` evaluations at least, or all that there are.
double AutoSearch::ShareOrLeast(double share, double least) const {
  const std::optional<std::int64_t>& evaluations = evaluator_.options().budget.evaluations;
  const double needed = evaluations.has_value() ? least / static_cast<double>(*evaluations) : 0.0;
  return std::min(1.0, std::max(share, needed));
}

double AutoSearch::ProbeShare() const {
  return ShareOrLeast(settings_.probe_fraction, kLeastInProbe);
}

// As in a probe where the next slice may be on another level; else twice the last slice if that
// gained, but no more than half of what is left.
double AutoSearch::NextShare(const PortfolioMember& search) const {
  const bool samples_levels = search.on_levels != nullptr && levels_.size() > 1;
  const bool goes_on = !samples_levels && search.gain_per_share > 0.0;
  const double most = kNextShare * (1.0 - evaluator_.UsedShare());
  const double wanted = goes_on ? std::min(2.0 * search.last_share, most) : 0.0;
  return std::min(1.0, std::max(ProbeShare(), wanted));
}

void AutoSearch::RunSlice(PortfolioMember& search, double share) {
  const double share_before = evaluator_.UsedShare();
  env::Evaluator slice = SliceOf(evaluator_, share);
  Rng own =
      rng_.Fork(static_cast<std::uint64_t>(&search - searches_.data())).Fork(++search.num_slices);
  if (search.on_levels != nullptr && search.own.has_value()) {
    search.on_levels->SearchSlice(*search.own, slice, own);
  } else {
    SearchWhole(search, slice, own);
  }
  Count(search, slice);
  AddSlice(search, evaluator_.UsedShare() - share_before, BestPlanOf(slice));
}

void AutoSearch::SearchWhole(PortfolioMember& search, env::Evaluator& slice, Rng& rng) const {
  SearchContext context;
  if (search.own.has_value()) {
    context.start = search.own->plan;
  }
  for (const EvaluatedPlan& elite : starts_) {
    context.elites.push_back(elite.plan.placement);
  }
  search.agent->Search(problem_, slice, rng, context);
}

// Counts what `member` did with `slice`.
void AutoSearch::Count(PortfolioMember& member, const env::Evaluator& slice) {
  member.is_spent = !slice.is_done() || slice.num_evaluations() == 0;
  member.num_evaluations += slice.num_evaluations();
  if (slice.best().has_value()) {
    const Fitness found = FitnessOf(slice.best()->evaluation);
    if (!best_fitness_.has_value() || found < *best_fitness_) {
      origin_ = member.entry->info.name;
      best_fitness_ = found;
    }
  }
}

Account AutoSearch::TakeAccount() const {
  Account account{.best_rule = best_rule_, .origin = origin_};
  account.num_rules = static_cast<std::size_t>(std::ranges::count_if(
      rules_, [](const PortfolioMember& rule) { return rule.num_evaluations > 0; }));
  for (const PortfolioMember& search : searches_) {
    account.searches.push_back(
        {.name = search.entry->info.name, .evaluations = search.num_evaluations});
  }
  return account;
}

}  // namespace opyard::agents
