#include "graphs/microbatches/pipeline_units.h"

#include <algorithm>
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

using ::testing::ElementsAre;
using testing::MakeLayerChain;
using testing::Microseconds;

// The time of an op is `us` of its layer if it is forward, else none.
std::vector<SimTime> ForwardTimes(const sim::OpGraph& graph, const std::vector<std::int64_t>& us) {
  std::vector<SimTime> times;
  for (const sim::Op& op : graph.ops()) {
    const bool counts = op.phase == sim::Phase::kForward && op.type != "Variable" && op.layer >= 0;
    times.push_back(Microseconds(counts ? us[static_cast<std::size_t>(*op.layer)] : 0));
  }
  return times;
}

TEST(BalancedStagesTest, TheLongestStageIsAsShortAsItCanBe) {
  const auto graph = MakeLayerChain({.num_layers = 5});
  // 3 + 2 | 7 | 4 + 2: at most 7; no cut into three has less.
  EXPECT_THAT(BalancedStages(*graph, ForwardTimes(*graph, {3, 2, 7, 4, 2}), 3),
              ElementsAre(-1, 2, 3));
}

TEST(BalancedStagesTest, EachStageHasALayer) {
  const auto graph = MakeLayerChain({.num_layers = 4});
  // With that of "x" there are five.
  const std::vector<SimTime> times = ForwardTimes(*graph, {9, 0, 0, 0});
  EXPECT_THAT(BalancedStages(*graph, times, 5), ElementsAre(-1, 0, 1, 2, 3));
  EXPECT_THROW((void)BalancedStages(*graph, times, 6), InputError);
}

TEST(PipelineUnitsTest, LayersMakeStages) {
  const auto graph = MakeLayerChain({.num_layers = 4, .weight_bytes = 40});
  const PipelineUnits units = FindPipelineUnits(*graph, std::vector<std::int32_t>{0, 3});
  EXPECT_EQ(units.num_stages, 2);
  EXPECT_EQ(units.num_microbatches, 1);
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    const sim::Op& op = graph->ops()[i];
    const bool is_once = op.type == "Variable" || op.phase == sim::Phase::kUpdate;
    EXPECT_EQ(units.stage[i], *op.layer < 3 ? 0 : 1) << op.name;
    EXPECT_EQ(units.microbatch[i], is_once ? kNoMicrobatch : 0) << op.name;
  }
}

TEST(PipelineUnitsTest, StagesThatAreNotLegalAreRefused) {
  const auto graph = MakeLayerChain({.num_layers = 4});
  const auto units_of = [&](const std::vector<std::int32_t>& first_layers) {
    return FindPipelineUnits(*graph, first_layers);
  };
  EXPECT_THROW((void)units_of({}), InputError);
  EXPECT_THROW((void)units_of({0, 2, 2}), InputError);
  EXPECT_THROW((void)units_of({0, 4}), InputError);  // layers are 0 to 3
}

TEST(PipelineUnitsTest, WithoutLayersPlacesInTheForwardPassCount) {
  const auto graph = MakeLayerChain({.num_layers = 4, .weight_bytes = 40});
  std::vector<sim::OpSpec> specs = sim::SpecsOf(*graph);
  for (sim::OpSpec& op : specs) {
    op.layer.reset();
  }
  const auto unlayered = testing::MakeGraph(std::move(specs));
  const auto times = ForwardTimes(*graph, {1, 1, 1, 1});
  const PipelineUnits units = FindPipelineUnits(*unlayered, BalancedStages(*unlayered, times, 2));
  const PipelineUnits layered = FindPipelineUnits(*graph, BalancedStages(*graph, times, 2));
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    EXPECT_EQ(units.stage[i], layered.stage[i]) << graph->ops()[i].name;
  }
}

TEST(PipelineUnitsTest, CoLocatedOpsAreOfOneStage) {
  const auto graph = LoadGraph("zoo:gpt?scale=tiny");
  const PipelineUnits units = FindPipelineUnits(*graph, std::vector<std::int32_t>{0, 1, 2, 3});
  std::vector<std::int32_t> stage_of_label(graph->colocation_labels().size(), -1);
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    if (const auto label = graph->ops()[i].colocation) {
      std::int32_t& stage = stage_of_label[static_cast<std::size_t>(*label)];
      stage = stage < 0 ? units.stage[i] : stage;
      EXPECT_EQ(units.stage[i], stage) << graph->ops()[i].name;
    }
  }
}

}  // namespace
}  // namespace opyard::graphs
