#include "agents/learned/common/problem_baselines.h"

#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

TEST(ProblemBaselinesTest, EachProblemHasItsOwnAndACheckpointHasThemAll) {
  ProblemBaselines baselines(0.5);
  baselines.Of("a").set_value(-1.25);
  baselines.Of("b").set_value(-3.5);
  EXPECT_FALSE(baselines.Of("never completed").value().has_value());
  Checkpoint checkpoint;
  checkpoint.record["note"] = "stays";
  baselines.AddTo(checkpoint);

  ProblemBaselines other(0.5);
  other.TakeFrom(checkpoint);
  EXPECT_EQ(other.Of("a").value(), -1.25);
  EXPECT_EQ(other.Of("b").value(), -3.5);
  EXPECT_TRUE(checkpoint.tensors.empty());
  EXPECT_EQ(checkpoint.record.size(), 1U);
}

TEST(ProblemBaselinesTest, WhatIsNoBaselineIsLeft) {
  Checkpoint checkpoint;
  checkpoint.tensors["baselines"] = torch::zeros({2}, torch::kFloat);
  ProblemBaselines baselines(0.5);
  baselines.TakeFrom(checkpoint);
  EXPECT_FALSE(baselines.Of("a").value().has_value());
}

}  // namespace
}  // namespace opyard::agents
