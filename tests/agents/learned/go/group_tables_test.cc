#include "agents/learned/go/group_tables.h"

#include <gtest/gtest.h>

namespace opyard::agents::go {
namespace {

// Row 0 of groups 0 and 2, row 1 of group 1.
SparseEdges TwoRows() {
  SparseRows rows;
  rows.Append({0, 2});
  rows.Append({1});
  return MakeSparseEdges(rows);
}

class GroupTablesTest : public ::testing::Test {
 protected:
  GroupTables tables_{{.num_groups = 3, .num_devices = 2, .num_levels = 4},
                      {Task::kPlacement, Task::kFusion},
                      torch::kCPU};
};

TEST_F(GroupTablesTest, NothingIsAddedAtFirst) {
  EXPECT_TRUE(torch::equal(tables_.Of(Task::kPlacement, TwoRows()), torch::zeros({2, 2})));
  EXPECT_TRUE(torch::equal(tables_.Of(Task::kFusion, TwoRows()), torch::zeros({2, 4})));
  EXPECT_EQ(tables_.parameters().size(), 2U);
}

TEST_F(GroupTablesTest, AnOrderHasOneScoreOfEachGroup) {
  const GroupTables tables(
      {.num_groups = 3, .num_devices = 2, .num_levels = 4, .head = PriorityHead::kGumbel},
      {Task::kScheduling, Task::kFusion},
      torch::kCPU);
  EXPECT_TRUE(torch::equal(tables.Of(Task::kScheduling, TwoRows()), torch::zeros({2, 1})));
  EXPECT_TRUE(torch::equal(tables.Of(Task::kFusion, TwoRows()), torch::zeros({2, 4})));
}

// (1 + 5) / 2 and (2 + 7) / 2; the gradient of a row goes to its groups in equal parts.
TEST_F(GroupTablesTest, ARowHasTheMeanOfItsGroups) {
  {
    const torch::NoGradGuard no_grad;
    tables_.parameters()[0].copy_(torch::tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 7.0}}));
  }
  const torch::Tensor logits = tables_.Of(Task::kPlacement, TwoRows());
  EXPECT_TRUE(torch::equal(logits, torch::tensor({{3.0F, 4.5F}, {3.0F, 4.0F}})));
  logits[0][1].backward();
  EXPECT_TRUE(torch::equal(tables_.parameters()[0].grad(),
                           torch::tensor({{0.0F, 0.5F}, {0.0F, 0.0F}, {0.0F, 0.5F}})));
}

}  // namespace
}  // namespace opyard::agents::go
