// Which ops of a graph names in a profile speak of.
#include "experiments/graphs/profiled_types.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

ProfiledTypes TypesOf(const std::string& a, const std::string& b) {
  return ProfiledTypes(*testing::MakeGraph({{.name = "a", .type = a}, {.name = "b", .type = b}}));
}

TEST(ProfiledTypesTest, AtenNamesAreOfTheTypeThatImportersGiveThem) {
  const ProfiledTypes types = TypesOf("MatMul", "Add");
  EXPECT_EQ(types.TypeIn("aten::mm"), "matmul");
  EXPECT_EQ(types.TypeIn("aten::addmm"), "matmul");
  EXPECT_EQ(types.TypeIn("aten::add_"), "add");
  EXPECT_EQ(types.TypeIn("aten::relu"), "");
}

TEST(ProfiledTypesTest, TheGraphsOwnNamesComeFirst) {
  const ProfiledTypes types = TypesOf("mm", "MatMul");
  EXPECT_EQ(types.TypeIn("aten::mm"), "mm");
  EXPECT_EQ(types.TypeIn("MM"), "mm");
  EXPECT_EQ(types.TypeIn("addmm"), "");
}

// PyTorch's own words and those of its libraries, for the types of exported graphs.
TEST(ProfiledTypesTest, RuntimeNamesAreOfTheTypeOfTheirOp) {
  const ProfiledTypes types = TypesOf("BatchNorm", "BatchNormGrad");
  for (const std::string name :
       {"batch_norm", "native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm"}) {
    EXPECT_EQ(types.TypeIn("aten::" + name), "batchnorm") << name;
  }
  EXPECT_EQ(types.TypeIn("aten::cudnn_batch_norm_backward"), "batchnormgrad");
  const ProfiledTypes attention = TypesOf("Attention", "AttentionGrad");
  for (const std::string variant : {"flash", "efficient", "cudnn"}) {
    const std::string name = "aten::_scaled_dot_product_" + variant + "_attention";
    EXPECT_EQ(attention.TypeIn(name), "attention");
    EXPECT_EQ(attention.TypeIn(name + "_backward"), "attentiongrad");
  }
  EXPECT_EQ(TypesOf("Softmax", "Dropout").TypeIn("aten::softmax"), "softmax");
  EXPECT_EQ(TypesOf("Softmax", "Dropout").TypeIn("aten::dropout"), "dropout");
}

TEST(ProfiledTypesTest, ConvolutionsOfAllDimensionsAreOneGroup) {
  const ProfiledTypes types = TypesOf("Conv1D", "Conv3DTransposeBackpropFilter");
  const std::string group = ProfiledTypes::GroupOf("Conv2DTranspose");
  EXPECT_EQ(types.TypeIn("aten::convolution"), group);
  EXPECT_EQ(types.TypeIn("aten::cudnn_convolution_transpose"), group);
  EXPECT_EQ(types.TypeIn("aten::conv1d"), group);
  EXPECT_EQ(types.TypeIn("Conv1D"), "conv1d");  // a table names what it means
  EXPECT_EQ(types.TypeIn("aten::convolution_backward"), ProfiledTypes::kConvolutionGradients);
  EXPECT_EQ(ProfiledTypes::GroupOf("Convolve"), "convolve");
}

TEST(ProfiledTypesTest, UpdatesOfManyWeightsAreUpdates) {
  const ProfiledTypes types = TypesOf("ApplyGradient", "Add");
  EXPECT_EQ(types.TypeIn("aten::_foreach_add_"), ProfiledTypes::kUpdates);
  EXPECT_EQ(types.TypeIn("aten::_fused_adamw_"), ProfiledTypes::kUpdates);
  EXPECT_EQ(TypesOf("Mul", "Add").TypeIn("aten::_foreach_add_"), "");
}

TEST(ProfiledTypesTest, ViewsTakeNoTime) {
  EXPECT_EQ(TypesOf("Transpose", "Reshape").TypeIn("aten::t"), "");
  EXPECT_EQ(TypesOf("t", "Reshape").TypeIn("aten::t"), "t");
  EXPECT_EQ(TypesOf("Transpose", "Reshape").TypeIn("aten::reshape"), "");
  EXPECT_EQ(TypesOf("Transpose", "reshape").TypeIn("aten::reshape"), "reshape");
}

}  // namespace
}  // namespace opyard::experiments
