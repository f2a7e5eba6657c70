#include "agents/learned/regal/chromosome_rewards.h"

#include <vector>

#include <gtest/gtest.h>

#include "agents/genetic/brkga_search.h"
#include "tests/agents/learned/regal/chain_problem.h"

namespace opyard::agents::regal {
namespace {

using testing::Chain;

Settings TwoSamplesEach() {
  Settings settings;
  settings.training.batch_size = 2;
  settings.genetic.population = 4;
  return settings;
}

// Mean and variance of d0's gene, then of d1's, the same for each op: bins of 16.
torch::Tensor SameForAllOps(const std::vector<std::int64_t>& bins) {
  return torch::tensor(bins).repeat({12});  // int64 [48]
}

// Four uniform chromosomes, and two proposals for each: as in proposal_search_test.cc, the good one
// has all ops on d0, 24 us, and the bad one on d1, 12 · 9 = 108 us, but for a gene in thousands.
TEST(RewardChromosomesTest, EachProposalIsComparedWithTheUniformChromosomeAndItsTwin) {
  const auto problem = Chain();
  const View view = MakeView(*problem, {});
  const torch::Tensor good = SameForAllOps({15, 0, 0, 0});
  const torch::Tensor bad = SameForAllOps({0, 0, 15, 0});
  env::Evaluator evaluator(problem, {});
  const auto found = RewardChromosomes(view,
                                       torch::stack({good, bad}).repeat({4, 1}),
                                       BinQuantiles(16),
                                       TwoSamplesEach(),
                                       3,
                                       evaluator);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(evaluator.num_evaluations(), 4 + 8);
  EXPECT_EQ(evaluator.best()->evaluation.result.makespan.picoseconds, 24'000'000);
  ASSERT_EQ(found->rewards.size(), 8U);
  for (std::size_t i = 0; i < 8; i += 2) {
    EXPECT_GT(found->rewards[i], 0.2);
    EXPECT_LT(found->rewards[i + 1], -0.2);
    EXPECT_NEAR(found->advantages[i], -found->advantages[i + 1], 1e-9);
    EXPECT_GT(found->advantages[i], 0.4);
  }
}

// One distribution for all genes is an increasing function of the uniform ones: the plans are
// equal, and so are the rewards, exactly 0.
TEST(RewardChromosomesTest, TheSameDistributionForAllGenesIsWorthNothing) {
  const auto problem = Chain();
  const View view = MakeView(*problem, {});
  env::Evaluator evaluator(problem, {});
  const auto found = RewardChromosomes(view,
                                       SameForAllOps({11, 4, 11, 4}).repeat({6, 1}),
                                       BinQuantiles(16),
                                       TwoSamplesEach(),
                                       5,
                                       evaluator);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rewards, std::vector<double>(6, 0.0));
  EXPECT_EQ(found->advantages, std::vector<double>(6, 0.0));
}

// The uniform chromosomes are those that BRKGA with this seed begins with.
TEST(RewardChromosomesTest, UniformChromosomesAreBrkgasFirstPopulation) {
  const auto problem = Chain();
  std::vector<double> by_brkga;
  const auto remember = [](std::vector<double>& scores) {
    return [&scores](const sim::Plan&, const env::Evaluation& evaluation) {
      scores.push_back(evaluation.score);
    };
  };
  env::Evaluator four(problem, {.budget = {.evaluations = 4}, .on_evaluation = remember(by_brkga)});
  Rng rng(9);
  BrkgaSearch(TwoSamplesEach().genetic).Search(*problem, four, rng);
  const View view = MakeView(*problem, {});
  std::vector<double> rewarded;
  env::Evaluator evaluator(problem, {.on_evaluation = remember(rewarded)});
  static_cast<void>(RewardChromosomes(view,
                                      SameForAllOps({8, 5, 8, 5}).repeat({8, 1}),
                                      BinQuantiles(16),
                                      TwoSamplesEach(),
                                      9,
                                      evaluator));
  ASSERT_EQ(rewarded.size(), 12U);
  rewarded.resize(4);
  EXPECT_EQ(rewarded, by_brkga);
}

TEST(RewardChromosomesTest, ABudgetThatEndsGivesNothing) {
  const auto problem = Chain();
  const View view = MakeView(*problem, {});
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 11}});
  EXPECT_FALSE(RewardChromosomes(view,
                                 SameForAllOps({8, 5, 8, 5}).repeat({8, 1}),
                                 BinQuantiles(16),
                                 TwoSamplesEach(),
                                 9,
                                 evaluator));
}

}  // namespace
}  // namespace opyard::agents::regal
