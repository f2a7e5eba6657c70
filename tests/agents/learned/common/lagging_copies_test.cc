#include "agents/learned/common/lagging_copies.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::agents {
namespace {

using ::testing::ElementsAre;

// One weight w; its loss w²/2 has the gradient w.
class OneWeight : public torch::nn::Module {
 public:
  explicit OneWeight(float value) : weight(register_parameter("w", torch::tensor({value}))) {}
  torch::Tensor Loss() { return weight.square().sum() / 2; }
  float value() const { return weight.item<float>(); }

  torch::Tensor weight;
};

LaggingCopies<OneWeight> Workers(const std::shared_ptr<OneWeight>& shared, std::int64_t count) {
  return {shared, count, [] { return std::make_shared<OneWeight>(0.0F); }};
}

// One step of half the gradient of the worker whose turn it is: what it began with.
float Step(OneWeight& shared, LaggingCopies<OneWeight>& workers) {
  const float seen = workers.at_turn().value();
  shared.zero_grad();
  workers.at_turn().Loss().backward();
  workers.HandOverGradients();
  const torch::NoGradGuard no_grad;
  shared.weight -= 0.5 * shared.weight.grad();
  workers.EndTurn();
  return seen;
}

TEST(LaggingCopiesTest, ASingleWorkerIsTheSharedPolicy) {
  const auto shared = std::make_shared<OneWeight>(16.0F);
  LaggingCopies<OneWeight> workers = Workers(shared, 1);
  EXPECT_EQ(&workers.at_turn(), shared.get());
  EXPECT_EQ(Step(*shared, workers), 16.0F);
  EXPECT_EQ(Step(*shared, workers), 8.0F);
  EXPECT_EQ(shared->value(), 4.0F);
}

// Two workers, w = 16. A: sees 16, w = 16 − 8 = 8, and takes 8. B: sees 16 still, w = 8 − 8 = 0,
// and takes 0. A: sees 8, w = 0 − 4 = −4. B: sees 0, w stays. A: sees −4, w = −4 + 2 = −2.
TEST(LaggingCopiesTest, EachOfTwoWorkersIsOneUpdateBehind) {
  const auto shared = std::make_shared<OneWeight>(16.0F);
  LaggingCopies<OneWeight> workers = Workers(shared, 2);
  std::vector<float> seen;
  std::vector<float> left;
  for (int update = 0; update < 5; ++update) {
    seen.push_back(Step(*shared, workers));
    left.push_back(shared->value());
  }
  EXPECT_THAT(seen, ElementsAre(16, 16, 8, 0, -4));
  EXPECT_THAT(left, ElementsAre(8, 0, -4, -4, -2));
}

TEST(LaggingCopiesTest, GoesOnFromACheckpointWhereItStopped) {
  const auto shared = std::make_shared<OneWeight>(16.0F);
  LaggingCopies<OneWeight> workers = Workers(shared, 3);
  Step(*shared, workers);
  Step(*shared, workers);
  Checkpoint stopped;
  AddWeights(*shared, stopped);
  workers.AddTo(stopped);
  for (auto& [name, tensor] : stopped.tensors) {
    tensor = tensor.clone();  // as a file holds them
  }
  const auto resumed = std::make_shared<OneWeight>(0.0F);
  LaggingCopies<OneWeight> others = Workers(resumed, 3);
  TakeWeights(stopped, *resumed);
  others.TakeFrom(stopped, "state");
  for (int update = 0; update < 4; ++update) {
    EXPECT_EQ(Step(*shared, workers), Step(*resumed, others)) << update;
    EXPECT_EQ(shared->value(), resumed->value()) << update;
  }
}

TEST(LaggingCopiesTest, AllCatchUpWithWeightsThatWereSet) {
  const auto shared = std::make_shared<OneWeight>(16.0F);
  LaggingCopies<OneWeight> workers = Workers(shared, 2);
  CopyWeights(OneWeight(3.0F), *shared);
  workers.CatchUp();
  EXPECT_EQ(Step(*shared, workers), 3.0F);
  EXPECT_EQ(Step(*shared, workers), 3.0F);
}

}  // namespace
}  // namespace opyard::agents
