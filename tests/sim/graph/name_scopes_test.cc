#include "sim/graph/name_scopes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

using ::testing::ElementsAre;

using Paths = std::vector<std::optional<std::string>>;

Paths Read(std::vector<NamedOp> ops) {
  return ModulesOfNames(ops);
}

TEST(NameScopesTest, AForwardOpIsInTheScopeOfItsName) {
  EXPECT_THAT(
      Read({{"encoder/0/MatMul", Phase::kForward},
            {"/encoder.0/attn/MatMul", Phase::kForward},
            {"blocks.0.conv1/Conv2D", Phase::kForward},
            {"MatMul", Phase::kForward},
            {"/MatMul", Phase::kForward}}),
      ElementsAre("encoder.0", "encoder.0.attn", "blocks.0.conv1", std::nullopt, std::nullopt));
}

TEST(NameScopesTest, AScopeEndsBeforeTheNameOfAnOp) {
  EXPECT_THAT(Read({{"dense/kernel", Phase::kForward},
                    {"dense/kernel/read", Phase::kForward},
                    {"dense/kernel/read/axis", Phase::kForward}}),
              ElementsAre("dense", "dense", "dense"));
}

TEST(NameScopesTest, OtherOpsRepeatTheScopeOfAForwardOp) {
  EXPECT_THAT(Read({{"encoder/0/MatMul", Phase::kForward},
                    {"gradients/encoder/0/MatMul_grad/Sum", Phase::kBackward},
                    {"call/gradient_tape/encoder/0/MatMul/MatMul_1", Phase::kUnknown},
                    {"encoder.0.weight/ApplyGradient", Phase::kUpdate},
                    {"update/decoder/Add", Phase::kUpdate}}),
              ElementsAre("encoder.0", "encoder.0", "encoder.0", "encoder.0", std::nullopt));
}

TEST(NameScopesTest, WithoutForwardOpsAllScopesCount) {
  EXPECT_THAT(Read({{"a/op", Phase::kUnknown}, {"gradients/a/op", Phase::kBackward}}),
              ElementsAre("a", "gradients.a"));
}

TEST(NameScopesTest, DeepScopesAreCut) {
  std::string name;
  for (int i = 0; i < 1000; ++i) {
    name += "a/";
  }
  name += "op";
  const std::string path = *Read({{name, Phase::kForward}})[0];

  EXPECT_EQ(path.size(), 2 * kMostModuleDepth - 1);  // "a.a.….a"
}

}  // namespace
}  // namespace opyard::sim
