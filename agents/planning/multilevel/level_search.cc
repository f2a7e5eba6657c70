#include "agents/planning/multilevel/level_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/fitness.h"
#include "agents/planning/local_search/operator_selection.h"

namespace opyard::agents {
namespace {

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

}  // namespace

void SearchLevels(const env::Problem& problem,
                  const Levels& levels,
                  env::Evaluator& evaluator,
                  Rng& rng,
                  const SearchContext& context,
                  double slice_share,
                  const SearchOneLevel& search) {
  OperatorSelection gains(SharesOf(levels, evaluator));
  while (!evaluator.is_done()) {
    const std::size_t level = gains.Sample(rng);
    const env::BestPlan before = *evaluator.best();
    const std::shared_ptr<const env::Problem> view = levels.ViewUnder(level, before.plan);
    SearchContext next = context;
    next.start = before.plan;
    next.device_affinity = AffinityOf(problem, *view, context.device_affinity);
    env::Evaluator slice = SliceFor(evaluator, levels.size() == 1 ? 1.0 : slice_share);
    search(*view, slice, rng, next);
    gains.Learn(level, FitnessOf(evaluator.best()->evaluation) < FitnessOf(before.evaluation));
    if (levels.size() == 1) {
      return;
    }
  }
}

}  // namespace opyard::agents
