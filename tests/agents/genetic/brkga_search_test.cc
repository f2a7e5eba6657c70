#include "agents/genetic/brkga_search.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "agents/planning/all_initial_plans.h"
#include "agents/planning/encoding/decisions.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "tests/agents/problems.h"
#include "tests/support/golden_graphs.h"

namespace opyard::agents {
namespace {

using testing::MakeProblem;

std::shared_ptr<const env::Problem> Problem(env::TaskSet tasks) {
  return MakeProblem(opyard::testing::MixedGraph(), testing::MeshWithCpu(2), tasks);
}

// Every plan that a search evaluates, in order.
std::vector<sim::Plan> Evaluated(const std::shared_ptr<const env::Problem>& problem,
                                 const BrkgaSearch& search,
                                 std::int64_t evaluations,
                                 std::size_t num_threads = 1) {
  std::vector<sim::Plan> evaluated;
  env::Evaluator evaluator(
      problem,
      {.budget = {.evaluations = evaluations},
       .num_threads = num_threads,
       .on_evaluation = [&](const sim::Plan& plan, const auto&) { evaluated.push_back(plan); }});
  Rng rng(5);
  search.Search(*problem, evaluator, rng);
  return evaluated;
}

constexpr BrkgaOptions kSmall{.population = 10,
                              .elite_share = 0.3,
                              .mutant_share = 0.2,
                              .start = Start::kRandom,
                              .genes = {.transfer_genes = true}};

TEST(BrkgaSearchTest, EvaluatesTheSamePlansOnAnyNumberOfThreads) {
  for (const env::TaskSet tasks : {testing::kBoth, testing::kAll}) {
    const auto problem = Problem(tasks);
    const std::vector<sim::Plan> one = Evaluated(problem, BrkgaSearch(kSmall), 80, 1);
    EXPECT_EQ(one.size(), 80U);
    EXPECT_EQ(one, Evaluated(problem, BrkgaSearch(kSmall), 80, 3));
  }
}

TEST(BrkgaSearchTest, SamplesFirstPopulationAndMutantsFromTheSampler) {
  const auto problem = Problem(testing::kPlacement);
  const GeneLayout layout(*problem, kSmall.genes);
  // Device 1 wherever it is allowed: its affinity is near 1, the others are near 0.
  std::vector<BetaShape> shapes;
  for (std::size_t i = 0; i < layout.num_genes(); ++i) {
    shapes.push_back(BetaOfMean(i % layout.num_devices == 1 ? 0.99 : 0.01, 0.001));
  }
  const DeviceId device(std::size_t{1});
  for (const sim::Plan& plan : Evaluated(problem, BrkgaSearch(kSmall, GeneSampler(shapes)), 80)) {
    for (std::size_t op = 0; op < plan.placement.size(); ++op) {
      const std::size_t group = GroupOf(*problem, OpId(op));
      EXPECT_EQ(plan.placement[op] == device, IsAllowed(*problem, group, device));
    }
  }
}

TEST(BrkgaSearchTest, BeginsAtTheStartThatItIsGiven) {
  const auto problem = Problem(testing::kPlacement);
  const Decisions start{.device_of_group = DeviceOfGroups(*problem, problem->default_placement())};
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 1}});
  Rng rng(1);
  BrkgaSearch(kSmall).Search(*problem, evaluator, rng, start);
  EXPECT_EQ(evaluator.best()->plan.placement, problem->default_placement());
}

// Whatever the genes, the best plan to begin at is evaluated as it is, and never lost.
TEST(BrkgaSearchTest, IsNeverWorseThanThePlansThatItBeginsAt) {
  for (const env::TaskSet tasks : {testing::kPlacement,
                                   testing::kScheduling,
                                   testing::kBoth,
                                   testing::kFusion,
                                   testing::kAll}) {
    for (const testing::NamedProblem& named : testing::ConformanceProblems(tasks)) {
      for (const GeneChoice& genes : {GeneChoice{},
                                      GeneChoice{.transfer_genes = true},
                                      GeneChoice{.transfer_genes = true, .fusion_genes = false}}) {
        SCOPED_TRACE(named.name);
        env::Evaluator alone(named.problem, {.budget = {.evaluations = 400}});
        Rng rng(5);
        std::vector<Decisions> starts = InitialPlans(*named.problem, alone, {}, rng);
        for (Decisions& start : starts) {
          if (!genes.fusion_genes) {
            start.fusion_of_group.clear();
          }
        }
        alone.Evaluate(starts.size(),
                       [&](std::size_t i) { return ToPlan(*named.problem, starts[i]); });
        env::Evaluator evaluator(named.problem, {.budget = {.evaluations = 400}});
        Rng same(5);
        BrkgaSearch({.genes = genes}).Search(*named.problem, evaluator, same);
        EXPECT_LE(FitnessOf(evaluator.best()->evaluation), FitnessOf(alone.best()->evaluation));
      }
    }
  }
}

// The order of the given plan stays: bred plans differ from it by levels alone.
TEST(BrkgaSearchTest, GoesOnFromTheOrderOfTheGivenPlan) {
  const auto problem = Problem(testing::kScheduling);
  std::vector<std::int64_t> ranks(problem->graph().num_ops());
  std::iota(ranks.rbegin(), ranks.rend(), 0);
  Decisions start;
  SetOrder(*problem, ranks, kDefaultLevels, start);
  std::vector<sim::Plan> evaluated;
  env::Evaluator evaluator(
      problem,
      {.budget = {.evaluations = 60},
       .on_evaluation = [&](const sim::Plan& plan, const auto&) { evaluated.push_back(plan); }});
  Rng rng(1);
  BrkgaSearch(kSmall).Search(*problem, evaluator, rng, start);
  EXPECT_EQ(evaluated.front().op_priority, ToPlan(*problem, start).op_priority);
  for (const sim::Plan& plan : evaluated) {
    for (std::size_t op = 0; op < ranks.size(); ++op) {
      // A whole number of levels, 2 · num_ops each, from its place in the order.
      EXPECT_EQ((plan.op_priority[op] - ranks[op] * kDefaultLevels) %
                    (2 * static_cast<std::int64_t>(ranks.size())),
                0);
    }
  }
}

TEST(BrkgaSearchTest, TheEliteBiasIsTheCallers) {
  BrkgaOptions options = kSmall;
  options.elite_bias = 0.95;
  const auto problem = Problem(testing::kBoth);
  // The first ten are random genes; the bias shows from the next generation on.
  const std::vector<sim::Plan> usual = Evaluated(problem, BrkgaSearch(kSmall), 20);
  const std::vector<sim::Plan> biased = Evaluated(problem, BrkgaSearch(options), 20);
  EXPECT_TRUE(std::equal(usual.begin(), usual.begin() + 10, biased.begin()));
  EXPECT_NE(usual, biased);
}

TEST(BrkgaSearchTest, RefusesABiasThatCopiesTheElite) {
  BrkgaOptions options = kSmall;
  options.elite_bias = 1.0;
  EXPECT_THROW(BrkgaSearch{options}, InternalError);
  options.elite_bias = 0.49;
  EXPECT_THROW(BrkgaSearch{options}, InternalError);
  EXPECT_THROW(BrkgaSearch({.population = 1}), InputError);
}

}  // namespace
}  // namespace opyard::agents
