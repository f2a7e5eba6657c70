#include "agents/planning/multilevel/level_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/local_search/start_race.h"

namespace opyard::agents {
namespace {

constexpr std::int32_t kMostGroupsInRace = 1'024;
constexpr std::int64_t kLeastEvaluations = 30;  // on a level before another is sampled
constexpr std::int64_t kNoLimit = 1'000'000;    // the evaluations of a budget in seconds

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
std::vector<double> SharesOf(const Levels& levels, const env::Budget& budget) {
  std::vector<double> shares;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const auto most = static_cast<double>(levels.MostGroups(level));
    const double evaluations = static_cast<double>(budget.evaluations.value_or(kNoLimit));
    shares.push_back(std::min(1.0, evaluations / most));
  }
  return shares;
}

}  // namespace

env::Evaluator LevelSlice(env::Evaluator& evaluator, double share) {
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

LevelSearch::LevelSearch(const env::Problem& problem,
                         const Levels& levels,
                         const env::Budget& budget,
                         SearchOneLevel search,
                         SearchContext context)
    : problem_(problem),
      levels_(levels),
      search_(std::move(search)),
      context_(std::move(context)),
      gains_(SharesOf(levels, budget)) {}

std::vector<EvaluatedPlan> LevelSearch::Race(std::vector<EvaluatedPlan> starts,
                                             double share,
                                             env::Evaluator& evaluator,
                                             Rng& rng) {
  const std::size_t level = RaceLevel();
  return RaceStarts(
      std::move(starts), evaluator, {.share = share}, [&](EvaluatedPlan plan, double until) {
        env::Evaluator slice = evaluator.Slice(std::max(0.0, until - evaluator.UsedShare()));
        return SearchOn(level, std::move(plan), slice, rng);
      });
}

EvaluatedPlan LevelSearch::SearchSlice(EvaluatedPlan start, env::Evaluator& slice, Rng& rng) {
  const Fitness before = start.fitness;
  const std::size_t level = gains_.Sample(rng);
  EvaluatedPlan found = SearchOn(level, std::move(start), slice, rng);
  gains_.Learn(level, found.fitness < before);
  return found;
}

void LevelSearch::AddElites(const std::vector<EvaluatedPlan>& plans) {
  for (const EvaluatedPlan& plan : plans) {
    context_.elites.push_back(plan.plan.placement);
  }
}

// The finest of at most kMostGroupsInRace groups, else the coarsest.
std::size_t LevelSearch::RaceLevel() const {
  std::size_t level = 0;
  while (level + 1 < levels_.size() && levels_.MostGroups(level + 1) <= kMostGroupsInRace) {
    ++level;
  }
  return level;
}

// Elites are those of `context_`, after the plan that it begins at.
EvaluatedPlan LevelSearch::SearchOn(std::size_t level,
                                    EvaluatedPlan start,
                                    env::Evaluator& slice,
                                    Rng& rng) {
  const std::shared_ptr<const env::Problem> view = levels_.ViewUnder(level, start.plan);
  SearchContext next = context_;
  next.start = start.plan;
  if (!next.elites.empty()) {
    next.elites.insert(next.elites.begin(), start.plan.placement);
  }
  next.device_affinity = AffinityOf(problem_, *view, context_.device_affinity);
  search_(*view, slice, rng, next);
  const std::optional<EvaluatedPlan> found = BestPlanOf(slice);
  return found.has_value() && found->fitness < start.fitness ? *found : std::move(start);
}

}  // namespace opyard::agents
