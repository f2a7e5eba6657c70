#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;

using Devices = std::vector<std::int32_t>;

Devices DevicesOf(const Outcome& outcome) {
  Devices devices;
  for (const DeviceId device : outcome.best->plan.placement) {
    devices.push_back(device.value);
  }
  return devices;
}

Devices PlacementOf(std::vector<sim::OpSpec> ops, std::size_t num_devices) {
  return DevicesOf(RunAgent(
      "human_expert", MakeProblem(MakeGraph(std::move(ops)), MeshMachine(num_devices)), {}));
}

// Forward ops of 5, 2, 3 and 4 us, then their backward ops of the same times, each of which reads
// the output of its forward op. Ops 0 … 3 and 7 … 4.
std::vector<sim::OpSpec> FourLayers(bool says_layers) {
  const std::int64_t us[] = {5, 2, 3, 4};
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 4; ++i) {
    const auto inputs =
        i == 0 ? std::vector<sim::InputRef>{} : std::vector<sim::InputRef>{{i - 1, 0}};
    ops.push_back(TimedOp("forward" + std::to_string(i), us[i], inputs));
    ops.back().phase = sim::Phase::kForward;
  }
  for (std::int64_t i = 3; i >= 0; --i) {
    const auto before = static_cast<std::int64_t>(ops.size()) - 1;
    ops.push_back(TimedOp("backward" + std::to_string(i), us[i], {{before, 0}, {i, 0}}));
    ops.back().phase = sim::Phase::kBackward;
  }
  for (std::int64_t i = 0; says_layers && i < 8; ++i) {
    ops[static_cast<std::size_t>(i)].layer = static_cast<std::int32_t>(i < 4 ? i : 7 - i);
  }
  return ops;
}

TEST(HumanExpertTest, LayersAreCutIntoBlocksOfEvenTime) {
  // Layers take 10, 4, 6 and 8 us: 14 | 14.
  EXPECT_EQ(PlacementOf(FourLayers(true), 2), (Devices{0, 0, 1, 1, 1, 1, 0, 0}));
}

TEST(HumanExpertTest, BackwardOpsStandWithTheirForwardOpsWhereNobodySaysLayers) {
  EXPECT_EQ(PlacementOf(FourLayers(false), 2), (Devices{0, 0, 1, 1, 1, 1, 0, 0}));
}

TEST(HumanExpertTest, FewerLayersThanDevicesAreCutByOps) {
  std::vector<sim::OpSpec> ops = FourLayers(true);
  for (sim::OpSpec& op : ops) {
    op.layer = 7;
  }
  EXPECT_EQ(PlacementOf(ops, 2), (Devices{0, 0, 1, 1, 1, 1, 0, 0}));
}

TEST(HumanExpertTest, ABlockThatDoesNotFitGivesUpLayers) {
  // 1 MB a device. By time 14 | 14 us; but the first two layers hold 1.1 MB.
  std::vector<sim::OpSpec> ops = FourLayers(true);
  ops[0].param_bytes = Bytes{600'000};
  ops[1].param_bytes = Bytes{500'000};
  EXPECT_EQ(PlacementOf(ops, 2), (Devices{0, 1, 1, 1, 1, 1, 1, 0}));
}

TEST(HumanExpertTest, UsesAllMainDevicesInOneEvaluationAndLeavesHostOpsAlone) {
  std::vector<sim::OpSpec> ops = FourLayers(true);
  ops[1].device_kinds = sim::DeviceKindSet::None();
  ops[1].device_kinds.Insert(sim::DeviceKind::kCpu);
  const Outcome outcome =
      RunAgent("human_expert", MakeProblem(MakeGraph(ops), testing::MeshWithCpu(4)), {});
  EXPECT_EQ(outcome.num_evaluations, 1);
  EXPECT_EQ(DevicesOf(outcome), (Devices{0, 4, 2, 3, 3, 2, 1, 0}));
}

// An op of the network below, which reads `inputs`.
sim::OpSpec LayerOp(const std::string& name,
                    const std::string& type,
                    std::int32_t layer,
                    std::vector<sim::InputRef> inputs) {
  sim::OpSpec op = TimedOp(name, 2, std::move(inputs));
  op.type = type;
  op.layer = layer;
  op.phase = sim::Phase::kForward;
  return op;
}

// Two steps of `num_cells` cells in layers 1 …, the embedding in layer 0, a softmax above. A cell
// is a product with its weight and a gate.
std::vector<sim::OpSpec> Unrolled(std::int32_t num_cells) {
  std::vector<sim::OpSpec> ops;
  for (std::int32_t i = 0; i < num_cells; ++i) {
    ops.push_back(opyard::testing::VariableOp("weight" + std::to_string(i), 100));
    ops.back().layer = i + 1;
    ops.back().phase = sim::Phase::kForward;
  }
  for (const std::string step : {"a", "b"}) {
    ops.push_back(LayerOp("embedding/" + step, "GatherV2", 0, {}));
    for (std::int32_t i = 0; i < num_cells; ++i) {
      const auto below = static_cast<std::int64_t>(ops.size()) - 1;
      const std::string cell = std::to_string(i) + step;
      ops.push_back(LayerOp("product" + cell, "MatMul", i + 1, {{below, 0}, {i, 0}}));
      ops.push_back(LayerOp("gate" + cell, "Sigmoid", i + 1, {{below + 1, 0}}));
    }
    const auto top = static_cast<std::int64_t>(ops.size()) - 1;
    ops.push_back(LayerOp("softmax/" + step, "Softmax", num_cells + 1, {{top, 0}}));
  }
  return ops;
}

// The devices of each layer of Unrolled, by placing it.
std::vector<std::set<std::int32_t>> DevicesOfLayers(const std::vector<sim::OpSpec>& ops,
                                                    std::size_t num_devices) {
  const Devices devices = PlacementOf(ops, num_devices);
  std::vector<std::set<std::int32_t>> of_layer;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const auto layer = static_cast<std::size_t>(*ops[i].layer);
    of_layer.resize(std::max(of_layer.size(), layer + 1));
    of_layer[layer].insert(devices[i]);
  }
  return of_layer;
}

TEST(HumanExpertTest, CellsAreDealtOutWithTheEmbeddingFirstAndTheSoftmaxLast) {
  using Sets = std::vector<std::set<std::int32_t>>;
  // Three cells on two devices: 2 and 1; on three: one each.
  EXPECT_EQ(DevicesOfLayers(Unrolled(3), 2), (Sets{{0}, {0}, {0}, {1}, {1}}));
  EXPECT_EQ(DevicesOfLayers(Unrolled(3), 3), (Sets{{0}, {0}, {1}, {2}, {2}}));
  // Two on four: embedding and softmax count, too.
  EXPECT_EQ(DevicesOfLayers(Unrolled(2), 4), (Sets{{0}, {1}, {2}, {3}}));
}

TEST(HumanExpertTest, CellsAreCountedWhateverTheirTime) {
  std::vector<sim::OpSpec> ops = Unrolled(2);
  for (sim::OpSpec& op : ops) {
    if (op.name.starts_with("softmax")) {
      op.seconds = {{.where = "*", .seconds = 1.0}};  // by time it would stand alone
    }
  }
  EXPECT_EQ(DevicesOfLayers(ops, 2), (std::vector<std::set<std::int32_t>>{{0}, {0}, {1}, {1}}));
}

TEST(HumanExpertTest, AttentionStandsWithTheLastWhateverItsLayer) {
  std::vector<sim::OpSpec> ops = Unrolled(2);
  ops.push_back(LayerOp("decoder/Attention/scores", "Tanh", 1, {{3, 0}}));
  EXPECT_EQ(PlacementOf(ops, 2).back(), 1);
}

TEST(HumanExpertTest, CellsThatDoNotFitAreBalancedByMemory) {
  // Cells hold 450, 450 and 300 kB, so that the rule's 2 | 1 overfills the first device (900 kB fit
  // by themselves, but the embedding's 200 kB do not): embedding and first cell | the others.
  std::vector<sim::OpSpec> ops = Unrolled(3);
  ops[0].param_bytes = Bytes{450'000};
  ops[1].param_bytes = Bytes{450'000};
  ops[2].param_bytes = Bytes{300'000};
  ops[3].param_bytes = Bytes{200'000};
  EXPECT_EQ(DevicesOfLayers(ops, 2),
            (std::vector<std::set<std::int32_t>>{{0}, {0}, {1}, {1}, {1}}));
}

struct Network {
  std::string graph;
  std::string machine;
};

class HumanExpertNetworkTest : public ::testing::TestWithParam<Network> {};

INSTANTIATE_TEST_SUITE_P(Networks,
                         HumanExpertNetworkTest,
                         ::testing::Values(Network{"zoo:rnnlm?scale=small", "p100x2-pcie"},
                                           Network{"zoo:rnnlm?scale=small&layers=4", "p100x4-pcie"},
                                           Network{"zoo:gnmt?scale=small&layers=4", "p100x4-pcie"},
                                           Network{"zoo:transformer_xl?scale=small", "p100x4-pcie"},
                                           Network{"zoo:wavenet?scale=small", "p100x4-pcie"},
                                           Network{"zoo:inception_v3?scale=small", "p100x2-pcie"},
                                           Network{"zoo:amoebanet?scale=small", "p100x4-pcie"},
                                           Network{"inception_v3", "p100x4-pcie"},
                                           Network{"resnet50", "p100x8-pcie"}));

bool IsAttention(const sim::Op& op) {
  return op.name.find("attention") != std::string::npos;
}

// Per op, so that no group mixes layers; attention, whose place is not its layer's, is left out.
TEST_P(HumanExpertNetworkTest, LayersAreWholeAndBlocksContiguousOverAllMainDevices) {
  const auto graph = graphs::LoadGraph(GetParam().graph);
  const auto machine = sim::LoadMachine(GetParam().machine);
  const auto problem = std::make_shared<const env::Problem>(env::ProblemSpec{
      .graph = graph, .hardware = machine, .settings = {.decide_per = env::DecidePer::kOp}});
  const Outcome outcome = RunAgent("human_expert", problem, {});
  EXPECT_TRUE(outcome.best->evaluation.is_feasible());

  std::map<std::int32_t, std::set<DeviceId>> devices_of_layer;
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    if (graph->ops()[i].layer.has_value() && !IsAttention(graph->ops()[i])) {
      devices_of_layer[*graph->ops()[i].layer].insert(outcome.best->plan.placement[i]);
    }
  }
  std::vector<DeviceId> in_order;
  for (const auto& [layer, devices] : devices_of_layer) {
    EXPECT_EQ(devices.size(), 1U) << layer;
    in_order.push_back(*devices.begin());
  }
  EXPECT_TRUE(std::ranges::is_sorted(in_order));
  const std::set<DeviceId> used(in_order.begin(), in_order.end());
  const auto num_gpus =
      std::ranges::count(machine->devices, sim::DeviceKind::kGpu, &sim::Device::kind);
  EXPECT_EQ(std::ssize(used), num_gpus);
}

}  // namespace
}  // namespace opyard::agents
