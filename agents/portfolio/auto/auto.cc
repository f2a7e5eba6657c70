#include "agents/portfolio/auto/auto.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "agents/base/agent_registry.h"
#include "agents/base/make_entry.h"
#include "agents/base/slice.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/level_starts.h"
#include "agents/planning/local_search/start_race.h"
#include "agents/planning/multilevel/levels.h"
#include "agents/portfolio/auto/account.h"
#include "agents/portfolio/auto/portfolio.h"

namespace opyard::agents {
namespace {

constexpr double kHeuristicShare = 0.1;              // of the budget, for all heuristics together
constexpr double kStartShare = 0.08;                 // of it, for the starts on all levels
constexpr double kRuleShare = 0.02;                  // of it, at most for one rule
constexpr double kNextShare = 0.5;                   // of what is left of it, at most for one slice
constexpr std::int64_t kEvaluationsOfTime = 10'000;  // where they have no limit
constexpr std::int64_t kEvaluationsPerOp = 20;       // for list_search, whose state is a key per op
constexpr std::int64_t kLeastForCrossEntropy = 2'000;  // a probe then holds five batches
constexpr std::int64_t kLeastForBrkga = 20'000;        // and so many generations of a hundred
constexpr double kLeastInProbe = 30.0;                 // evaluations
constexpr double kRaceShare = 0.2;                     // of what is left of the budget
constexpr const char* kStarts = "initial_plans";

struct AutoSettings {
  double probe_fraction = 0.05;
  Start start = Start::kHeuristics;
};

OptionTable<AutoSettings> AutoOptions() {
  return OptionTable<AutoSettings>(
      {{.name = "probe_fraction",
        .field = Real(&AutoSettings::probe_fraction, 0.001, 0.5),
        .meaning = "share of the budget that each search is given before they are compared, and "
                   "the least that one is given later"},
       {.name = "start",
        .field = Word(&AutoSettings::start, StartWords()),
        .meaning = "what the searches begin at the best of: the plans of all rules, partitioners "
                   "and list schedulers (rules); " +
                   SimpleStartMeaning() + "; or a random plan (random)"}});
}

class Auto final : public Agent {
 public:
  using Members = std::shared_ptr<const std::vector<AgentEntry>>;

  Auto(const AutoSettings& settings, Members members)
      : settings_(settings), members_(std::move(members)) {}

  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context) override {
    if (context.start.has_value() || HasOnePlan(problem)) {
      evaluator.Evaluate(context.start.value_or(ToPlan(problem, {})));
    }
    if (HasOnePlan(problem)) {
      return;
    }
    std::vector<PortfolioMember> members = MembersFor(problem, evaluator);
    const auto first_search = std::ranges::stable_partition(members, IsRule).begin();
    const std::span<PortfolioMember> rules(members.begin(), first_search);
    const std::span<PortfolioMember> searches(first_search, members.end());
    if (settings_.start == Start::kHeuristics || !context.start.has_value()) {
      EvaluateHeuristics(rules, problem, evaluator, rng);
    }
    Account account{.num_rules = CountAsked(rules), .best_rule = best_};
    Race(searches, problem, evaluator, rng);
    RunSearches(searches, problem, evaluator, rng);
    account.searches = SharesOf(searches);
    account.origin = best_;
    const std::string text = TextOf(account);
    if (context.report && !text.empty()) {
      context.report(text);
    }
  }

 private:
  void EvaluateHeuristics(std::span<PortfolioMember> rules,
                          const env::Problem& problem,
                          env::Evaluator& evaluator,
                          Rng& rng) {
    env::Evaluator heuristics = SliceOf(evaluator, kHeuristicShare);
    env::Evaluator starts = SliceOf(heuristics, kStartShare / kHeuristicShare);
    starts_ = EvaluateLevelStarts(problem,
                                  Levels(problem),
                                  starts,
                                  {.start = settings_.start,
                                   .most = kStartShare,
                                   .evaluations = evaluator.options().budget.evaluations},
                                  rng);
    if (const std::optional<EvaluatedPlan> found = BestPlanOf(starts); found.has_value()) {
      best_ = kStarts;
      best_fitness_ = found->fitness;
    }
    for (PortfolioMember& rule : rules) {
      if (!heuristics.is_done()) {
        env::Evaluator slice = heuristics.Slice(kRuleShare / kHeuristicShare);
        Rng own = rng;  // the plans that it finds alone
        Run(rule, {}, problem, slice, own);
      }
    }
  }

  // The starts race (start_race.h), improved by local_search.
  void Race(std::span<PortfolioMember> searches,
            const env::Problem& problem,
            env::Evaluator& evaluator,
            const Rng& rng) {
    const auto search = std::ranges::find(
        searches, "local_search", [](const PortfolioMember& member) -> const std::string& {
          return member.entry->info.name;
        });
    if (search == searches.end()) {
      return;
    }
    starts_ = RaceStarts(std::move(starts_),
                         evaluator,
                         {.share = kRaceShare},
                         [&](EvaluatedPlan plan, double until) {
                           search->own = std::move(plan);
                           const double share = until - evaluator.UsedShare();
                           RunSearch(*search, std::max(0.0, share), problem, evaluator, rng);
                           return *search->own;
                         });
  }

  // Each search first has `probe_fraction`, all from the same plan; then the one that promises the
  // best plan goes on.
  void RunSearches(std::span<PortfolioMember> searches,
                   const env::Problem& problem,
                   env::Evaluator& evaluator,
                   const Rng& rng) {
    const std::optional<EvaluatedPlan> first = BestPlanOf(evaluator);
    const double probe = ProbeShare(evaluator);
    for (PortfolioMember& search : searches) {
      search.own = first;
      RunSearch(search, probe, problem, evaluator, rng);
    }
    while (!evaluator.is_done()) {
      PortfolioMember* next = MostPromising(searches, probe);
      if (next == nullptr) {
        return;
      }
      const std::optional<EvaluatedPlan> best = BestPlanOf(evaluator);
      if (ExpectedFitness(*next, probe) > best->fitness) {
        next->own = best;
      }
      RunSearch(*next, NextShare(*next, probe, evaluator), problem, evaluator, rng);
    }
  }

  // `probe_fraction`, but kLeastInProbe evaluations at least.
  [[nodiscard]] double ProbeShare(const env::Evaluator& evaluator) const {
    const std::optional<std::int64_t>& evaluations = evaluator.options().budget.evaluations;
    const double least =
        evaluations.has_value() ? kLeastInProbe / static_cast<double>(*evaluations) : 0.0;
    return std::min(1.0, std::max(settings_.probe_fraction, least));
  }

  // Twice the last slice where that gained, else as in a probe; no more than half of what is left.
  static double NextShare(const PortfolioMember& search,
                          double probe,
                          const env::Evaluator& evaluator) {
    const double most = kNextShare * (1.0 - evaluator.UsedShare());
    const double wanted = search.gain_per_share > 0.0 ? 2.0 * search.last_share : 0.0;
    return std::min(1.0, std::max(probe, std::min(wanted, most)));
  }

  void RunSearch(PortfolioMember& search,
                 double share,
                 const env::Problem& problem,
                 env::Evaluator& evaluator,
                 const Rng& rng) {
    const double share_before = evaluator.UsedShare();
    env::Evaluator slice = SliceOf(evaluator, share);
    SearchContext context;
    if (search.own.has_value()) {
      context.start = search.own->plan;
    }
    for (const EvaluatedPlan& elite : starts_) {
      context.elites.push_back(elite.plan.placement);
    }
    const auto number = static_cast<std::uint64_t>(search.entry - members_->data());
    Rng own = rng.Fork(number).Fork(++search.num_slices);
    Run(search, context, problem, slice, own);
    AddSlice(search, evaluator.UsedShare() - share_before, BestPlanOf(slice));
  }

  // Counts what `member` does with `slice`.
  void Run(PortfolioMember& member,
           const SearchContext& context,
           const env::Problem& problem,
           env::Evaluator& slice,
           Rng& rng) {
    member.agent->Search(problem, slice, rng, context);
    member.is_spent = !slice.is_done() || slice.num_evaluations() == 0;
    member.num_evaluations += slice.num_evaluations();
    const std::optional<EvaluatedPlan> found = BestPlanOf(slice);
    if (found.has_value() && (!best_fitness_.has_value() || found->fitness < *best_fitness_)) {
      best_ = member.entry->info.name;
      best_fitness_ = found->fitness;
    }
  }

  static std::size_t CountAsked(std::span<const PortfolioMember> members) {
    return static_cast<std::size_t>(std::ranges::count_if(
        members, [](const PortfolioMember& member) { return member.num_evaluations > 0; }));
  }

  static std::vector<SearchShare> SharesOf(std::span<const PortfolioMember> searches) {
    std::vector<SearchShare> shares;
    for (const PortfolioMember& search : searches) {
      shares.push_back({.name = search.entry->info.name, .evaluations = search.num_evaluations});
    }
    return shares;
  }

  static bool IsRule(const PortfolioMember& member) {
    return member.entry->info.kind == AgentKind::kClassical;
  }

  // Whether the budget is large enough for a search that needs many evaluations.
  static bool IsWorthAProbe(const AgentEntry& entry,
                            const env::Problem& problem,
                            const env::Evaluator& evaluator) {
    const std::int64_t evaluations =
        evaluator.options().budget.evaluations.value_or(kEvaluationsOfTime);
    const auto num_ops = static_cast<std::int64_t>(problem.graph().num_ops());
    if (entry.info.name == "list_search") {
      return evaluations >= kEvaluationsPerOp * num_ops;
    }
    if (entry.info.name == "cross_entropy") {
      return evaluations >= kLeastForCrossEntropy;
    }
    return entry.info.name != "brkga" || evaluations >= kLeastForBrkga;
  }

  // Those that can do something about the open tasks; rules where they are what it begins at.
  [[nodiscard]] std::vector<PortfolioMember> MembersFor(const env::Problem& problem,
                                                        const env::Evaluator& evaluator) const {
    std::vector<PortfolioMember> members;
    for (const AgentEntry& entry : *members_) {
      const bool is_asked =
          settings_.start == Start::kHeuristics || entry.info.kind != AgentKind::kClassical;
      if (is_asked && !FindTaskProblem(entry.info, problem.tasks()).has_value() &&
          IsWorthAProbe(entry, problem, evaluator)) {
        Options defaults;
        members.push_back({.entry = &entry, .agent = entry.make(defaults)});
      }
    }
    return members;
  }

  AutoSettings settings_;
  Members members_;
  std::vector<EvaluatedPlan> starts_;
  std::string best_;  // whose plan is the best so far
  std::optional<Fitness> best_fitness_;
};

}  // namespace

AgentEntry AutoEntry(std::vector<AgentEntry> members) {
  return MakeEntry(
      {.name = "auto",
       .kind = AgentKind::kSearch,
       .tasks = {"placement", "scheduling", "fusion"},
       .paper = "",
       .summary = "A portfolio: rules, partitioners and list schedulers first, then searches from "
                  "the best of their plans, the budget shared by what has paid off."},
      AutoOptions(),
      [shared = std::make_shared<const std::vector<AgentEntry>>(std::move(members))](
          const AutoSettings& settings) { return std::make_unique<Auto>(settings, shared); });
}

}  // namespace opyard::agents
