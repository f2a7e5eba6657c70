// One layer of generated convolutional and recurrent graphs, op by op, against graphs that
// frameworks wrote.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphs/builder/autodiff.h"
#include "graphs/graph_sources.h"
#include "graphs/zoo/lstm.h"
#include "tests/graphs/builder/built_graphs.h"
#include "tests/graphs/zoo/exported_graphs.h"

namespace opyard::graphs {
namespace {

using Json = nlohmann::json;

bool StartsWith(const std::string& text, const std::string& start) {
  return text.starts_with(start);
}

// Types of TensorFlow's nodes of the forward or the backward pass whose names hold one of `parts`.
Histogram TensorFlowLayer(const Json& graph,
                          const std::vector<std::string>& parts,
                          bool is_backward) {
  Histogram counts;
  for (const Json& node : graph["nodes"]) {
    const auto name = node[0].get<std::string>();
    const bool is_of_layer = std::ranges::any_of(
        parts, [&](const std::string& part) { return name.find(part) != std::string::npos; });
    if (is_of_layer && StartsWith(name, "gradient_tape/") == is_backward) {
      ++counts[node[1].get<std::string>()];
    }
  }
  return counts;
}

Histogram OurLayer(const sim::OpGraph& graph, const std::string& layer, bool is_backward) {
  const std::string start = (is_backward ? "gradients/" : "") + layer + "/";
  Histogram counts;
  for (const sim::Op& op : graph.ops()) {
    if (StartsWith(op.name, start)) {
      ++counts[op.type];
    }
  }
  return counts;
}

// Without what a framework names otherwise: constants, variables and their reads, sums of
// gradients, which TensorFlow names without their layer, and shapes of dynamic tensors.
Histogram Compute(Histogram counts) {
  counts["Assign"] += counts["AssignVariableOp"];
  for (const char* type : {"AddN",
                           "AssignVariableOp",
                           "Const",
                           "Identity",
                           "Placeholder",
                           "ReadVariableOp",
                           "ShapeN",
                           "Variable"}) {
    counts.erase(type);
  }
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  return counts;
}

class InceptionExportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    exported_ = ReadExport("tf_grappler_costed_InceptionV3_b32.json.gz");
    if (exported_.is_null()) {
      GTEST_SKIP() << "no " << kExports << " beside the project";
    }
    ours_ = LoadGraph("zoo:inception_v3?updates=fused&auxiliary=false");
  }
  const std::vector<std::string> layer_ = {
      "/conv2d_10_1/", "/batch_normalization_10_1/", "/activation_10_1/"};
  Json exported_;
  std::shared_ptr<const sim::OpGraph> ours_;
};

TEST_F(InceptionExportTest, AConvolutionalLayerHasTheSameForwardOps) {
  Histogram expected = Compute(TensorFlowLayer(exported_, layer_, false));
  // Keras' layers have no scale: it is reshaped, and multiplied once.
  expected["Reshape"] += 1;
  expected["Mul"] += 1;
  EXPECT_EQ(Compute(OurLayer(*ours_, "block35_0/b1", false)), expected);
}

TEST_F(InceptionExportTest, AConvolutionalLayerHasTheSameBackwardOps) {
  Histogram expected = Compute(TensorFlowLayer(exported_, layer_, true));
  // The scale: its product has two gradients, and its own is reshaped.
  expected["Mul"] += 2;
  expected["Reshape"] += 1;
  // TensorFlow reshapes the gradients of both means to the shape that they have.
  expected["Reshape"] -= 2;
  EXPECT_EQ(Compute(OurLayer(*ours_, "block35_0/b1", true)), expected);
}

// A block of three convolutions beside a shortcut that is as wide.
class ResnetExportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    exported_ = ReadExport("tf_grappler_costed_ResNet50_b32.json.gz");
    if (exported_.is_null()) {
      GTEST_SKIP() << "no " << kExports << " beside the project";
    }
    ours_ = LoadGraph("zoo:resnet50?updates=fused");
  }
  const std::vector<std::string> block_ = {"/conv2_block2_"};
  Json exported_;
  std::shared_ptr<const sim::OpGraph> ours_;
};

TEST_F(ResnetExportTest, ABottleneckHasTheSameForwardOps) {
  Histogram expected = Compute(TensorFlowLayer(exported_, block_, false));
  // Keras' convolutions have a bias: it is reshaped, squeezed and added.
  expected["Reshape"] -= 3;
  expected["Squeeze"] -= 3;
  expected.erase("BiasAdd");
  EXPECT_EQ(Compute(OurLayer(*ours_, "block1_1", false)), expected);
}

TEST_F(ResnetExportTest, ABottleneckHasTheSameBackwardOps) {
  Histogram expected = Compute(TensorFlowLayer(exported_, block_, true));
  // The bias again: one reduction and two reshapes each.
  expected.erase("BiasAddGrad");
  expected["Reshape"] -= 3 * 2;
  // TensorFlow reshapes the gradients of both means to the shape that they have.
  expected["Reshape"] -= 3 * 2;
  EXPECT_EQ(Compute(OurLayer(*ours_, "block1_1", true)), expected);
}

TEST(JaxExportTest, ResnetHasAsManyConvolutions) {
  const std::string exported = ReadExportText("jax_hlo_unopt_train_resnet50_b32.txt.gz");
  if (exported.empty()) {
    GTEST_SKIP() << "no " << kExports << " beside the project";
  }
  Histogram ours = CountTypes(*LoadGraph("zoo:resnet50"));
  EXPECT_EQ(ours["Conv2D"] + ours["Conv2DBackpropInput"] + ours["Conv2DBackpropFilter"],
            CountText(exported, " convolution("));
  EXPECT_EQ(ours["MatMul"], CountText(exported, " dot("));
  EXPECT_EQ(ours["Rsqrt"], CountText(exported, " rsqrt("));
}

TEST(TorchExportTest, LstmCellsHaveTheSameGates) {
  const Json exported = ReadExport("torch_joint_fwdbwd_gnmt_like_L2_T10.json.gz");
  if (exported.is_null()) {
    GTEST_SKIP() << "no " << kExports << " beside the project";
  }
  Histogram theirs;
  for (const Json& node : exported["nodes"]) {
    ++theirs[node["op"].get<std::string>()];
  }
  // There: two layers of encoder, ten steps, whose last states begin two layers of decoder. Here:
  // two layers of 20 steps, with zeros as first states as there.
  GraphBuilder builder("cells", "test");
  const LstmCell bottom(builder, "bottom", 3, 5);
  const LstmCell top(builder, "top", 5, 5);
  LstmState bottom_state = bottom.ZeroState(2);
  LstmState top_state = top.ZeroState(2);
  const Tensor table = builder.Weight("table", {2, 20, 3});
  for (const Tensor& word : builder.Unpack(table, 1)) {
    bottom_state = bottom.Step(word, bottom_state);
    top_state = top.Step(bottom_state.hidden, top_state);
  }
  Differentiate(builder, builder.Reduce("Sum", top_state.hidden, {0, 1}));
  Histogram ours = CountTypes(*builder.Build());
  EXPECT_EQ(ours["Sigmoid"], theirs["aten.sigmoid.default"]);
  EXPECT_EQ(ours["SigmoidGrad"], theirs["aten.sigmoid_backward.default"]);
  EXPECT_EQ(ours["Tanh"], theirs["aten.tanh.default"]);
  EXPECT_EQ(ours["TanhGrad"], theirs["aten.tanh_backward.default"]);
  EXPECT_EQ(ours["Split"], theirs["aten.unsafe_split.Tensor"]);
  EXPECT_EQ(ours["Mul"], theirs["aten.mul.Tensor"]);
}

}  // namespace
}  // namespace opyard::graphs
