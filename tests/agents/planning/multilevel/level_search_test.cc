#include "agents/planning/multilevel/level_search.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "env/action_codec.h"
#include "tests/agents/problems.h"
#include "tests/support/golden_graphs.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

// A search that evaluates its start, and what it was given.
struct Recorder {
  std::vector<SearchContext> contexts;
  std::vector<std::size_t> num_groups;

  SearchOneLevel Search() {
    return [this](const env::Problem& view,
                  env::Evaluator& slice,
                  Rng& /*rng*/,
                  const SearchContext& context) {
      contexts.push_back(context);
      num_groups.push_back(NumGroups(view));
      slice.Evaluate(*context.start);
    };
  }
};

class LevelSearchTest : public ::testing::Test {
 protected:
  LevelSearch Make(Recorder& recorder, SearchContext context = {}) {
    return {*problem_, levels_, {.evaluations = 1'000}, recorder.Search(), std::move(context)};
  }

  EvaluatedPlan Start(double fitness) {
    return {.plan = env::DefaultPlan(*problem_),
            .fitness = {.is_infeasible = false, .value = fitness}};
  }

  // Two devices on which anything fits.
  static sim::HardwareProfile Machine() {
    sim::HardwareProfile machine = opyard::testing::MeshMachine(2);
    for (sim::Device& device : machine.devices) {
      device.memory = Bytes{1LL << 50};
    }
    return machine;
  }

  std::shared_ptr<const env::Problem> problem_ =
      testing::MakeProblem(opyard::testing::LayeredGraph(1, 3'000), Machine());
  Levels levels_{*problem_};
  env::Evaluator evaluator_{problem_, {.budget = {.evaluations = 1'000}}};
  Rng rng_{1};
};

// A step takes more than 0 s and less than 1e9 s.
TEST_F(LevelSearchTest, ReturnsTheBetterOfTheStartAndWhatWasFound) {
  Recorder recorder;
  LevelSearch search = Make(recorder);
  env::Evaluator slice = LevelSlice(evaluator_, 0.05);

  EXPECT_EQ(search.SearchSlice(Start(0.0), slice, rng_).fitness.value, 0.0);
  const double found = search.SearchSlice(Start(1e9), slice, rng_).fitness.value;
  EXPECT_EQ(found, evaluator_.best()->evaluation.score);
}

TEST_F(LevelSearchTest, ElitesBeginWithTheStart) {
  const sim::OpPlacement given(problem_->graph().num_ops(), DeviceId(0));
  const sim::OpPlacement raced(problem_->graph().num_ops(), DeviceId(1));
  Recorder recorder;
  LevelSearch search = Make(recorder, {.elites = {given}});
  EvaluatedPlan other = Start(1.0);
  other.plan.placement = raced;
  search.AddElites({other});
  env::Evaluator slice = LevelSlice(evaluator_, 0.05);
  (void)search.SearchSlice(Start(1.0), slice, rng_);

  EXPECT_EQ(recorder.contexts[0].elites,
            (std::vector<sim::OpPlacement>{Start(1.0).plan.placement, given, raced}));
}

// Row g of a problem of one op a group is {g, 1}; a level's row is the mean over its ops.
TEST_F(LevelSearchTest, AffinityOfALevelIsTheMeanOverItsOps) {
  SearchContext context;
  for (std::size_t group = 0; group < NumGroups(*problem_); ++group) {
    context.device_affinity.insert(context.device_affinity.end(),
                                   {static_cast<double>(group), 1.0});
  }
  Recorder recorder;
  LevelSearch search = Make(recorder, context);
  env::Evaluator slice = LevelSlice(evaluator_, 0.05);
  (void)search.SearchSlice(Start(1.0), slice, rng_);

  const std::vector<double>& affinity = recorder.contexts[0].device_affinity;
  ASSERT_EQ(affinity.size(), 2 * recorder.num_groups[0]);
  for (std::size_t row = 0; row < recorder.num_groups[0]; ++row) {
    EXPECT_NEAR(affinity[2 * row + 1], 1.0, 1e-12);
    EXPECT_LT(affinity[2 * row], static_cast<double>(NumGroups(*problem_)));
  }
}

// Levels of 128, 512 and 2,048 groups and of all ops.
TEST_F(LevelSearchTest, TheRaceIsOnTheFinestLevelOfAtMost1024Groups) {
  Recorder recorder;
  LevelSearch search = Make(recorder);
  EvaluatedPlan other = Start(2.0);
  std::ranges::fill(other.plan.placement, DeviceId(1));
  (void)search.Race({Start(1.0), other}, 0.5, evaluator_, rng_);

  ASSERT_FALSE(recorder.num_groups.empty());
  EXPECT_GT(std::ranges::min(recorder.num_groups), 128);
  EXPECT_LE(std::ranges::max(recorder.num_groups), 512);
}

}  // namespace
}  // namespace opyard::agents
