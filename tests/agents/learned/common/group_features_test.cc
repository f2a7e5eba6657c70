#include "agents/learned/common/group_features.h"

#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;

// a → {b, c}, b → d, c → d, d → e: only e reads d, and only d reads b and c; a has two readers.
std::shared_ptr<const env::Problem> DiamondWithTail() {
  return MakeProblem(MakeGraph({TimedOp("a", 2),
                                TimedOp("b", 3, {{0, 0}}),
                                TimedOp("c", 5, {{0, 0}}),
                                TimedOp("d", 7, {{1, 0}, {2, 0}}),
                                TimedOp("e", 11, {{3, 0}})}),
                     MeshMachine(2));
}

TEST(GroupFeaturesTest, ShapesAndMeansFollowTheGroups) {
  const auto problem = DiamondWithTail();
  const GroupSequence sequence =
      MakeGroupSequence(*problem, {.rule = GroupingRule::kProblem, .max_groups = 2});
  const env::Observation observation = env::Observe(*problem);
  const GroupFeatures features = MakeGroupFeatures(observation, sequence);
  EXPECT_EQ(features.type_share.sizes(), (std::vector<std::int64_t>{2, env::kTypeVocabulary}));
  EXPECT_EQ(features.x.sizes(), (std::vector<std::int64_t>{2, kGroupFeatureWidth}));
  EXPECT_EQ(features.adjacency.sizes(), (std::vector<std::int64_t>{2, 4}));
  for (std::int64_t group = 0; group < 2; ++group) {
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t op = 0; op < 5; ++op) {
      if (sequence.group_of_op[op] == group) {
        sum += observation.x[op * env::kNumFeatures + 4];
        ++count;
      }
    }
    EXPECT_NEAR(features.x[group][4].item<double>(), sum / count, 1e-6);
    EXPECT_NEAR(features.x[group][kGroupFeatureWidth - 1].item<double>(), count / 5, 1e-6);
    EXPECT_NEAR(features.type_share[group].sum().item<double>(), 1.0, 1e-6);
  }
}

TEST(GroupFeaturesTest, AdjacencyIsWhoFeedsWhomAndBack) {
  const auto problem = MakeProblem(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5, {{1, 0}})}),
      MeshMachine(2));
  const GroupFeatures features = MakeGroupFeatures(
      env::Observe(*problem), MakeGroupSequence(*problem, {.rule = GroupingRule::kProblem}));
  // Columns 0 … 2: the row feeds them; columns 3 … 5: the row reads from them.
  const torch::Tensor expected =
      torch::tensor({{0, 1, 0, 0, 0, 0}, {0, 0, 1, 1, 0, 0}, {0, 0, 0, 0, 1, 0}}, torch::kFloat);
  EXPECT_TRUE(torch::equal(features.adjacency, expected));
}

TEST(GroupFeaturesTest, WhatSpeaksOfMemoryCanBeHidden) {
  const auto problem = DiamondWithTail();
  const GroupFeatures seen = MakeGroupFeatures(
      env::Observe(*problem), MakeGroupSequence(*problem, {.rule = GroupingRule::kProblem}));
  GroupFeatures hidden = seen;
  hidden.x = torch::ones_like(seen.x);
  hidden.device_x = torch::ones_like(seen.device_x);
  HideMemory(hidden);
  // Columns 1, 2, 25 and 26 of ops and 6 of devices (env/features/columns.h).
  const auto zeros_in = [](const torch::Tensor& x) {
    std::vector<std::int64_t> columns;
    for (std::int64_t column = 0; column < x.size(1); ++column) {
      const double sum = x.select(1, column).sum().item<double>();
      EXPECT_TRUE(sum == 0.0 || sum == static_cast<double>(x.size(0))) << column;
      if (sum == 0.0) {
        columns.push_back(column);
      }
    }
    return columns;
  };
  EXPECT_EQ(zeros_in(hidden.x), (std::vector<std::int64_t>{1, 2, 25, 26}));
  EXPECT_EQ(zeros_in(hidden.device_x), std::vector<std::int64_t>{6});
}

// a feeds b and c, which feed d: means over two groups are halves.
TEST(GroupFeaturesTest, NeighboursAreMeansInBothDirections) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2),
                                              TimedOp("b", 3, {{0, 0}}),
                                              TimedOp("c", 5, {{0, 0}}),
                                              TimedOp("d", 5, {{1, 0}, {2, 0}})}),
                                   MeshMachine(2));
  const GroupFeatures features = MakeGroupFeatures(
      env::Observe(*problem), MakeGroupSequence(*problem, {.rule = GroupingRule::kProblem}));
  const torch::Tensor fed = torch::tensor(
      {{0.0, 0.5, 0.5, 0.0}, {0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0, 0.0}},
      torch::kFloat);
  const torch::Tensor read = torch::tensor(
      {{0.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.5, 0.5, 0.0}},
      torch::kFloat);
  EXPECT_TRUE(torch::equal(features.neighbours[0], fed));
  EXPECT_TRUE(torch::equal(features.neighbours[1], read));
  EXPECT_EQ(features.device_x.sizes(),
            (std::vector<std::int64_t>{2, static_cast<std::int64_t>(env::kNumDeviceFeatures)}));
}

}  // namespace
}  // namespace opyard::agents
