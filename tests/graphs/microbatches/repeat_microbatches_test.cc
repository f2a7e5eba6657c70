#include "graphs/microbatches/repeat_microbatches.h"

#include <algorithm>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "graphs/microbatches/microbatch_names.h"
#include "graphs/microbatches/pipeline_units.h"
#include "sim/base/error.h"
#include "sim/graph/op_graph_parts.h"
#include "sim/io/graph/graph_json.h"
#include "tests/graphs/builder/built_graphs.h"
#include "tests/support/layer_chain.h"
#include "tests/support/small_graphs.h"

namespace opyard::graphs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeGraph;
using testing::MakeLayerChain;
using testing::TimedOp;
using GraphPointer = std::shared_ptr<const sim::OpGraph>;

// The names of the ops that `op` reads, in argument order, then of those that it waits for.
std::vector<std::string> NamesBefore(const sim::OpGraph& graph, const std::string& name) {
  std::vector<std::string> names;
  for (const TensorId input : graph.inputs(FindOp(graph, name))) {
    names.push_back(graph.op(graph.tensor(input).producer).name);
  }
  for (const OpId before : graph.control_inputs(FindOp(graph, name))) {
    names.push_back(graph.op(before).name);
  }
  return names;
}

// What the graph of one part of a batch and `count` repetitions of it cost.
double FlopsWithout(const sim::OpGraph& graph, const std::string& type) {
  double flops = 0.0;
  for (const sim::Op& op : graph.ops()) {
    flops += op.type == type ? 0.0 : op.flops.count;
  }
  return flops;
}

TEST(RepeatMicrobatchesTest, OfOneIsTheGraphItself) {
  for (const char* name : {"zoo:rnnlm?scale=tiny", "vgg16"}) {
    const GraphPointer graph = LoadGraph(name);
    EXPECT_EQ(RepeatMicrobatches(graph, 1, graph->name()), graph);
    const GraphPointer renamed = RepeatMicrobatches(graph, 1, "other");
    EXPECT_EQ(sim::WriteGraphText(*RepeatMicrobatches(renamed, 1, graph->name())),
              sim::WriteGraphText(*graph));
  }
}

TEST(RepeatMicrobatchesTest, PassesAreRepeatedWeightsAndUpdatesAreNot) {
  const GraphPointer graph =
      RepeatMicrobatches(MakeLayerChain({.num_layers = 1, .weight_bytes = 40}), 2, "two");
  std::vector<std::string> names;
  for (const sim::Op& op : graph->ops()) {
    names.push_back(op.name);
  }
  EXPECT_THAT(names,
              ElementsAre("variable/0",
                          "weight/0/gradient_sum",
                          "x@mb0",
                          "forward/0@mb0",
                          "input/0@mb0",
                          "weight/0@mb0",
                          "weight/0/accumulate@mb0",
                          "gradient/x@mb0",
                          "x@mb1",
                          "forward/0@mb1",
                          "input/0@mb1",
                          "weight/0@mb1",
                          "weight/0/accumulate@mb1",
                          "gradient/x@mb1",
                          "update/0"));
}

TEST(RepeatMicrobatchesTest, TheUpdateReadsTheSumOfAllGradients) {
  const GraphPointer graph =
      RepeatMicrobatches(MakeLayerChain({.num_layers = 1, .weight_bytes = 40}), 3, "three");
  EXPECT_THAT(NamesBefore(*graph, "weight/0/accumulate@mb1"),
              ElementsAre("weight/0/gradient_sum", "weight/0@mb1"));
  EXPECT_THAT(NamesBefore(*graph, "update/0"),
              ElementsAre("variable/0",
                          "weight/0/accumulate@mb2",
                          "input/0@mb0",
                          "weight/0/accumulate@mb0",
                          "input/0@mb1",
                          "weight/0/accumulate@mb1",
                          "input/0@mb2"));
}

TEST(RepeatMicrobatchesTest, GradientsAreAddedInPlace) {
  const GraphPointer graph =
      RepeatMicrobatches(MakeLayerChain({.num_layers = 1, .weight_bytes = 40}), 2, "two");
  const sim::Op& sum = graph->op(FindOp(*graph, "weight/0/gradient_sum"));
  EXPECT_EQ(sum.param_bytes, Bytes{40});
  const OpId add = FindOp(*graph, "weight/0/accumulate@mb0");
  EXPECT_TRUE(graph->aliases_params(graph->output(add, 0)));
  EXPECT_EQ(graph->op(add).flops.count, 10.0);              // 40 bytes of f32
  EXPECT_EQ(graph->op(add).bytes_accessed, Bytes{3 * 40});  // sum and gradient, then the sum
  for (const char* name : {"variable/0", "weight/0/accumulate@mb1", "update/0"}) {
    EXPECT_EQ(graph->op(FindOp(*graph, name)).colocation, sum.colocation) << name;
  }
}

TEST(RepeatMicrobatchesTest, KeptGradientsAreAddedWhereThereIsNoUpdate) {
  std::vector<sim::OpSpec> specs =
      sim::SpecsOf(*MakeLayerChain({.num_layers = 1, .weight_bytes = 40}));
  ASSERT_EQ(specs.back().name, "gradient/x");
  ASSERT_EQ(specs[specs.size() - 2].name, "update/0");
  specs.erase(specs.end() - 2);
  for (sim::OpSpec& op : specs) {
    if (op.name == "weight/0") {
      op.outputs[0].keep = true;
    }
  }
  const GraphPointer graph = RepeatMicrobatches(MakeGraph(std::move(specs)), 2, "two");
  const auto is_kept = [&](const char* name) {
    return graph->tensor(graph->output(FindOp(*graph, name), 0)).keep;
  };
  EXPECT_TRUE(is_kept("weight/0/accumulate@mb1"));
  EXPECT_FALSE(is_kept("weight/0@mb1"));
}

TEST(RepeatMicrobatchesTest, InferenceIsItsForwardPassAlone) {
  sim::OpSpec input = TimedOp("x", 0);
  sim::OpSpec product = TimedOp("product", 3, {{.op = 0}});
  product.param_bytes = Bytes{50};
  input.phase = product.phase = sim::Phase::kForward;
  const GraphPointer graph = RepeatMicrobatches(MakeGraph({input, product}), 3, "three");
  EXPECT_EQ(graph->num_ops(), 6U);
  Bytes resident;
  for (const char* name : {"product@mb0", "product@mb1", "product@mb2"}) {
    const sim::Op& op = graph->op(FindOp(*graph, name));
    resident += op.param_bytes;
    EXPECT_EQ(op.weight_bytes, Bytes{50});
    EXPECT_EQ(op.colocation, graph->op(FindOp(*graph, "product@mb0")).colocation);
  }
  EXPECT_EQ(resident, Bytes{50});
}

TEST(RepeatMicrobatchesTest, LabelsWithoutWeightsAreOfOneMicrobatch) {
  sim::OpSpec first = TimedOp("first", 1);
  sim::OpSpec second = TimedOp("second", 1, {{.op = 0}});
  first.phase = second.phase = sim::Phase::kForward;
  first.colocation = second.colocation = "both";
  const GraphPointer graph = RepeatMicrobatches(MakeGraph({first, second}), 2, "two");
  EXPECT_THAT(graph->colocation_labels(), ElementsAre("both@mb0", "both@mb1"));
}

TEST(RepeatMicrobatchesTest, TheProgramRunsOneMicrobatchAfterTheOther) {
  const GraphPointer graph = LoadGraph("zoo:gpt?scale=tiny&microbatches=4");
  std::int32_t last = 0;
  for (const OpId op : graph->topological_order()) {
    const auto microbatch = FindMicrobatch(graph->op(op).name);
    EXPECT_GE(microbatch.value_or(last), last) << graph->op(op).name;
    last = microbatch.value_or(last);
  }
  EXPECT_EQ(last, 3);
}

TEST(RepeatMicrobatchesTest, GraphsWithoutAPlaceForMicrobatchesAreRefused) {
  const auto message_of = [](const GraphPointer& graph) -> std::string {
    try {
      (void)RepeatMicrobatches(graph, 2, "two");
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  const GraphPointer chain = MakeLayerChain({.num_layers = 1, .weight_bytes = 40});
  EXPECT_THAT(message_of(RepeatMicrobatches(chain, 2, "two")), HasSubstr("of a micro-batch"));
  EXPECT_THAT(message_of(MakeGraph({TimedOp("a", 1)})), HasSubstr("phase"));
  std::vector<sim::OpSpec> specs = sim::SpecsOf(*chain);
  for (sim::OpSpec& op : specs) {
    if (op.name == "update/0") {
      op.inputs = {{.op = 4}};
      ASSERT_EQ(specs[4].name, "variable/0");
    }
  }
  EXPECT_THAT(message_of(MakeGraph(std::move(specs))), HasSubstr("no tensor of the backward pass"));
}

class ZooMicrobatchesTest : public ::testing::TestWithParam<const char*> {};

// Batches divide by 4 at the tiny scale.
TEST_P(ZooMicrobatchesTest, AreExactlyStepsOfASmallerBatch) {
  const std::string reference = "zoo:" + std::string(GetParam()) + "?scale=tiny";
  const GraphPointer whole = LoadGraph(reference);
  const GraphPointer four = LoadGraph(reference + "&microbatches=4");
  const PipelineUnits units = FindPipelineUnits(*four, std::vector<std::int32_t>{0});
  EXPECT_EQ(units.num_microbatches, 4);
  std::vector<double> flops(4);
  double once = 0.0;
  for (std::size_t i = 0; i < four->num_ops(); ++i) {
    const sim::Op& op = four->ops()[i];
    if (op.type != "Accumulate") {
      const std::int32_t microbatch = units.microbatch[i];
      (microbatch < 0 ? once : flops[static_cast<std::size_t>(microbatch)]) += op.flops.count;
    }
  }
  EXPECT_EQ(flops, std::vector<double>(4, flops[0]));
  // What does not grow with the batch, such as sums over weights, is done in each micro-batch.
  const double all = FlopsWithout(*whole, "");
  EXPECT_GE(once + 4.0 * flops[0], all);
  EXPECT_LE(once + 4.0 * flops[0], 1.05 * all);
}

TEST_P(ZooMicrobatchesTest, AddEachGradientOnce) {
  const std::string reference = "zoo:" + std::string(GetParam()) + "?scale=tiny&microbatches=2";
  const GraphPointer graph = LoadGraph(reference);
  std::size_t num_trained = 0;
  for (const sim::Op& op : graph->ops()) {
    num_trained += op.type == "Variable" && op.phase == sim::Phase::kForward ? 1 : 0;
  }
  EXPECT_EQ(CountTypes(*graph).at("Accumulate"), 2 * static_cast<int>(num_trained));
}

INSTANTIATE_TEST_SUITE_P(AllModels,
                         ZooMicrobatchesTest,
                         ::testing::Values("amoebanet",
                                           "bert",
                                           "gnmt",
                                           "gpt",
                                           "inception_v3",
                                           "moe",
                                           "resnet50",
                                           "rnnlm",
                                           "transformer_xl",
                                           "unet",
                                           "vgg16",
                                           "wavenet"),
                         [](const auto& model) { return std::string(model.param); });

TEST(ZooMicrobatchesOptionTest, HasToDivideTheBatch) {
  EXPECT_THROW((void)LoadGraph("zoo:gpt?batch=4&microbatches=3"), InputError);
  EXPECT_THROW((void)LoadGraph("zoo:gpt?microbatches=0"), InputError);
}

}  // namespace
}  // namespace opyard::graphs
