#include "graphs/importers/hlo/hlo_scopes.h"

#include <gtest/gtest.h>

namespace opyard::graphs {
namespace {

TEST(HloScopesTest, ScopesOfTransformationsCountAndCompiledFunctionsDoNot) {
  EXPECT_EQ(ModuleOfOpName("jit(step)/jit(main)/jvp(layer0)/attn/dot_general"), "layer0.attn");
  EXPECT_EQ(ModuleOfOpName("jit(step)/transpose(jvp(layer0))/attn/dot_general"), "layer0.attn");
  EXPECT_EQ(ModuleOfOpName("jit(step)/vmap(jit(f))/layer1/add"), "layer1");
}

TEST(HloScopesTest, PartsOfControlFlowArePassedOver) {
  EXPECT_EQ(ModuleOfOpName("jit(f)/encoder/while/body/closed_call/cell/tanh"), "encoder.cell");
  EXPECT_EQ(ModuleOfOpName("jit(f)/cond/branch_1_fun/left/mul"), "left");
}

TEST(HloScopesTest, OpsOutsideOfScopesAreInNoModule) {
  EXPECT_EQ(ModuleOfOpName("jit(step)/jvp()/mul"), std::nullopt);
  EXPECT_EQ(ModuleOfOpName("params['dense']['kernel']"), std::nullopt);
  EXPECT_EQ(ModuleOfOpName(""), std::nullopt);
}

TEST(HloScopesTest, PathsHaveNoEmptyNamesAndNoDotsInNames) {
  EXPECT_EQ(ModuleOfOpName("jit(f)//block.0/jvp(a/b)/reduce_sum[axes=(0,)]"), "block_0.a.b");
  EXPECT_EQ(ModuleOfOpName("a/mul;b/add"), "a");
}

TEST(HloScopesTest, UnbalancedParenthesesAreRead) {
  EXPECT_EQ(ModuleOfOpName("jvp(a/b"), std::nullopt);
  EXPECT_EQ(ModuleOfOpName("a)/b"), std::nullopt);
}

}  // namespace
}  // namespace opyard::graphs
