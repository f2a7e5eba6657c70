#include "graphs/microbatches/passes.h"

#include <algorithm>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "graphs/microbatches/step_layers.h"
#include "sim/base/error.h"
#include "sim/graph/op_graph_parts.h"
#include "tests/support/layer_chain.h"
#include "tests/support/small_graphs.h"

namespace opyard::graphs {
namespace {

using sim::Phase;
using testing::LayerChain;
using testing::MakeGraph;
using testing::MakeLayerChain;

std::map<std::string, Pass> PassByName(const sim::OpGraph& graph) {
  const std::vector<Phase> phases = KnownPhases(graph);
  const std::vector<Pass> passes = PassesOf(graph, phases, LayersOf(graph, phases));
  std::map<std::string, Pass> by_name;
  for (std::size_t i = 0; i < graph.num_ops(); ++i) {
    by_name[graph.ops()[i].name] = passes[i];
  }
  return by_name;
}

// `graph` after `change` to each op.
template <class Change>
std::shared_ptr<const sim::OpGraph> Changed(const sim::OpGraph& graph, const Change& change) {
  std::vector<sim::OpSpec> specs = sim::SpecsOf(graph);
  std::ranges::for_each(specs, change);
  return MakeGraph(std::move(specs));
}

TEST(PassesTest, OfAChainOfLayers) {
  const auto passes = PassByName(*MakeLayerChain({.num_layers = 2, .weight_bytes = 40}));
  EXPECT_EQ(passes.at("x"), Pass::kForward);
  EXPECT_EQ(passes.at("forward/1"), Pass::kForward);
  EXPECT_EQ(passes.at("variable/1"), Pass::kParameters);
  EXPECT_EQ(passes.at("update/1"), Pass::kUpdate);
  // "gradient/x", of the layer before, waits for it; nobody waits for that.
  EXPECT_EQ(passes.at("input/0"), Pass::kInputGradient);
  EXPECT_EQ(passes.at("gradient/x"), Pass::kWeightGradient);
  EXPECT_EQ(passes.at("weight/0"), Pass::kWeightGradient);
}

TEST(PassesTest, TermsOfASumOfGradientsAreOfPassWInEachLayer) {
  // "weight/0", of layer 0, adds "weight/1" to its gradient.
  const auto graph =
      Changed(*MakeLayerChain({.num_layers = 2, .weight_bytes = 40}), [](sim::OpSpec& op) {
        if (op.name == "weight/0") {
          op.type = "AddN";
          op.inputs.push_back({.op = 4});  // "weight/1"
        }
      });
  ASSERT_EQ(graph->ops()[4].name, "weight/1");
  EXPECT_EQ(PassByName(*graph).at("weight/1"), Pass::kWeightGradient);
}

TEST(PassesTest, MovingAveragesOfTheForwardPassAreOfPassF) {
  const auto graph = LoadGraph("zoo:resnet50?scale=tiny&blocks_1=1&blocks_2=1&blocks_3=1");
  const std::vector<Phase> phases = KnownPhases(*graph);
  const std::vector<Pass> passes = PassesOf(*graph, phases, LayersOf(*graph, phases));
  std::size_t num_averages = 0;
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    const sim::Op& op = graph->ops()[i];
    if (op.phase == Phase::kUpdate && passes[i] == Pass::kForward) {
      ++num_averages;
      EXPECT_EQ(op.name.find("update/"), std::string::npos) << op.name;
    }
  }
  EXPECT_GT(num_averages, 0U);
}

TEST(PassesTest, UnknownPhasesFollowFromTheBackwardPass) {
  const auto graph = MakeLayerChain({.num_layers = 2, .weight_bytes = 40});
  const auto unnamed = Changed(*graph, [](sim::OpSpec& op) {
    if (op.phase != Phase::kBackward) {
      op.phase = Phase::kUnknown;
    }
  });
  EXPECT_EQ(KnownPhases(*unnamed), KnownPhases(*graph));
}

TEST(PassesTest, AGraphWithoutPhasesIsRefused) {
  const auto graph = Changed(*MakeLayerChain({.num_layers = 1}),
                             [](sim::OpSpec& op) { op.phase = Phase::kUnknown; });
  try {
    (void)KnownPhases(*graph);
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("no op says its phase"));
  }
}

}  // namespace
}  // namespace opyard::graphs
