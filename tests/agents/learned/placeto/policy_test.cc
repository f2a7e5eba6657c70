#include "agents/learned/placeto/policy.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "agents/learned/common/torch_session.h"
#include "tests/agents/learned/placeto/per_op.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::placeto {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;
using testing::UnevenOp;

// a → b → c on two devices.
std::shared_ptr<const env::Problem> Chain() {
  return MakeProblem(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5, {{1, 0}})}),
      MeshMachine(2));
}

// Every number that the chain's three nodes may say of themselves, in `num_states` states.
torch::Tensor SomeStates(std::int64_t num_states) {
  Rng rng(5);
  std::vector<float> values(static_cast<std::size_t>(num_states) * 3 * 8);
  for (float& value : values) {
    value = static_cast<float>(rng.Uniform());
  }
  return torch::tensor(values).view({num_states, 3, 8});
}

class PlacetoPolicyTest : public ::testing::Test {
 private:
  TorchSession one_thread_{1};
};

// A node has one number per direction; its own is the first column. Sums, two rounds. From the
// sources on f(h) = max(2 h + 1/2, 0) and g(s) = 3 max(s, 0) − 1:
//
//   Own:      a 1                 b 2                       c −1.
//   Round 1:  1 + g(0) = 0        2 + g(f(1) = 5/2) = 8.5   −1 + g(f(2) = 9/2) = 11.5.
//   Round 2:  1 + g(0) = 0        2 + g(f(0) = 1/2) = 2.5   −1 + g(f(8.5) = 17.5) = 50.5.
//
// From the sinks back f and g are max(·, 0):
//
//   Round 1:  1 + 2 = 3           2 + 0 = 2                 −1.
//   Round 2:  1 + 2 = 3           2 + 0 = 2                 −1.
TEST_F(PlacetoPolicyTest, MessagesGoThroughAChainAsByHand) {
  Rng rng(1);
  Policy policy({.faithful = true,
                 .num_devices = 2,
                 .width = 1,
                 .rounds = 2,
                 .aggregation = Aggregation::kSum},
                rng);
  const std::map<std::string, double> values = {{"from_sources_f.0.weight", 2.0},
                                                {"from_sources_f.0.bias", 0.5},
                                                {"from_sources_f.2.weight", 1.0},
                                                {"from_sources_f.2.bias", 0.0},
                                                {"from_sources_g.0.weight", 1.0},
                                                {"from_sources_g.0.bias", 0.0},
                                                {"from_sources_g.2.weight", 3.0},
                                                {"from_sources_g.2.bias", -1.0},
                                                {"from_sinks_f.0.weight", 1.0},
                                                {"from_sinks_f.2.weight", 1.0},
                                                {"from_sinks_g.0.weight", 1.0},
                                                {"from_sinks_g.2.weight", 1.0}};
  const torch::NoGradGuard no_grad;
  auto parameters = policy.named_parameters();
  for (const auto& [name, value] : values) {
    parameters[name].fill_(value);
  }
  parameters["own.weight"].zero_();
  parameters["own.weight"][0][0] = 1.0;
  torch::Tensor states = torch::zeros({1, 3, 8});
  states[0].select(1, 0).copy_(torch::tensor({1.0, 2.0, -1.0}));

  const auto problem = Chain();
  const View view = MakeView(*problem, kPerOp);
  EXPECT_TRUE(torch::equal(policy.Embed(policy.PolicyInputOf(view), states).squeeze(1),
                           torch::tensor({{0.0F, 3.0F}, {2.5F, 2.0F}, {50.5F, -1.0F}})));
}

TEST_F(PlacetoPolicyTest, ProbabilitiesAddUpToOneOverTheDevicesThatAreAllowed) {
  sim::OpSpec gpu_only = TimedOp("b", 3, {{0, 0}});
  gpu_only.device_kinds = sim::DeviceKindSet::None();
  gpu_only.device_kinds.Insert(sim::DeviceKind::kGpu);
  const auto problem = MakeProblem(
      MakeGraph({TimedOp("a", 2), gpu_only, TimedOp("c", 5, {{1, 0}})}), testing::MeshWithCpu(1));
  const View view = MakeView(*problem, kPerOp);
  Rng rng(1);
  Policy policy({.faithful = false}, rng);
  const torch::Tensor probs =
      policy.LogProbs(policy.PolicyInputOf(view), SomeStates(3), {0, 1, 2}).exp();  // [3, 2]
  EXPECT_LT((probs.sum(1) - 1.0).abs().max().item<double>(), 1e-6);  // two terms in float32
  EXPECT_EQ(probs[1][1].item<double>(), 0.0);
  EXPECT_GT(probs[0].min().item<double>(), 0.0);
}

// One of three nodes is moved in the mean: with a network that finds all devices alike, each stays
// with probability 2/3. Were all three to move, or two, uniform samples move 3/2: nothing is added.
TEST_F(PlacetoPolicyTest, AFreshNetworkMovesAsManyNodesAsItsOptionSays) {
  const auto problem = Chain();
  const View view = MakeView(*problem, kPerOp);
  torch::Tensor states = torch::zeros({3, 3, 8});
  states.select(2, 6).fill_(1.0);  // all on device 0
  for (const auto& [moves, stays] :
       std::map<double, double>{{0.0, 0.5}, {1.0, 2.0 / 3.0}, {2.0, 0.5}, {3.0, 0.5}}) {
    for (const bool faithful : {true, false}) {
      Rng rng(1);
      Policy policy({.faithful = faithful, .num_devices = 2, .moves = moves}, rng);
      const torch::NoGradGuard no_grad;
      auto parameters = policy.named_parameters();
      parameters["head.4.weight"].zero_();
      parameters["head.4.bias"].zero_();
      const torch::Tensor probs =
          policy.LogProbs(policy.PolicyInputOf(view), states, {0, 1, 2}).exp();  // [3, 2]
      EXPECT_LT((probs.select(1, 0) - stays).abs().max().item<double>(), 1e-6) << moves;
    }
  }
}

// Each state of a batch is as it is alone.
TEST_F(PlacetoPolicyTest, StatesOfABatchDoNotMix) {
  const auto problem = Chain();
  const View view = MakeView(*problem, kPerOp);
  for (const Aggregation aggregation : {Aggregation::kSum, Aggregation::kMean, Aggregation::kMax}) {
    Rng rng(1);
    Policy policy({.faithful = false, .aggregation = aggregation}, rng);
    const torch::Tensor states = SomeStates(3);
    const std::vector<std::int64_t> nodes = {2, 0, 1};
    const torch::Tensor together = policy.LogProbs(policy.PolicyInputOf(view), states, nodes);
    for (std::int64_t i = 0; i < 3; ++i) {
      const torch::Tensor alone = policy.LogProbs(policy.PolicyInputOf(view),
                                                  states.slice(0, i, i + 1),
                                                  {nodes[static_cast<std::size_t>(i)]});
      // Products of other sizes round otherwise: some units of 6e-8 in each of ten layers.
      EXPECT_LT((together[i] - alone[0]).abs().max().item<double>(), 1e-5);
    }
  }
}

// In float64, where a difference over 2e-6 is good to nine digits. Kinks of max(·, 0) are nowhere
// as near as that.
void ExpectGradientsOfFiniteDifferences(const Sizes& sizes) {
  const auto problem = Chain();
  View view = MakeView(*problem, kPerOp);
  view.devices.x = view.devices.x.to(torch::kDouble);
  Rng rng(2);
  Policy policy(sizes, rng);
  policy.to(torch::kDouble);
  {
    // Biases of 0 would put what hears nothing on the kink of max(·, 0).
    const torch::NoGradGuard no_grad;
    for (torch::Tensor& parameter : policy.parameters()) {
      parameter.add_(0.05);
    }
  }
  const torch::Tensor states = SomeStates(2).to(torch::kDouble);
  const auto value = [&] {
    return policy.LogProbs(policy.PolicyInputOf(view), states, {1, 2}).select(1, 0).sum();
  };
  value().backward();
  const torch::NoGradGuard no_grad;
  for (const auto& item : policy.named_parameters()) {
    constexpr double kStep = 1e-6;
    double& parameter = *item.value().data_ptr<double>();  // its first number
    const double before = parameter;
    parameter = before + kStep;
    const double above = value().item<double>();
    parameter = before - kStep;
    const double below = value().item<double>();
    parameter = before;
    EXPECT_NEAR(
        item.value().grad().flatten()[0].item<double>(), (above - below) / (2 * kStep), 1e-6)
        << item.key();
  }
}

TEST_F(PlacetoPolicyTest, GradientsAreThoseOfFiniteDifferences) {
  for (const Aggregation aggregation : {Aggregation::kSum, Aggregation::kMean, Aggregation::kMax}) {
    Sizes sizes{
        .faithful = true, .num_devices = 2, .width = 3, .rounds = 3, .aggregation = aggregation};
    ExpectGradientsOfFiniteDifferences(sizes);
    sizes.faithful = false;
    ExpectGradientsOfFiniteDifferences(sizes);
    sizes.layers = Layers::kPublished;
    ExpectGradientsOfFiniteDifferences(sizes);
    sizes.faithful = true;
    ExpectGradientsOfFiniteDifferences(sizes);
  }
}

// The properties of a device belong to it, wherever it stands in the machine: with the devices in
// another order, in which states, features and masks follow them, the probabilities follow, too.
TEST_F(PlacetoPolicyTest, DevicesThatChangePlacesTakeTheirProbabilitiesWithThem) {
  const auto problem = MakeProblem(MakeGraph({UnevenOp("a", {2, 3, 5}),
                                              UnevenOp("b", {7, 2, 3}, {{0, 0}}),
                                              UnevenOp("c", {5, 11, 2}, {{1, 0}})}),
                                   MeshMachine(3));
  const View view = MakeView(*problem, kPerOp);
  Rng rng(1);
  Policy policy({.faithful = false}, rng);
  const torch::Tensor order = torch::tensor({2, 0, 1}, torch::kLong);
  View reordered = view;
  reordered.devices = {.x = view.devices.x.index_select(0, order),
                       .slot = view.devices.slot.index_select(0, order)};
  const torch::Tensor said = SomeStates(3).slice(2, 0, kColumns);  // [3, 3, 6]
  const torch::Tensor where =                                      // [3, 3, 3], one-hot
      torch::one_hot(torch::tensor({{0, 1, 2}, {2, 2, 0}, {1, 0, 1}}, torch::kLong), 3)
          .to(torch::kFloat);
  const torch::Tensor before =
      policy.LogProbs(policy.PolicyInputOf(view), torch::cat({said, where}, 2), {0, 1, 2});
  const torch::Tensor after = policy.LogProbs(policy.PolicyInputOf(reordered),
                                              torch::cat({said, where.index_select(2, order)}, 2),
                                              {0, 1, 2});
  // Sums over devices in another order round otherwise: some units of 6e-8 in each of ten layers.
  EXPECT_LT((after - before.index_select(1, order)).abs().max().item<double>(), 1e-5);
  EXPECT_GT((before.select(1, 0) - before.select(1, 1)).abs().max().item<double>(), 1e-3);
}

TEST_F(PlacetoPolicyTest, ANetworkAsPublishedIsAsWideAsItsFeatures) {
  Rng rng(1);
  Policy policy({.layers = Layers::kPublished, .faithful = true, .num_devices = 3, .width = 0},
                rng);
  EXPECT_EQ(policy.sizes().width, 9);
  // Two hidden layers before messages; a head of 4 · 2 · 9 = 72, 144, 72 and 3.
  auto parameters = policy.named_parameters();
  EXPECT_EQ(parameters["own.4.weight"].sizes(), torch::IntArrayRef({9, 9}));
  EXPECT_EQ(parameters["head.0.weight"].sizes(), torch::IntArrayRef({144, 72}));
  EXPECT_EQ(parameters["head.2.weight"].sizes(), torch::IntArrayRef({72, 144}));
  EXPECT_EQ(parameters["head.4.weight"].sizes(), torch::IntArrayRef({3, 72}));
}

// The first node of a chain has nothing before it: as published it stays what W says, and as
// compact it adds g(0), its biases. What W says: all nodes in the direction without messages.
TEST_F(PlacetoPolicyTest, AsPublishedANodeWithoutNeighboursGetsNoMessage) {
  const auto problem = Chain();
  const View view = MakeView(*problem, kPerOp);
  const torch::Tensor states = SomeStates(2);
  for (const bool is_published : {false, true}) {
    Sizes sizes{.layers = is_published ? Layers::kPublished : Layers::kCompact,
                .faithful = true,
                .num_devices = 2,
                .width = 4,
                .rounds = 1};
    Rng rng(1);
    Policy policy(sizes, rng);
    const torch::NoGradGuard no_grad;
    for (auto& item : policy.named_parameters()) {
      if (item.key().find("_g.2.bias") != std::string::npos) {
        item.value().fill_(1.0);
      }
    }
    const torch::Tensor after = policy.Embed(policy.PolicyInputOf(view), states);  // [3, 2, 8]
    sizes.rounds = 0;
    Rng again(1);
    Policy silent(sizes, again);
    const torch::Tensor before = silent.Embed(silent.PolicyInputOf(view), states);
    EXPECT_EQ(torch::equal(after[0].slice(1, 0, 4), before[0].slice(1, 0, 4)), is_published);
    EXPECT_EQ(torch::equal(after[2].slice(1, 4), before[2].slice(1, 4)), is_published);
    EXPECT_FALSE(torch::equal(after[1], before[1]));
  }
}

}  // namespace
}  // namespace opyard::agents::placeto
