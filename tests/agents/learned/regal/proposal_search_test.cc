#include "agents/learned/regal/proposal_search.h"

#include <vector>

#include <gtest/gtest.h>

#include "agents/learned/regal/policy.h"
#include "tests/agents/learned/regal/chain_problem.h"

namespace opyard::agents::regal {
namespace {

using testing::Chain;

TEST(ImprovementTest, IsRelativeToTheSearchWithoutProposals) {
  EXPECT_DOUBLE_EQ(Improvement(8.0, 6.0), 0.25);
  EXPECT_DOUBLE_EQ(Improvement(8.0, 10.0), -0.25);
  EXPECT_DOUBLE_EQ(Improvement(8.0, 100.0), -1.0);
  EXPECT_DOUBLE_EQ(Improvement(0.0, 0.0), 0.0);
}

TEST(ImprovementTest, WhoFindsNoFeasiblePlanLosesToWhoDoes) {
  EXPECT_DOUBLE_EQ(Improvement(std::nullopt, 5.0), 1.0);
  EXPECT_DOUBLE_EQ(Improvement(5.0, std::nullopt), -1.0);
  EXPECT_DOUBLE_EQ(Improvement(std::nullopt, std::nullopt), 0.0);
}

Settings FewDecodes() {
  Settings settings;
  settings.training.decodes = 6;
  settings.genetic.population = 4;
  return settings;
}

// The good proposal has means of 31/32 on d0 and 1/32 on d1, with variances of 1/32 of the
// greatest. At least one of the first four plans then has all on d0, 12 · 2 = 24 us, unless in each
// of the four some op has the greater gene on d1. For one op that has a probability of about 1e-4.
// Without a proposal a plan has one op in two on d1.
TEST(ImprovementsTest, AGoodProposalIsRewardedAndABadOneIsNot) {
  const auto problem = Chain();
  const View view = MakeView(*problem, {});
  const torch::Tensor good = torch::tensor({15, 0, 0, 0}).repeat({12});  // int64 [48]
  const torch::Tensor bad = torch::tensor({0, 0, 15, 0}).repeat({12});
  env::Evaluator evaluator(problem, {});
  const auto rewards = Improvements(view, torch::stack({good, bad}), FewDecodes(), 3, evaluator);
  ASSERT_TRUE(rewards.has_value());
  EXPECT_EQ(evaluator.best()->evaluation.result.makespan.picoseconds, 24'000'000);
  EXPECT_GT((*rewards)[0], 0.3);
  EXPECT_LT((*rewards)[1], -0.2);
  EXPECT_EQ(evaluator.num_evaluations(), 3 * 6);
}

// A network that proposes nothing for this problem changes nothing: the same seed breeds the same.
TEST(ImprovementsTest, WithoutAProposalASearchIsBrkga) {
  const auto problem = Chain();
  Settings settings = FewDecodes();
  settings.training.sizes.genes = Genes::kScheduling;
  const View view = MakeView(*problem, settings.training.sizes);
  ASSERT_EQ(view.num_columns(), 0);
  env::Evaluator evaluator(problem, {});
  const auto rewards =
      Improvements(view, torch::zeros({3, 0}, torch::kLong), settings, 5, evaluator);
  EXPECT_EQ(rewards, (std::vector<double>{0.0, 0.0, 0.0}));
}

// A fresh network proposes one distribution for all genes, an increasing function of the uniform
// ones: the search with it is the one without, evaluation by evaluation.
TEST(SearchWithTest, WhatAFreshNetworkExpectsIsBrkga) {
  const auto problem = Chain();
  for (const Network network : {Network::kMessages, Network::kSequence}) {
    const Sizes sizes{.network = network};
    const View view = MakeView(*problem, sizes);
    Rng weights(1);
    Policy policy(sizes, weights);
    const BrkgaOptions options{.population = 10, .start = Start::kRandom};
    const auto scores_of = [&](const BrkgaSearch& search) {
      std::vector<double> scores;
      env::Evaluator evaluator(
          problem,
          {.budget = {.evaluations = 200},
           .on_evaluation = [&](const sim::Plan&, const env::Evaluation& evaluation) {
             scores.push_back(evaluation.score);
           }});
      Rng rng(4);
      search.Search(*problem, evaluator, rng);
      return scores;
    };
    const torch::Tensor middles = ExpectedMiddles(policy.Forward(view).detach());
    EXPECT_EQ(scores_of(SearchWith(view, sizes, options, middles)),
              scores_of(BrkgaSearch(options)));
  }
}

TEST(ImprovementsTest, ABudgetThatEndsGivesNothing) {
  const auto problem = Chain();
  const View view = MakeView(*problem, {});
  env::Evaluator evaluator(problem, {.budget = {.evaluations = 17}});
  EXPECT_FALSE(Improvements(view, torch::zeros({2, 48}, torch::kLong), FewDecodes(), 3, evaluator));
}

}  // namespace
}  // namespace opyard::agents::regal
