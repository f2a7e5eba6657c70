#include "agents/learned/go/entropy_control.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::go {
namespace {

using testing::MakeProblem;
using ::testing::SizeIs;
using testing::UnevenOp;

// A chain of eight ops on so many equal devices.
std::shared_ptr<const env::Problem> EightOps(std::size_t num_devices, env::TaskSet tasks) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 8; ++i) {
    ops.push_back(
        UnevenOp("op" + std::to_string(i),
                 std::vector<std::int64_t>(num_devices, 3),
                 i == 0 ? std::vector<sim::InputRef>{} : std::vector<sim::InputRef>{{i - 1, 0}}));
  }
  return MakeProblem(
      opyard::testing::MakeGraph(std::move(ops)), opyard::testing::MeshMachine(num_devices), tasks);
}

// h(q) of one of `others` + 1 choices.
double EntropyOf(double q, double others) {
  return -(1 - q) * std::log(1 - q) - q * std::log(q / others);
}

class EntropyControlTest : public ::testing::Test {
 protected:
  // With two resolutions, of 4 and of 8 rows.
  View Seen(std::size_t num_devices, env::TaskSet tasks) {
    problem_ = EightOps(num_devices, tasks);
    return MakeView(*problem_, {.first = 4}, {});
  }
  TrainingOptions options_{.exploration = {.start = 0.9, .end = 0.2}};

 private:
  std::shared_ptr<const env::Problem> problem_;
};

// With four rows and four choices, plans sampled evenly differ from any plan in 4 · 3/4 = 3; nine
// tenths are 2.7 rows at the start, so that q = 0.675. On eight rows at the start, q is half of it.
// At the end 0.2 rows of eight, q = 0.025; half-way √(2.7 · 0.2) = 0.7348 rows.
TEST_F(EntropyControlTest, APlanDiffersInAsManyRowsAsIsAsked) {
  const View view = Seen(4, testing::kPlacement);
  ASSERT_THAT(view.resolutions, SizeIs(2));
  const auto wanted = [&](std::size_t resolution, double used_share) {
    return WantedEntropies(view, resolution, options_, used_share)[0];
  };
  EXPECT_NEAR(wanted(0, 0.0), EntropyOf(0.675, 3), 1e-9);
  EXPECT_NEAR(wanted(1, 0.0), EntropyOf(0.3375, 3), 1e-9);
  EXPECT_NEAR(wanted(1, 1.0), EntropyOf(0.025, 3), 1e-9);
  EXPECT_NEAR(wanted(0, 0.5), EntropyOf(std::sqrt(2.7 * 0.2) / 4, 3), 1e-9);
}

// Priorities begin with the entropy of their prior: q = 0.1 of 19 others.
TEST_F(EntropyControlTest, APriorityBeginsWithItsPrior) {
  const View view = Seen(2, testing::kAll);
  const std::vector<double> wanted = WantedEntropies(view, 0, options_, 0.0);
  ASSERT_THAT(wanted, SizeIs(3));
  EXPECT_NEAR(wanted[0], EntropyOf(0.45, 1), 1e-9);
  EXPECT_NEAR(wanted[1], EntropyOf(0.1, 19), 1e-9);
  EXPECT_NEAR(wanted[2], EntropyOf(0.1, 19), 1e-9);
  options_.sizes.level_prior = 0.0;
  EXPECT_NEAR(WantedEntropies(view, 0, options_, 0.0)[1], EntropyOf(0.9 * 0.95, 19), 1e-9);
}

// Half a row differs from the likeliest plan, however few rows there are: 0.05 of 4 · 3/4 is less.
TEST_F(EntropyControlTest, HalfARowIsExploredAtLeastAtTheStart) {
  options_.exploration.start = 0.05;
  const View view = Seen(4, testing::kPlacement);
  EXPECT_NEAR(WantedEntropies(view, 1, options_, 0.0)[0], EntropyOf(0.0375, 3), 1e-9);
  options_.exploration.start = 0.1;
  EXPECT_NEAR(WantedEntropies(view, 0, options_, 0.0)[0], EntropyOf(0.075, 3), 1e-9);
}

// exp(0.3 · (0.4 − 0.3) / 0.4) = exp(0.075): too little entropy, a greater weight.
TEST(EntropyWeightTest, GrowsWhereEntropyIsMissing) {
  EntropyControl control({.weight = 0.05, .gain = 0.3});
  control.Move(0, Task::kScheduling, 0.3, 0.4);
  EXPECT_NEAR(control.WeightOf(0, Task::kScheduling), 0.05 * std::exp(0.075), 1e-12);
  EXPECT_EQ(control.WeightOf(0, Task::kPlacement), 0.05);
  control.Move(0, Task::kScheduling, 0.5, 0.4);
  EXPECT_NEAR(control.WeightOf(0, Task::kScheduling), 0.05, 1e-12);
}

// However wrong the entropy is, a step is e^±0.3, and there are bounds.
TEST(EntropyWeightTest, MovesByTheGainAtMost) {
  EntropyControl control({.weight = 0.05, .gain = 0.3});
  control.Move(0, Task::kPlacement, 5.0, 0.01);
  EXPECT_NEAR(control.WeightOf(0, Task::kPlacement), 0.05 * std::exp(-0.3), 1e-12);
  for (int i = 0; i < 100; ++i) {
    control.Move(0, Task::kPlacement, 5.0, 0.01);
  }
  EXPECT_EQ(control.WeightOf(0, Task::kPlacement), 1e-4);
  for (int i = 0; i < 100; ++i) {
    control.Move(0, Task::kPlacement, 0.0, 1.0);
  }
  EXPECT_EQ(control.WeightOf(0, Task::kPlacement), 1.0);
  control.Move(0, Task::kPlacement, 0.0, 0.0);
  EXPECT_EQ(control.WeightOf(0, Task::kPlacement), 1.0);
}

// The weights learnt on eight rows do not spoil four; sixteen begin with what eight had.
TEST(EntropyWeightTest, EachResolutionHasItsOwn) {
  EntropyControl control({.weight = 0.05, .gain = 0.3});
  control.Move(1, Task::kFusion, 0.0, 1.0);
  EXPECT_EQ(control.WeightOf(0, Task::kFusion), 0.05);
  EXPECT_GT(control.WeightOf(1, Task::kFusion), 0.06);
  EXPECT_EQ(control.WeightOf(2, Task::kFusion), control.WeightOf(1, Task::kFusion));
}

TEST(EntropyWeightTest, AConstantOneStays) {
  EntropyControl control({.rule = EntropyRule::kConstant, .weight = 0.01});
  control.Move(0, Task::kPlacement, 0.0, 1.0);
  EXPECT_EQ(control.WeightOf(0, Task::kPlacement), 0.01);
}

// On four rows of eight ops three places have a choice, on eight rows seven. A prior of 0.9 leaves
// q = 0.1 of changing places with the next row: h over two choices, of 3 of 4 decisions. At the end
// 0.2 of seven places, of 8 decisions. Without the rule any of four rows on average may come.
TEST_F(EntropyControlTest, AnOrderIsHeldNearItsRule) {
  options_.sizes.priority_head = PriorityHead::kGumbel;
  const View view = Seen(2, testing::kScheduling);
  EXPECT_NEAR(WantedEntropies(view, 0, options_, 0.0)[0], EntropyOf(0.1, 1) * 3 / 4, 1e-9);
  EXPECT_NEAR(WantedEntropies(view, 1, options_, 1.0)[0], EntropyOf(0.2 / 7, 1) * 7 / 8, 1e-9);
  options_.sizes.ranked = false;
  EXPECT_NEAR(WantedEntropies(view, 0, options_, 0.0)[0], EntropyOf(0.45, 1) * 3 / 4, 1e-9);
  EXPECT_NEAR(WantedEntropies(view, 1, options_, 1.0)[0], EntropyOf(0.2 / 7, 3) * 7 / 8, 1e-9);
}

}  // namespace
}  // namespace opyard::agents::go
