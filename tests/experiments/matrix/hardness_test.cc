#include "experiments/matrix/hardness.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "agents/registry.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using testing::TimedOp;

std::shared_ptr<const env::Problem> ProblemOf(std::vector<sim::OpSpec> ops) {
  return std::make_shared<const env::Problem>(env::ProblemSpec{
      .graph = testing::MakeGraph(std::move(ops)),
      .hardware = std::make_shared<const sim::HardwareProfile>(testing::MeshMachine(2))});
}

bool IsHardWith(std::int64_t few, double least_gain, std::vector<sim::OpSpec> ops) {
  return IsHard(ProblemOf(std::move(ops)),
                {.few_evaluations = few, .many_evaluations = 2000, .least_gain = least_gain},
                agents::ClassicalAgents());
}

// No plan on two devices is more than twice as fast as any that wastes no time.
std::vector<sim::OpSpec> IndependentOps() {
  std::vector<sim::OpSpec> ops;
  for (int i = 0; i < 40; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i % 5));
  }
  return ops;
}

TEST(HardnessTest, OneOpIsNotHard) {
  EXPECT_FALSE(IsHardWith(1, 0.2, {TimedOp("a", 5)}));
}

TEST(HardnessTest, WhatMoreEvaluationsImproveIsHardFromThatGainOn) {
  EXPECT_TRUE(IsHardWith(1, 0.01, IndependentOps()));
  EXPECT_FALSE(IsHardWith(1, 0.51, IndependentOps()));
}

TEST(HardnessTest, WhatOnlyMoreEvaluationsFitIsHard) {
  // Ten Variables of 190 KB on two devices of 1 MB: only splits of five and five fit.
  std::vector<sim::OpSpec> ops;
  for (int i = 0; i < 10; ++i) {
    ops.push_back(testing::VariableOp("v" + std::to_string(i), 190'000));
  }
  // The score is no criterion here: plans that fit take no time.
  EXPECT_TRUE(IsHardWith(1, 0.99, ops));
  EXPECT_FALSE(IsHardWith(1999, 0.99, ops));
}

}  // namespace
}  // namespace opyard::experiments
