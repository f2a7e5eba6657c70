#include "agents/planning/multilevel/level_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/fitness.h"
#include "agents/planning/local_search/operator_selection.h"
#include "agents/planning/local_search/start_race.h"

namespace opyard::agents {
namespace {

constexpr std::int32_t kMostGroupsInRace = 1'024;
constexpr std::int64_t kLeastEvaluations = 30;  // on a level before another is sampled

// `affinity`, [groups · devices] of `from`, as that of the groups of `to`: means over ops. Empty
// where it is empty.
std::vector<double> AffinityOf(const env::Problem& from,
                               const env::Problem& to,
                               const std::vector<double>& affinity) {
  const std::size_t num_devices = from.hardware().num_devices();
  std::vector<double> result(affinity.empty() ? 0 : NumGroups(to) * num_devices, 0.0);
  std::vector<double> num_ops(NumGroups(to), 0.0);
  for (std::size_t op = 0; op < from.graph().num_ops() && !affinity.empty(); ++op) {
    const std::size_t source = GroupOf(from, OpId(op));
    const std::size_t target = GroupOf(to, OpId(op));
    num_ops[target] += 1.0;
    for (std::size_t device = 0; device < num_devices; ++device) {
      double& mean = result[target * num_devices + device];
      mean += (affinity[source * num_devices + device] - mean) / num_ops[target];
    }
  }
  return result;
}

// How often levels are sampled at first: those of more groups than there are evaluations the less,
// since so few do not get around in them.
std::vector<double> SharesOf(const Levels& levels, const env::Evaluator& evaluator) {
  std::vector<double> shares(levels.size(), 1.0);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const auto most = static_cast<std::int64_t>(levels.MostGroups(level));
    shares[level] =
        evaluator.options().budget.evaluations.has_value()
            ? static_cast<double>(evaluator.EvaluationsLeft(most)) / static_cast<double>(most)
            : 1.0;
  }
  return shares;
}

// `share` of the whole budget, but no fewer than kLeastEvaluations.
env::Evaluator SliceFor(env::Evaluator& evaluator, double share) {
  const env::Budget& whole = evaluator.options().budget;
  env::Budget part;
  if (whole.evaluations.has_value()) {
    const double evaluations = share * static_cast<double>(*whole.evaluations);
    part.evaluations = std::max(kLeastEvaluations, static_cast<std::int64_t>(evaluations));
  }
  if (whole.seconds.has_value()) {
    part.seconds = share * *whole.seconds;
  }
  return evaluator.Slice(part);
}

// One search over the levels.
class LevelSearch {
 public:
  LevelSearch(const env::Problem& problem,
              const Levels& levels,
              env::Evaluator& evaluator,
              Rng& rng,
              const SearchContext& context,
              const SearchOneLevel& search)
      : problem_(problem),
        levels_(levels),
        evaluator_(evaluator),
        rng_(rng),
        context_(context),
        search_(search) {}

  void Race(std::vector<EvaluatedPlan> starts, double share) {
    const std::size_t level = RaceLevel();
    const std::vector<EvaluatedPlan> raced = RaceStarts(
        std::move(starts), evaluator_, {.share = share}, [&](EvaluatedPlan plan, double until) {
          env::Evaluator slice = evaluator_.Slice(std::max(0.0, until - evaluator_.UsedShare()));
          SearchOn(level, plan.plan, slice);
          const std::optional<EvaluatedPlan> found = BestPlanOf(slice);
          return found.has_value() && found->fitness < plan.fitness ? *found : std::move(plan);
        });
    for (const EvaluatedPlan& plan : raced) {
      context_.elites.push_back(plan.plan.placement);
    }
  }

  void Run(double slice_share) {
    OperatorSelection gains(SharesOf(levels_, evaluator_));
    while (!evaluator_.is_done()) {
      const std::size_t level = gains.Sample(rng_);
      const env::BestPlan before = *evaluator_.best();
      env::Evaluator slice = SliceFor(evaluator_, levels_.size() == 1 ? 1.0 : slice_share);
      SearchOn(level, before.plan, slice);
      gains.Learn(level, FitnessOf(evaluator_.best()->evaluation) < FitnessOf(before.evaluation));
      if (levels_.size() == 1) {
        return;
      }
    }
  }

 private:
  // The finest of at most kMostGroupsInRace groups, else the coarsest.
  [[nodiscard]] std::size_t RaceLevel() const {
    std::size_t level = 0;
    while (level + 1 < levels_.size() && levels_.MostGroups(level + 1) <= kMostGroupsInRace) {
      ++level;
    }
    return level;
  }

  // Elites are those of `context_`, after the plan that it begins at.
  void SearchOn(std::size_t level, const sim::Plan& start, env::Evaluator& slice) {
    const std::shared_ptr<const env::Problem> view = levels_.ViewUnder(level, start);
    SearchContext next = context_;
    next.start = start;
    if (!next.elites.empty()) {
      next.elites.insert(next.elites.begin(), start.placement);
    }
    next.device_affinity = AffinityOf(problem_, *view, context_.device_affinity);
    search_(*view, slice, rng_, next);
  }

  const env::Problem& problem_;
  const Levels& levels_;
  env::Evaluator& evaluator_;
  Rng& rng_;
  SearchContext context_;
  const SearchOneLevel& search_;
};

}  // namespace

void SearchLevels(const env::Problem& problem,
                  const Levels& levels,
                  std::vector<EvaluatedPlan> starts,
                  env::Evaluator& evaluator,
                  Rng& rng,
                  const SearchContext& context,
                  const LevelSearchOptions& options,
                  const SearchOneLevel& search) {
  LevelSearch levels_search(problem, levels, evaluator, rng, context, search);
  levels_search.Race(std::move(starts), options.race_share);
  levels_search.Run(options.slice_share);
}

}  // namespace opyard::agents
