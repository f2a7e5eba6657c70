#include "agents/learned/regal/proposal.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/agents/learned/regal/two_ops.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::regal {
namespace {

using testing::MakeProblem;
using testing::UnevenOp;

// 0.01, 0.02, … for each decision: all differ.
torch::Tensor Middles(std::int64_t num_decisions) {
  return (torch::arange(num_decisions, torch::kDouble) + 1.0) * 0.01;
}

// Columns of a group: d0, d1, priority; of each a mean and a variance. Genes: 4 affinities, 2
// priorities, 4 of copies.
TEST(ShapesOfTest, EachGeneHasTheDecisionsOfItsGroupAndColumn) {
  const auto problem = TwoOps(testing::kBoth);
  const View view = MakeView(*problem, {});
  const GeneLayout layout(*problem, {.transfer_genes = true});
  const std::vector<BetaShape> expected = {BetaOfMean(0.01, 0.02),
                                           BetaOfMean(0.03, 0.04),
                                           BetaOfMean(0.07, 0.08),
                                           BetaOfMean(0.09, 0.10),
                                           BetaOfMean(0.05, 0.06),
                                           BetaOfMean(0.11, 0.12),
                                           BetaOfMean(0.05, 0.06),
                                           BetaOfMean(0.05, 0.06),
                                           BetaOfMean(0.11, 0.12),
                                           BetaOfMean(0.11, 0.12)};
  const std::vector<BetaShape> shapes = ShapesOf(view, layout, Middles(12));
  ASSERT_EQ(shapes.size(), expected.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_NEAR(shapes[i].alpha, expected[i].alpha, 1e-9 * expected[i].alpha) << i;
    EXPECT_NEAR(shapes[i].beta, expected[i].beta, 1e-9 * expected[i].beta) << i;
  }
}

TEST(ShapesOfTest, WhatIsNotProposedIsEven) {
  const auto problem = TwoOps(testing::kAll);
  const BetaShape even;
  const GeneLayout layout(*problem, {.transfer_genes = true});
  const View placed = MakeView(*problem, {.genes = Genes::kPlacement});
  std::vector<BetaShape> shapes = ShapesOf(placed, layout, Middles(8));
  for (std::size_t gene = 0; gene < shapes.size(); ++gene) {
    EXPECT_EQ(shapes[gene] == even, gene >= layout.first_priority()) << gene;
  }
  const View scheduled = MakeView(*problem, {.genes = Genes::kScheduling});
  shapes = ShapesOf(scheduled, layout, Middles(4));
  for (std::size_t gene = 0; gene < shapes.size(); ++gene) {
    const bool is_proposed = gene >= layout.first_priority() && gene < layout.first_fusion();
    EXPECT_EQ(shapes[gene] == even, !is_proposed) << gene;
  }
}

// Half of the way from 0.5 to 1 for a middle of 1/2.
TEST(EliteBiasOfTest, IsTheLastDecisionOnTheWayFromAHalfToOne) {
  EXPECT_DOUBLE_EQ(EliteBiasOf(torch::tensor({0.1, 0.5}, torch::kDouble)), 0.75);
}

}  // namespace
}  // namespace opyard::agents::regal
