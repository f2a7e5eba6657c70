#include "agents/learned/go/row_context.h"

#include <vector>

#include <gtest/gtest.h>

#include "agents/learned/common/reinforce.h"
#include "agents/learned/common/torch_session.h"
#include "tests/agents/learned/go/shown_problem.h"

namespace opyard::agents::go {
namespace {

using testing::ShownProblem;

class RowContextTest : public ::testing::Test {
 private:
  TorchSession one_thread_{1};
};

// Weights of H heads on earlier rows, [1, H, R, R], that sum to 1 but for the first row.
torch::Tensor SomePointers(std::int64_t heads, std::int64_t num_rows) {
  const torch::Tensor weights =
      (torch::arange(heads * num_rows * num_rows, torch::kFloat).mul(0.7).sin() + 1.1)
          .view({1, heads, num_rows, num_rows})
          .tril(-1);
  return weights / weights.sum(3, /*keepdim=*/true).clamp_min(1e-6);
}

// Four rows with 1, 2, 3 and 4 tenths of the time on devices 0, 1 and 2, of which 1 and 2 are
// equal, and the placement 0, 2, 0 of the first three. Row 3 exchanges a quarter with row 0 and the
// rest with row 1; its pointer is on row 1. Device 0 has 4 tenths, 1.2 times an even third: 1.2 /
// 2.2; device 2 has 2 tenths, 0.6 times: 0.6 / 1.6.
TEST_F(RowContextTest, ARowKnowsWhereThoseBeforeItAre) {
  const RowRelations relations{
      .exchanged = torch::tensor({{0.0, 0.0, 0.0, 0.0},
                                  {1.0, 0.0, 0.0, 0.0},
                                  {0.0, 0.0, 0.0, 0.0},
                                  {0.25, 0.75, 0.0, 0.0}},
                                 torch::kFloat),
      .time = torch::tensor({0.1, 0.2, 0.3, 0.4}, torch::kFloat),
      .is_equal_before =
          torch::tensor({{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}}, torch::kFloat)};
  const torch::Tensor pointers = torch::zeros({1, 1, 4, 4});
  pointers[0][0][3][1] = 1.0;
  const torch::Tensor context =  // [1, 4, 3, 7]
      ContextOfRows(relations, pointers, torch::tensor({{0, 2, 0, 1}}, torch::kLong));
  const torch::Tensor of_last = torch::tensor({{1.0, 0.0, 1.2 / 2.2, 2.0 / 3.0, 0.25, 1.0, 0.0},
                                               {0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0},
                                               {1.0, 0.0, 0.6 / 1.6, 1.0 / 3.0, 0.75, 0.0, 1.0}},
                                              torch::kFloat);
  EXPECT_TRUE(torch::allclose(context[0][3], of_last, 0.0, 1e-6)) << context[0][3];
  const torch::Tensor of_first =  // device 2 is not the first of its kind
      torch::tensor({{0.0, 1.0}, {0.0, 1.0}, {0.0, 0.0}}, torch::kFloat);
  EXPECT_TRUE(torch::equal(context[0][0].slice(1, 0, 2), of_first));
  EXPECT_EQ(context[0][0].slice(1, 2).abs().max().item<float>(), 0.0F);
}

TEST_F(RowContextTest, RowAfterRowGivesWhatAllAtOnceGive) {
  const ShownProblem shown(testing::RealProblem(), {Task::kPlacement});
  const std::int64_t num_rows = shown.rows.mask.size(0);
  const RowRelations relations = MakeRowRelations(shown.rows, shown.devices);
  const torch::Tensor pointers = SomePointers(2, num_rows);
  Rng rng(3);
  const torch::Tensor placements =  // [5, R]
      SampleChoices(torch::zeros({num_rows, shown.rows.mask.size(1)}), 5, rng);
  const torch::Tensor at_once = ContextOfRows(relations, pointers, placements);
  RowContext context(relations, pointers, 5);
  for (std::int64_t row = 0; row < num_rows; ++row) {
    ASSERT_TRUE(torch::allclose(context.Next(), at_once.select(1, row), 0.0, 1e-5)) << row;
    context.Place(placements.select(1, row));
  }
}

// In a chain each row exchanges with the one before alone. Ops of 3, 4, 5, 6 and 3 µs: 21 in all.
TEST_F(RowContextTest, RelationsAreThoseOfTheGraph) {
  const ShownProblem shown(testing::ChainOfOps(5, 3), {Task::kPlacement});
  const RowRelations relations = MakeRowRelations(shown.rows, shown.devices);
  const torch::Tensor chain = torch::diag_embed(torch::ones(4, torch::kFloat), /*offset=*/-1);
  EXPECT_TRUE(torch::allclose(relations.exchanged, chain, 0.0, 1e-5)) << relations.exchanged;
  EXPECT_TRUE(torch::allclose(
      relations.time, torch::tensor({3.0, 4.0, 5.0, 6.0, 3.0}, torch::kFloat) / 21.0, 0.0, 1e-4))
      << relations.time;
  EXPECT_TRUE(torch::equal(relations.is_equal_before, torch::ones({3, 3}, torch::kFloat).triu(1)));
}

// Four cards and their host, which is equal to none.
TEST_F(RowContextTest, AHostIsNoCard) {
  const ShownProblem shown(testing::RealProblem(), {Task::kPlacement});
  const torch::Tensor equal = MakeRowRelations(shown.rows, shown.devices).is_equal_before;
  EXPECT_EQ(equal.sum().item<float>(), 6.0F);  // pairs of cards
  EXPECT_EQ(equal.max().item<float>(), 1.0F);
}

}  // namespace
}  // namespace opyard::agents::go
