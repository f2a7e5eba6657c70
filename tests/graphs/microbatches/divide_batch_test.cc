#include "graphs/microbatches/divide_batch.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "graphs/microbatches/repeat_microbatches.h"
#include "sim/base/error.h"
#include "sim/graph/op_graph_parts.h"
#include "sim/io/graph/graph_json.h"
#include "tests/graphs/builder/built_graphs.h"
#include "tests/support/layer_chain.h"
#include "tests/support/simulated_case.h"
#include "tests/support/small_graphs.h"

namespace opyard::graphs {
namespace {

using ::testing::ElementsAre;
using GraphPointer = std::shared_ptr<const sim::OpGraph>;

TEST(DivideBatchTest, OfOneIsTheGraphItself) {
  const GraphPointer graph = LoadGraph("vgg16");
  EXPECT_EQ(DivideBatch(graph, 1), graph);
}

TEST(DivideBatchTest, TheBatchIsTheLeadingExtentOfMostInputs) {
  EXPECT_EQ(FindBatch(*LoadGraph("vgg16")), 32);
  EXPECT_EQ(FindBatch(*LoadGraph("gnmt2")), 128);
  // Words and labels; the mask is [1, 1, seq, seq].
  EXPECT_EQ(FindBatch(*LoadGraph("zoo:gpt?scale=tiny&batch=6")), 6);
  EXPECT_EQ(FindBatch(*testing::MakeLayerChain({.num_layers = 1})), std::nullopt);
}

TEST(DivideBatchTest, HasToBeDivisible) {
  try {
    (void)DivideBatch(LoadGraph("vgg16"), 3);
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("expected a divisor of the batch, 32"));
  }
}

TEST(DivideBatchTest, WithoutShapesWhatDependsOnAnInputShrinks) {
  const GraphPointer graph = DivideBatch(testing::MakeLayerChain({.num_layers = 1,
                                                                  .forward_us = 6,
                                                                  .weight_gradient_us = 10,
                                                                  .activation_bytes = 800,
                                                                  .weight_bytes = 40}),
                                         2);
  const auto bytes_of = [&](const char* name) {
    return graph->tensor(graph->output(FindOp(*graph, name), 0)).bytes.count;
  };
  EXPECT_EQ(bytes_of("forward/0"), 400);
  EXPECT_EQ(bytes_of("input/0"), 400);
  EXPECT_EQ(bytes_of("weight/0"), 40);  // a gradient of a weight
  EXPECT_EQ(bytes_of("update/0"), 40);
  const auto seconds_of = [&](const char* name) {
    return graph->measured_times(FindOp(*graph, name))[0].seconds;
  };
  EXPECT_DOUBLE_EQ(seconds_of("forward/0"), 3e-6);
  EXPECT_DOUBLE_EQ(seconds_of("weight/0"), 5e-6);
}

SimTime MakespanOnOneDevice(const GraphPointer& graph) {
  const testing::SimulatedCase run(graph,
                                   testing::MeshMachine(1),
                                   testing::PlacedOn(std::vector<std::int32_t>(graph->num_ops())));
  return run.report().result.makespan;
}

TEST(DivideBatchTest, OneDeviceWorksAsLongAsBeforeButForTheSums) {
  const GraphPointer whole = testing::MakeLayerChain(
      {.num_layers = 3, .forward_us = 4, .input_gradient_us = 8, .weight_gradient_us = 12});
  // 3 layers × (4 + 8 + 12) µs, in one part or in four quarters.
  EXPECT_EQ(MakespanOnOneDevice(whole), testing::Microseconds(72));
  EXPECT_EQ(MakespanOnOneDevice(RepeatMicrobatches(DivideBatch(whole, 4), 4, "four")),
            testing::Microseconds(72));
}

TEST(DivideBatchTest, ShapesOfWorkShrink) {
  const GraphPointer graph = DivideBatch(LoadGraph("vgg16"), 4);
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    const sim::WorkShape* work = graph->work_shape(OpId(i));
    if (work != nullptr && std::holds_alternative<sim::ConvShape>(*work)) {
      EXPECT_EQ(std::get<sim::ConvShape>(*work).n, 8) << graph->ops()[i].name;  // of 32
    }
  }
}

// One eighth of the batch of a zoo graph, by division and by building it anew. No other extent is a
// multiple of 56. What is kept from step to step and constants, the first states of recurrent
// networks, do not shrink.
class DividedZooTest : public ::testing::TestWithParam<const char*> {};

TEST_P(DividedZooTest, IsLikeTheModelBuiltForTheSmallerBatch) {
  const std::string reference = "zoo:" + std::string(GetParam()) + "?scale=tiny";
  const GraphPointer built = LoadGraph(reference + "&batch=7");
  const GraphPointer divided = DivideBatch(LoadGraph(reference + "&batch=56"), 8);
  ASSERT_EQ(divided->num_ops(), built->num_ops());
  double other_bytes = 0.0;
  double all_bytes = 0.0;
  std::string others;
  for (std::size_t i = 0; i < built->num_tensors(); ++i) {
    const sim::Tensor& tensor = built->tensor(TensorId(i));
    if (built->aliases_params(TensorId(i)) || built->op(tensor.producer).type == "Const") {
      continue;
    }
    const auto bytes = static_cast<double>(tensor.bytes.count);
    const double difference =
        std::abs(static_cast<double>(divided->tensor(TensorId(i)).bytes.count) - bytes);
    all_bytes += bytes;
    other_bytes += difference;
    others += difference > 0.0 ? " " + built->op(tensor.producer).name : "";
  }
  EXPECT_LE(other_bytes, 0.003 * all_bytes) << other_bytes / all_bytes << others;
  double other_work = 0.0;
  double all_work = 0.0;
  for (std::size_t i = 0; i < built->num_ops(); ++i) {
    const double flops = built->ops()[i].flops.count;
    all_work += flops;
    other_work += std::abs(divided->ops()[i].flops.count - flops);
  }
  EXPECT_LE(other_work, 0.003 * all_work) << other_work / all_work;
}

INSTANTIATE_TEST_SUITE_P(AllModels,
                         DividedZooTest,
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

// Ops over weights alone and sums of gradients stay as they are.
TEST(DivideBatchTest, WorkIsDividedExactlyOrStays) {
  for (const char* name : {"vgg16", "resnet50", "inception_v3", "gnmt2"}) {
    const GraphPointer whole = LoadGraph(name);
    const GraphPointer quarter = DivideBatch(whole, 4);
    double all = 0.0;
    double stays = 0.0;
    for (std::size_t i = 0; i < whole->num_ops(); ++i) {
      const double before = whole->ops()[i].flops.count;
      const double after = quarter->ops()[i].flops.count;
      EXPECT_TRUE(after == before || 4.0 * after == before) << whole->ops()[i].name;
      all += before;
      stays += after == before ? before : 0.0;
    }
    EXPECT_LE(stays, 0.002 * all) << name;
  }
}

}  // namespace
}  // namespace opyard::graphs
