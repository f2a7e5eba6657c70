// GO's network with matrix products in bfloat16, beside float32.
#include <cmath>

#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include "agents/learned/common/precision_scope.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/go/policy.h"
#include "tests/agents/learned/flat_gradient.h"
#include "tests/agents/learned/go/shown_problem.h"

namespace opyard::agents::go {
namespace {

using testing::FlatGradient;
using testing::ShownProblem;

// A product rounds both factors and its result to 8 binary digits: a relative error of 3 · 2⁻⁸ at
// most. At the defaults the longest way from an op to a logit of fusion priorities has 43 products.
// These are 1 for the op, 2 for each of 3 layers, 1 for the row and 2 for each of 2 layers. Then
// come 6 for each of 2 layers before the tasks and for each of 3 tasks, and 1 for the logit. The 6
// are queries, keys and values, weights, their sum and its output, and the two of the feed-forward
// layer. Sums of layers and norms in float32 keep the sizes of what they add, and the errors are as
// good as independent. So the root mean square error of logits is at most 3 · 2⁻⁸ · √43 = 0.077 of
// their own root mean square about their mean. A gradient goes that way twice: 3 · 2⁻⁸ · √86, which
// is 0.109. Rows that are alike are compared by their differences (row_skip), which have greater
// relative errors than the rows: these bounds hold for networks without that.
constexpr double kOneWay = 0.077;
constexpr double kBothWays = 0.109;

class GoPrecisionTest : public ::testing::Test {
 protected:
  // [1, 3, 40] sampled in float32.
  torch::Tensor Actions() {
    return policy_.Sample(shown_.input, policy_.Encode(shown_.input), 1, rng_).actions;
  }
  ActionLogProbs Evaluate(Precision precision,
                          const torch::Tensor& actions,
                          std::int64_t most_values) {
    shown_.input.precision = precision;
    return policy_.EvaluateActions(
        shown_.input, policy_.Encode(shown_.input), {actions}, most_values);
  }
  torch::Tensor GradientOf(Precision precision,
                           const torch::Tensor& actions,
                           std::int64_t most_values = 1'000'000) {
    const ActionLogProbs evaluated = Evaluate(precision, actions, most_values);
    return FlatGradient(policy_, evaluated.log_probs.sum() + evaluated.entropy.sum());
  }

  TorchSession one_thread_{1};
  ShownProblem shown_{testing::ChainOfOps(40, 4),
                      {Task::kPlacement, Task::kScheduling, Task::kFusion}};
  Rng rng_{1};
  Policy policy_{Sizes{.row_skip = false, .level_prior = 0.0}, rng_};
};

double RelativeDifference(const torch::Tensor& found, const torch::Tensor& expected) {
  return ((found - expected).norm() / (expected - expected.mean()).norm()).item<double>();
}

// With float32 about 1e-6.
TEST_F(GoPrecisionTest, LogProbabilitiesDifferByRoundingOnly) {
  const torch::Tensor actions = Actions();
  const torch::Tensor exact =
      Evaluate(Precision::kFloat32, actions, 1'000'000).decision_log_probs.detach();
  const torch::Tensor rounded =
      Evaluate(Precision::kBfloat16, actions, 1'000'000).decision_log_probs.detach();
  EXPECT_EQ(rounded.scalar_type(), torch::kFloat);
  EXPECT_GT(RelativeDifference(rounded, exact), 1e-4);  // it did round
  EXPECT_LT(RelativeDifference(rounded, exact), kOneWay);
}

TEST_F(GoPrecisionTest, TheGradientDiffersByRoundingOnly) {
  const torch::Tensor actions = Actions();
  const torch::Tensor exact = GradientOf(Precision::kFloat32, actions);
  const torch::Tensor rounded = GradientOf(Precision::kBfloat16, actions);
  EXPECT_EQ(rounded.scalar_type(), torch::kFloat);
  EXPECT_GT(RelativeDifference(rounded, exact), 1e-4);
  EXPECT_LT(RelativeDifference(rounded, exact), kBothWays);
}

// Values that are computed once more for the gradient are computed as they were.
TEST_F(GoPrecisionTest, ChunksRoundAlike) {
  const torch::Tensor actions = Actions().expand({3, -1, -1});
  EXPECT_LT(RelativeDifference(GradientOf(Precision::kBfloat16, actions, 1),
                               GradientOf(Precision::kBfloat16, actions)),
            kBothWays);
}

TEST_F(GoPrecisionTest, AScopeLeavesThePrecisionAsItWas) {
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  {
    const PrecisionScope scope(Precision::kBfloat16, at::kCPU);
    EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
    const PrecisionScope inner(Precision::kFloat32, at::kCPU);
    EXPECT_TRUE(at::autocast::is_autocast_enabled(at::kCPU));
  }
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  EXPECT_EQ(torch::ones({2, 2}).matmul(torch::ones({2, 2})).scalar_type(), torch::kFloat);
}

}  // namespace
}  // namespace opyard::agents::go
