#include "agents/planning/grouping/grouping.h"

#include <algorithm>

#include "agents/planning/grouping/part_groups.h"
#include "agents/planning/grouping/stage_groups.h"
#include "sim/graph/single_consumer.h"

namespace opyard::agents {
namespace {

// ColocRL's rule with groups of few ops, then with twice as many, up to `options.max_ops`, until
// there are few enough groups.
sim::Grouping MergedAsNeeded(const env::Problem& problem, const GroupingOptions& options) {
  sim::Grouping grouping = problem.grouping();
  std::int32_t max_ops = 1;
  while (grouping.num_groups > options.max_groups && max_ops < options.max_ops) {
    max_ops = std::min(2 * max_ops, options.max_ops);
    grouping = sim::MergeSingleConsumers(
        problem.graph(), problem.grouping(), max_ops, problem.place_sets());
  }
  return grouping;
}

sim::Grouping GroupsByRule(const env::Problem& problem, const GroupingOptions& options) {
  switch (options.rule) {
    case GroupingRule::kSingleConsumer:
      return sim::MergeSingleConsumers(
          problem.graph(), problem.grouping(), options.max_ops, problem.place_sets());
    case GroupingRule::kAsNeeded:
      return MergedAsNeeded(problem, options);
    case GroupingRule::kMetis:
      return MetisGroups(problem, options.max_groups, options.seed);
    case GroupingRule::kRandom:
      return RandomGroups(problem, options.max_groups, options.seed);
    case GroupingRule::kStages:
      return StageGroups(problem, options.max_groups);
    case GroupingRule::kProblem:
      break;
  }
  return problem.grouping();
}

}  // namespace

Words<GroupingRule> GroupingRuleWords() {
  return {{"problem", GroupingRule::kProblem},
          {"single_consumer", GroupingRule::kSingleConsumer},
          {"as_needed", GroupingRule::kAsNeeded},
          {"metis", GroupingRule::kMetis},
          {"random", GroupingRule::kRandom},
          {"stages", GroupingRule::kStages}};
}

sim::Grouping MakeGrouping(const env::Problem& problem, const GroupingOptions& options) {
  sim::Grouping grouping = GroupsByRule(problem, options);
  if (options.rule != GroupingRule::kStages && grouping.num_groups > options.max_groups) {
    grouping =
        sim::CoarsenGroups(problem.graph(), grouping, options.max_groups, problem.place_sets());
  }
  return grouping;
}

}  // namespace opyard::agents
