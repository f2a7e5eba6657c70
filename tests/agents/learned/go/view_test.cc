#include "agents/learned/go/view.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::go {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::MakeProblem;
using ::testing::SizeIs;
using testing::UnevenOp;

// A chain of eight ops on equal devices.
std::shared_ptr<const env::Problem> EightOps(env::TaskSet tasks, std::size_t num_devices = 2) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 8; ++i) {
    ops.push_back(
        UnevenOp("op" + std::to_string(i),
                 {3, 3},
                 i == 0 ? std::vector<sim::InputRef>{} : std::vector<sim::InputRef>{{i - 1, 0}}));
  }
  return MakeProblem(
      opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(num_devices), tasks);
}

std::vector<std::int64_t> RowsOfResolutions(const View& view) {
  std::vector<std::int64_t> counts;
  for (const DecisionRows& resolution : view.resolutions) {
    counts.push_back(resolution.sequence.num_groups);
  }
  return counts;
}

TEST(GoViewTest, ResolutionsDoubleTheirRowsUntilEachGroupHasOne) {
  const auto problem = EightOps(testing::kPlacement);
  EXPECT_THAT(RowsOfResolutions(MakeView(*problem, {.first = 2}, {})), ElementsAre(2, 4, 8));
  EXPECT_THAT(RowsOfResolutions(MakeView(*problem, {.first = 3}, {})), ElementsAre(3, 8));
  EXPECT_THAT(RowsOfResolutions(MakeView(*problem, {.first = 5}, {})), ElementsAre(8));
  EXPECT_THAT(RowsOfResolutions(MakeView(*problem, {.first = 0}, {})), ElementsAre(8));
  EXPECT_THAT(RowsOfResolutions(MakeView(*problem, {.first = 2, .most = 5}, {})),
              ElementsAre(2, 5));
}

TEST(GoViewTest, RowsForATrainedNetworkAreAsManyAsAccelerators) {
  const auto first_of = [](env::TaskSet tasks, std::size_t num_devices, std::int64_t first) {
    return WithARowForEachAccelerator(*EightOps(tasks, num_devices), {.first = first}).first;
  };
  EXPECT_EQ(first_of(testing::kPlacement, 2, 1), 2);
  EXPECT_EQ(first_of(testing::kPlacement, 3, 1), 4);
  EXPECT_EQ(first_of(testing::kPlacement, 3, 3), 3);
  EXPECT_EQ(first_of(testing::kPlacement, 3, 0), 0);
  EXPECT_EQ(first_of(testing::kScheduling, 3, 1), 1);
}

TEST(GoViewTest, EachResolutionHasAnEqualPartOfTheBudget) {
  const auto problem = EightOps(testing::kPlacement);
  const View view = MakeView(*problem, {.first = 2}, {});
  ASSERT_THAT(view.resolutions, SizeIs(3));
  EXPECT_EQ(ResolutionAt(view, 0.0), 0U);
  EXPECT_EQ(ResolutionAt(view, 0.33), 0U);
  EXPECT_EQ(ResolutionAt(view, 0.34), 1U);
  EXPECT_EQ(ResolutionAt(view, 0.67), 2U);
  EXPECT_EQ(ResolutionAt(view, 1.0), 2U);
}

// A group does what its row does, and back: what a row did is what all its groups do.
TEST(GoViewTest, ActionsGoFromRowsToGroupsAndBack) {
  const auto problem = EightOps(testing::kAll);
  const View view = MakeView(*problem, {.first = 2}, {});
  const torch::Tensor of_rows = torch::tensor({0, 1, 7, 13, 0, 19}, torch::kLong).view({1, 3, 2});
  const torch::Tensor of_groups = ActionsOfGroups(view, 0, of_rows);
  ASSERT_EQ(of_groups.sizes(), (std::vector<std::int64_t>{1, 3, 8}));
  for (std::int64_t group = 0; group < 8; ++group) {
    const auto row =
        view.resolutions[0].sequence.group_of_problem_group[static_cast<std::size_t>(group)];
    EXPECT_TRUE(torch::equal(of_groups[0].select(1, group), of_rows[0].select(1, row)));
  }
  EXPECT_TRUE(torch::equal(ActionsOfRows(view, 0, of_groups), of_rows));
  EXPECT_TRUE(torch::equal(ActionsOfRows(view, 2, of_groups), of_groups));
}

// A row of four groups does what three of them did, unless it may not.
TEST(GoViewTest, ARowDoesWhatMostOfItsOpsDo) {
  const auto problem = EightOps(testing::kPlacement);
  View view = MakeView(*problem, {.first = 2}, {});
  const torch::Tensor row = view.row_of_group[0];
  torch::Tensor of_groups = torch::ones({1, 1, 8}, torch::kLong);
  of_groups[0][0][row.eq(0).nonzero()[0].item<std::int64_t>()] = 0;
  of_groups[0][0].masked_fill_(row.eq(1), 0);
  EXPECT_TRUE(torch::equal(ActionsOfRows(view, 0, of_groups).flatten(),
                           torch::tensor({1, 0}, torch::kLong)));
  view.resolutions[0].mask = torch::tensor({{true, false}, {true, true}});
  EXPECT_TRUE(torch::equal(ActionsOfRows(view, 0, of_groups).flatten(),
                           torch::tensor({0, 0}, torch::kLong)));
}

TEST(GoViewTest, OnlyTheProblemsTasksAreDecided) {
  const auto scheduling = EightOps(testing::kScheduling);
  const View view = MakeView(*scheduling, {.first = 0}, {});
  EXPECT_THAT(view.tasks, ElementsAre(Task::kScheduling));
  EXPECT_THAT(MakeView(*EightOps(testing::kAll), {}, {}).tasks,
              ElementsAre(Task::kPlacement, Task::kScheduling, Task::kFusion));
}

// All on the level in the middle: the priorities of a chain fall from op to op, as upward ranks do.
// Of 20 resolutions the last one brings the last op before all of these.
TEST(GoViewTest, LevelsMoveOpsFromTheOrderOfTheirRanks) {
  const auto problem = EightOps(testing::kScheduling);
  const View view = MakeView(*problem, {.first = 0}, {});
  torch::Tensor resolutions = torch::full({1, 8}, 10, torch::kLong);
  const std::vector<std::int64_t> ranked = ToPlan(view, resolutions).op_priority;
  for (std::size_t op = 1; op < 8; ++op) {
    EXPECT_GT(ranked[op - 1], ranked[op]);
  }
  resolutions[0][7] = 19;
  const std::vector<std::int64_t> moved = ToPlan(view, resolutions).op_priority;
  EXPECT_GT(moved[7], moved[0]);
}

// The places 1, 0 of two rows: the second row runs first; within a row ops run by upward ranks.
TEST(GoViewTest, RowsRunInTheOrderOfTheirPlaces) {
  const auto problem = EightOps(testing::kScheduling);
  const View view = MakeView(*problem, {.first = 2}, {.priority_head = PriorityHead::kGumbel});
  const torch::Tensor of_rows = torch::tensor({1, 0}, torch::kLong).view({1, 1, 2});
  const std::vector<std::int64_t> priority =
      ToPlan(view, ActionsOfGroups(view, 0, of_rows)[0]).op_priority;
  const std::vector<std::int32_t>& row = view.resolutions[0].sequence.group_of_op;
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = a + 1; b < 8; ++b) {
      EXPECT_EQ(priority[a] > priority[b], row[a] >= row[b]) << a << " and " << b;
    }
  }
}

// Each group takes the place of its row. A row of a coarser resolution comes by the mean place of
// its ops. Rows of a finer resolution, which were one, come by the rule: upward ranks, which fall
// along a chain.
TEST(GoViewTest, OrdersGoFromResolutionToResolution) {
  const auto problem = EightOps(testing::kScheduling);
  const View view = MakeView(*problem, {.first = 2}, {.priority_head = PriorityHead::kGumbel});
  const torch::Tensor coarse = torch::tensor({1, 0}, torch::kLong).view({1, 1, 2});
  const torch::Tensor of_groups = ActionsOfGroups(view, 0, coarse);
  EXPECT_TRUE(torch::equal(ActionsOfRows(view, 0, of_groups), coarse));
  const torch::Tensor fine = ActionsOfRows(view, 2, of_groups).flatten();
  EXPECT_TRUE(torch::equal(std::get<0>(fine.sort()), torch::arange(8, torch::kLong)));
  for (std::int64_t a = 0; a < 8; ++a) {
    for (std::int64_t b = a + 1; b < 8; ++b) {
      const bool is_one_row = of_groups[0][0][a].equal(of_groups[0][0][b]);
      const bool comes_before = fine[a].item<std::int64_t>() < fine[b].item<std::int64_t>();
      EXPECT_EQ(comes_before, is_one_row || of_groups[0][0][a].item<std::int64_t>() == 0);
    }
  }
}

// The row whose turn it is comes next with probability 0.9: scores fall by ln 10 from row to row.
TEST(GoViewTest, ScoresBeginWithTheOrderOfUpwardRanks) {
  const auto problem = EightOps(testing::kScheduling);
  const View view = MakeView(*problem, {.first = 0}, {.priority_head = PriorityHead::kGumbel});
  const torch::Tensor scores = PolicyInputOf(view, 0).rule_scores;
  ASSERT_EQ(scores.size(0), 8);
  EXPECT_TRUE(
      torch::allclose(scores, torch::arange(8, torch::kFloat) * -std::log(10.0), 0.0, 1e-4));
  const View unranked =
      MakeView(*problem, {.first = 0}, {.priority_head = PriorityHead::kGumbel, .ranked = false});
  EXPECT_FALSE(PolicyInputOf(unranked, 0).rule_scores.defined());
}

// Tasks that are not decided follow the fixed plan.
TEST(GoViewTest, OtherTasksAreAsTheFixedPlanHasThem) {
  const auto problem = EightOps(testing::kAll);
  View view = MakeView(*problem, {.first = 0}, {});
  sim::Plan fixed = ToPlan(view, torch::ones({3, 8}, torch::kLong));
  fixed.op_priority[2] = 77;
  view.tasks = {Task::kFusion};
  view.fixed = fixed;
  const sim::Plan plan = ToPlan(view, torch::full({1, 8}, 3, torch::kLong));
  EXPECT_EQ(plan.placement, fixed.placement);
  EXPECT_EQ(plan.queue, fixed.queue);
  EXPECT_EQ(plan.op_priority, fixed.op_priority);
  EXPECT_THAT(plan.fusion_priority, Each(3));
}

// A graph of eight equal ops in a chain.
TEST(GoViewTest, FewRowsAreRunsOfStages) {
  const auto problem = EightOps(testing::kPlacement);
  const View view = MakeView(*problem, {.first = 2, .staged = 2}, {});
  EXPECT_THAT(RowsOfResolutions(view), ElementsAre(2, 4, 8));
  EXPECT_THAT(view.resolutions[0].sequence.group_of_op, ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(GoViewTest, WithoutRanksALevelIsThePriority) {
  const auto problem = EightOps(testing::kScheduling);
  const View view = MakeView(*problem, {.first = 0}, {.ranked = false});
  const torch::Tensor resolutions = torch::arange(8, torch::kLong).unsqueeze(0);
  EXPECT_THAT(ToPlan(view, resolutions).op_priority, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

}  // namespace
}  // namespace opyard::agents::go
