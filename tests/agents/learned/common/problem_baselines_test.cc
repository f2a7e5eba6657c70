#include "agents/learned/common/problem_baselines.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"

namespace opyard::agents {
namespace {

using ::testing::HasSubstr;

TEST(ProblemBaselinesTest, EachProblemHasItsOwnAndACheckpointHasThemAll) {
  ProblemBaselines baselines(0.5);
  baselines.Of("a").set_value(-1.25);
  baselines.Of("b").set_value(-3.5);
  EXPECT_FALSE(baselines.Of("never completed").value().has_value());
  Checkpoint checkpoint;
  checkpoint.record["note"] = "stays";
  baselines.AddTo(checkpoint);

  ProblemBaselines other(0.5);
  other.TakeFrom(checkpoint, "state");
  EXPECT_EQ(other.Of("a").value(), -1.25);
  EXPECT_EQ(other.Of("b").value(), -3.5);
  EXPECT_TRUE(checkpoint.tensors.empty());
  EXPECT_EQ(checkpoint.record.size(), 1U);
}

std::string MessageFor(Checkpoint checkpoint) {
  try {
    ProblemBaselines(0.5).TakeFrom(checkpoint, "state");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ProblemBaselinesTest, AStateWithoutThemOrWithDamagedOnesIsRefused) {
  Checkpoint damaged;
  damaged.tensors["baselines"] = torch::zeros({2}, torch::kFloat);
  Checkpoint nameless;
  nameless.tensors["baselines"] = torch::zeros({3}, torch::kDouble);
  nameless.record["baseline.0"] = "a";
  EXPECT_THAT(MessageFor({}), HasSubstr("state: tensor baselines: missing, expected float64"));
  EXPECT_THAT(MessageFor(damaged), HasSubstr("state: tensor baselines: missing, expected float64"));
  EXPECT_THAT(MessageFor(nameless), HasSubstr("state: record baseline.1: missing"));
}

// No problem had a plan that completed yet.
TEST(ProblemBaselinesTest, NoneAreTakenBackAsNone) {
  Checkpoint checkpoint;
  ProblemBaselines(0.5).AddTo(checkpoint);
  EXPECT_EQ(MessageFor(checkpoint), "");
}

}  // namespace
}  // namespace opyard::agents
