// Learned agents whose option `start` makes them begin where rules do.
#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/fitness.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "env/group_placement.h"
#include "sim/plan/plan.h"
#include "tests/agents/problems.h"

namespace opyard::agents {
namespace {

using testing::NamedProblem;

Options StartingAt(const std::string& start) {
  return Options({{"start", start}});
}

Fitness BestOfSimpleStarts(const std::shared_ptr<const env::Problem>& problem) {
  env::Evaluator evaluator(problem, {});
  for (const Decisions& start : SimpleInitialPlans(*problem, kDefaultLevels)) {
    evaluator.Evaluate(ToPlan(*problem, start));
  }
  return FitnessOf(evaluator.best()->evaluation);
}

// Problems are small: each node of placeto is a group, so that it can have any placement. Without
// priorities each placement is one plan.
TEST(LearnedStartsTest, NoPlanThatTheyBeginAtIsBetterThanTheirAnswer) {
  for (const NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    for (const char* agent : {"doppler", "go", "hdp", "placeto", "reinforce_lstm", "regal"}) {
      for (const char* start : {"simple", "rules"}) {
        SCOPED_TRACE(named.name + " " + agent + " " + start);
        const testing::Outcome outcome = testing::RunAgent(
            agent, named.problem, {.evaluations = 80, .options = StartingAt(start)});
        EXPECT_LE(FitnessOf(outcome.best->evaluation), BestOfSimpleStarts(named.problem));
      }
    }
  }
}

TEST(LearnedStartsTest, AfterThemTheNetworkSamplesWhatItSamplesAlone) {
  const NamedProblem named = testing::ConformanceProblems(testing::kPlacement).back();
  const std::size_t num_starts = SimpleInitialPlans(*named.problem, kDefaultLevels).size();
  const auto evaluated = [&](const Options& options) {
    std::vector<sim::Plan> plans;
    env::Evaluator evaluator(
        named.problem,
        {.budget = {.evaluations = 60},
         .on_evaluation = [&](const sim::Plan& plan, const auto&) { plans.push_back(plan); }});
    Rng rng(2);
    testing::AgentsUnderTest()
        .Make("reinforce_lstm", options)
        ->Search(*named.problem, evaluator, rng, {});
    return plans;
  };
  const std::vector<sim::Plan> alone = evaluated(StartingAt("network"));
  const std::vector<sim::Plan> beside = evaluated(StartingAt("simple"));
  // The first update, four plans of a fresh network.
  EXPECT_TRUE(std::equal(
      alone.begin(), alone.begin() + 4, beside.begin() + static_cast<std::ptrdiff_t>(num_starts)));
}

// Placements that an agent at its defaults evaluates, in order.
std::vector<sim::OpPlacement> Placements(const std::string& agent,
                                         const std::shared_ptr<const env::Problem>& problem) {
  std::vector<sim::OpPlacement> placements;
  env::Evaluator evaluator(problem,
                           {.budget = {.evaluations = 30},
                            .on_evaluation = [&](const sim::Plan& plan, const env::Evaluation&) {
                              placements.push_back(plan.placement);
                            }});
  Rng rng(2);
  testing::AgentsUnderTest().Make(agent, {})->Search(*problem, evaluator, rng, {});
  return placements;
}

TEST(LearnedStartsTest, AtTheirDefaultsTheyEvaluateThePlansOfSingleDevicesFirst) {
  const NamedProblem named = testing::ConformanceProblems(testing::kPlacement).back();
  std::vector<sim::OpPlacement> single;
  for (const env::GroupPlacement& placement : SingleDevicePlacements(*named.problem)) {
    single.push_back(ToPlan(*named.problem, Decisions{.device_of_group = placement}).placement);
  }
  ASSERT_GT(single.size(), 1U);
  for (const char* agent : {"hdp", "placeto", "reinforce_lstm"}) {
    SCOPED_TRACE(agent);
    const auto placements = Placements(agent, named.problem);
    ASSERT_EQ(placements.size(), 30U);
    EXPECT_TRUE(std::equal(single.begin(), single.end(), placements.begin()));
  }
}

TEST(LearnedStartsTest, AtTheirDefaultsNoSeedIsWorseThanOneDevice) {
  for (const NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    env::Evaluator evaluator(named.problem, {});
    for (const env::GroupPlacement& placement : SingleDevicePlacements(*named.problem)) {
      evaluator.Evaluate(ToPlan(*named.problem, Decisions{.device_of_group = placement}));
    }
    const Fitness one_device = FitnessOf(evaluator.best()->evaluation);
    for (const char* agent : {"hdp", "placeto", "reinforce_lstm"}) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(named.name + " " + agent);
        const testing::Outcome outcome =
            testing::RunAgent(agent, named.problem, {.evaluations = 20, .seed = seed});
        EXPECT_LE(FitnessOf(outcome.best->evaluation), one_device);
      }
    }
  }
}

}  // namespace
}  // namespace opyard::agents
