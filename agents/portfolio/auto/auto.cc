#include "agents/portfolio/auto/auto.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "agents/base/agent_registry.h"
#include "agents/base/make_entry.h"
#include "agents/planning/decisions.h"
#include "agents/planning/fitness.h"

namespace opyard::agents {
namespace {

constexpr double kMostOfARule = 0.25;  // of the budget

struct Settings {
  double look = 0.1;
};

OptionTable<Settings> AutoOptions() {
  return OptionTable<Settings>(
      {{.name = "look",
        .field = Real(&Settings::look, 0.001, 0.5),
        .meaning = "share of the budget that each search is given before they are compared, and "
                   "the least that one is given later"}});
}

// A member that searches, and what its slices came to.
struct Searcher {
  const AgentEntry* entry = nullptr;
  double last_gain = 0.0;  // per share of the budget
  double used_share = 0.0;
  std::uint64_t num_slices = 0;
  bool is_spent = false;  // nothing is left for it to try, or too little budget to try it
};

class Auto final : public Agent {
 public:
  using Members = std::shared_ptr<const std::vector<AgentEntry>>;

  Auto(const Settings& settings, Members members)
      : settings_(settings), shared_(std::move(members)), members_(*shared_) {}

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
    AskRules(problem, evaluator, rng);
    std::vector<Searcher> searchers = SearchersFor(problem);
    for (Searcher& searcher : searchers) {
      Run(searcher, settings_.look, problem, evaluator, rng);
    }
    while (!evaluator.is_done()) {
      Searcher* next = MostPromising(searchers);
      if (next == nullptr) {
        return;
      }
      const double left = 1.0 - evaluator.UsedShare();
      Run(*next, std::min(std::max(settings_.look, left / 2.0), 1.0), problem, evaluator, rng);
    }
  }

 private:
  void AskRules(const env::Problem& problem, env::Evaluator& evaluator, const Rng& rng) const {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const AgentEntry& entry = members_[i];
      if (entry.info.kind == AgentKind::kClassical && HasWork(entry, problem)) {
        env::Evaluator slice = SliceOf(evaluator, kMostOfARule);
        Options defaults;
        Rng own = rng.Fork(i);
        entry.make(defaults)->Search(problem, slice, own, {});
      }
    }
  }

  // At least one evaluation: the smallest of budgets is some rule's.
  static env::Evaluator SliceOf(env::Evaluator& evaluator, double share) {
    const env::Budget& whole = evaluator.options().budget;
    if (whole.evaluations.has_value() && share * static_cast<double>(*whole.evaluations) < 1.0) {
      return evaluator.Slice(env::Budget{.evaluations = 1});
    }
    return evaluator.Slice(share);
  }

  static bool HasWork(const AgentEntry& entry, const env::Problem& problem) {
    return !FindTaskProblem(entry.info, problem.tasks()).has_value();
  }

  [[nodiscard]] std::vector<Searcher> SearchersFor(const env::Problem& problem) const {
    std::vector<Searcher> searchers;
    for (const AgentEntry& entry : members_) {
      if (entry.info.kind == AgentKind::kSearch && HasWork(entry, problem)) {
        searchers.push_back({.entry = &entry});
      }
    }
    return searchers;
  }

  void Run(Searcher& searcher,
           double share,
           const env::Problem& problem,
           env::Evaluator& evaluator,
           const Rng& rng) const {
    const double share_before = evaluator.UsedShare();
    const std::optional<Fitness> before = BestFitness(evaluator);
    env::Evaluator slice = SliceOf(evaluator, share);
    Options defaults;
    const auto member = static_cast<std::uint64_t>(searcher.entry - members_.data());
    Rng own = rng.Fork(member).Fork(++searcher.num_slices);
    searcher.entry->make(defaults)->Search(problem, slice, own, StartAt(problem, evaluator));
    const double used = evaluator.UsedShare() - share_before;
    searcher.is_spent = !slice.is_done() || slice.num_evaluations() == 0;
    searcher.used_share += used;
    searcher.last_gain = GainOf(before, BestFitness(evaluator)) / std::max(used, 1e-9);
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

  // The share by which the score fell; 1 where a first plan completed.
  static double GainOf(const std::optional<Fitness>& before, const std::optional<Fitness>& after) {
    if (!after.has_value() || after->is_infeasible) {
      return 0.0;
    }
    if (!before.has_value() || before->is_infeasible) {
      return 1.0;
    }
    return before->value > 0.0 ? (before->value - after->value) / before->value : 0.0;
  }

  // Null if none has anything left to try.
  static Searcher* MostPromising(std::vector<Searcher>& searchers) {
    Searcher* best = nullptr;
    for (Searcher& searcher : searchers) {
      const auto rank = [](const Searcher& one) {
        return std::pair(one.last_gain, -one.used_share);
      };
      if (!searcher.is_spent && (best == nullptr || rank(searcher) > rank(*best))) {
        best = &searcher;
      }
    }
    return best;
  }

  Settings settings_;
  Members shared_;
  const std::vector<AgentEntry>& members_;
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
          const Settings& settings) { return std::make_unique<Auto>(settings, shared); });
}

}  // namespace opyard::agents
