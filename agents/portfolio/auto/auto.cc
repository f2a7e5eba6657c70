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
#include "agents/planning/all_initial_plans.h"
#include "agents/planning/encoding/common_options.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/fitness.h"
#include "agents/planning/partitioning/metis_tries.h"
#include "agents/portfolio/auto/account.h"

namespace opyard::agents {
namespace {

constexpr double kMostOfARule = 0.25;  // of the budget
constexpr double kNextShare = 0.75;    // of what is left of it

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

// One of those that are asked, and what its slices of the budget came to.
struct PortfolioMember {
  const AgentEntry* entry = nullptr;
  double last_gain = 0.0;  // per share of the budget
  double used_share = 0.0;
  std::int64_t num_evaluations = 0;
  std::uint64_t num_slices = 0;
  bool is_spent = false;  // nothing is left for it to try, or too little budget to try it
};

// The input of one slice of a member.
struct Turn {
  double share = 0.0;  // of the whole budget
  SearchContext context;
  std::optional<Fitness> reference;  // what its best plan is compared with
};

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
      evaluator.Evaluate(ToPlan(problem, context.start.value_or(Decisions{})));
    }
    if (HasOnePlan(problem)) {
      return;
    }
    std::vector<PortfolioMember> members = MembersFor(problem);
    const auto first_search = std::ranges::stable_partition(members, IsRule).begin();
    const std::span<PortfolioMember> rules(members.begin(), first_search);
    const std::span<PortfolioMember> searches(first_search, members.end());
    if (settings_.start != Start::kHeuristics && !context.start.has_value()) {
      EvaluateInitialPlans(problem, evaluator, rng);
    }
    for (PortfolioMember& rule : rules) {
      Run(rule,
          {kMostOfARule, {}, BestFitness(evaluator)},
          problem,
          evaluator,
          rng);  // the plans that it finds alone
    }
    Account account{.num_rules = CountAsked(rules), .best_rule = best_};
    ShareOut(searches, problem, evaluator, rng);
    account.searches = SharesOf(searches);
    account.origin = best_;
    const std::string text = TextOf(account);
    if (context.report && !text.empty()) {
      context.report(text);
    }
  }

 private:
  // Each search first has `probe_fraction`, all from the same plan, so that what they gain can be
  // compared; then the one that gained most by its last share goes on.
  void ShareOut(std::span<PortfolioMember> searches,
                const env::Problem& problem,
                env::Evaluator& evaluator,
                const Rng& rng) {
    const SearchContext first = StartAt(problem, evaluator);
    const std::optional<Fitness> reference = BestFitness(evaluator);
    for (PortfolioMember& search : searches) {
      Run(search, {settings_.probe_fraction, first, reference}, problem, evaluator, rng);
    }
    while (!evaluator.is_done()) {
      PortfolioMember* next = MostPromising(searches);
      if (next == nullptr) {
        return;
      }
      const double left = 1.0 - evaluator.UsedShare();
      const double share = std::min(std::max(settings_.probe_fraction, left * kNextShare), 1.0);
      Run(*next,
          {share, StartAt(problem, evaluator), BestFitness(evaluator)},
          problem,
          evaluator,
          rng);
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

  void EvaluateInitialPlans(const env::Problem& problem,
                            env::Evaluator& evaluator,
                            Rng& rng) const {
    const std::vector<Decisions> starts =
        InitialPlans(problem, evaluator, {.start = settings_.start}, rng);
    evaluator.Evaluate(starts.size(), [&](std::size_t i) { return ToPlan(problem, starts[i]); });
  }

  // Those that can do something about the open tasks; rules where they are what it begins at.
  [[nodiscard]] std::vector<PortfolioMember> MembersFor(const env::Problem& problem) const {
    std::vector<PortfolioMember> members;
    for (const AgentEntry& entry : *members_) {
      const bool is_asked =
          settings_.start == Start::kHeuristics || entry.info.kind != AgentKind::kClassical;
      if (is_asked && !FindTaskProblem(entry.info, problem.tasks()).has_value()) {
        members.push_back({.entry = &entry});
      }
    }
    return members;
  }

  void Run(PortfolioMember& member,
           const Turn& turn,
           const env::Problem& problem,
           env::Evaluator& evaluator,
           const Rng& rng) {
    const double share_before = evaluator.UsedShare();
    const std::optional<Fitness> before = BestFitness(evaluator);
    env::Evaluator slice = SliceOf(evaluator, turn.share);
    Options options = OptionsFor(member, problem, evaluator);
    const auto number = static_cast<std::uint64_t>(member.entry - members_->data());
    Rng own = IsRule(member) ? rng : rng.Fork(number).Fork(++member.num_slices);
    member.entry->make(options)->Search(problem, slice, own, turn.context);
    const double used = evaluator.UsedShare() - share_before;
    const std::optional<Fitness> after = BestFitness(evaluator);
    member.is_spent = !slice.is_done() || slice.num_evaluations() == 0;
    member.used_share += used;
    member.num_evaluations += slice.num_evaluations();
    member.last_gain = GainOf(turn.reference, BestFitness(slice)) / std::max(used, 1e-9);
    if (after != before) {
      best_ = member.entry->info.name;
    }
  }

  // The defaults; METIS, on whose best partition most searches build, makes more of them the more
  // evaluations there are.
  static Options OptionsFor(const PortfolioMember& member,
                            const env::Problem& problem,
                            const env::Evaluator& evaluator) {
    Options options;
    const std::optional<std::int64_t>& evaluations = evaluator.options().budget.evaluations;
    if (member.entry->info.name == "metis" && evaluations.has_value()) {
      options.Set("tries", AffordableTries(problem, *evaluations, MetisTries{}.tries));
    }
    return options;
  }

  static SearchContext StartAt(const env::Problem& problem, const env::Evaluator& evaluator) {
    SearchContext context;
    if (evaluator.best().has_value()) {
      context.start = ToDecisions(problem, evaluator.best()->plan);
    }
    return context;
  }

  static std::optional<Fitness> BestFitness(const env::Evaluator& evaluator) {
    return evaluator.best().has_value() ? std::optional(FitnessOf(evaluator.best()->evaluation))
                                        : std::nullopt;
  }

  // The share by which the score fell, 0 where it did not; 1 where a first plan completed.
  static double GainOf(const std::optional<Fitness>& before, const std::optional<Fitness>& after) {
    if (!after.has_value() || after->is_infeasible) {
      return 0.0;
    }
    if (!before.has_value() || before->is_infeasible) {
      return 1.0;
    }
    return before->value > 0.0 ? std::max(0.0, (before->value - after->value) / before->value)
                               : 0.0;
  }

  // Null if none has anything left to try.
  static PortfolioMember* MostPromising(std::span<PortfolioMember> searches) {
    PortfolioMember* best = nullptr;
    for (PortfolioMember& search : searches) {
      const auto rank = [](const PortfolioMember& one) {
        return std::pair(one.last_gain, -one.used_share);
      };
      if (!search.is_spent && (best == nullptr || rank(search) > rank(*best))) {
        best = &search;
      }
    }
    return best;
  }

  AutoSettings settings_;
  Members members_;
  std::string best_;  // whose plan is the best so far
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
