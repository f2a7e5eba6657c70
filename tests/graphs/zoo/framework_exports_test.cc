// One layer of generated graphs, op by op, against graphs that frameworks wrote. Those stand
// outside the project, in ../shared/data/graphs/exported beside it; where they are absent, these
// tests are skipped.
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphs/builder/autodiff.h"
#include "graphs/graph_source.h"
#include "graphs/zoo/lstm.h"
#include "sim/io/text_file.h"
#include "tests/graphs/builder/built_graphs.h"

namespace opyard::graphs {
namespace {

using Json = nlohmann::json;

const char* const kExports = "../shared/data/graphs/exported";  // tests run in the project's root

// Null if the file is not there.
Json ReadExport(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(kExports) / name;
  return std::filesystem::exists(path) ? Json::parse(sim::ReadTextFile(path)) : Json();
}

bool StartsWith(const std::string& text, const std::string& start) {
  return text.starts_with(start);
}

// Types of TensorFlow's nodes in the layers "conv2d_`k`", "batch_normalization_`k`" and
// "activation_`k`" of the forward or the backward pass.
Histogram TensorFlowLayer(const Json& graph, int k, bool is_backward) {
  const std::string number = "_" + std::to_string(k) + "_1/";
  Histogram counts;
  for (const Json& node : graph["nodes"]) {
    const auto name = node[0].get<std::string>();
    const bool is_of_layer = name.find("/conv2d" + number) != std::string::npos ||
                             name.find("/batch_normalization" + number) != std::string::npos ||
                             name.find("/activation" + number) != std::string::npos;
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

class TensorFlowExportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    exported_ = ReadExport("tf_grappler_costed_InceptionV3_b32.json.gz");
    if (exported_.is_null()) {
      GTEST_SKIP() << "no " << kExports << " beside the project";
    }
    ours_ = LoadGraph("zoo:inception_v3?updates=fused&auxiliary=false");
  }
  Json exported_;
  std::shared_ptr<const sim::OpGraph> ours_;
};

TEST_F(TensorFlowExportTest, AConvolutionalLayerHasTheSameForwardOps) {
  Histogram expected = Compute(TensorFlowLayer(exported_, 10, false));
  // Keras' layers have no scale: it is reshaped, and multiplied once.
  expected["Reshape"] += 1;
  expected["Mul"] += 1;
  EXPECT_EQ(Compute(OurLayer(*ours_, "block35_0/b1", false)), expected);
}

TEST_F(TensorFlowExportTest, AConvolutionalLayerHasTheSameBackwardOps) {
  Histogram expected = Compute(TensorFlowLayer(exported_, 10, true));
  // The scale: its product has two gradients, and its own is reshaped.
  expected["Mul"] += 2;
  expected["Reshape"] += 1;
  // TensorFlow reshapes the gradients of both means to the shape that they have.
  expected["Reshape"] -= 2;
  EXPECT_EQ(Compute(OurLayer(*ours_, "block35_0/b1", true)), expected);
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
