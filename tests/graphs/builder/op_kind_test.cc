#include "graphs/builder/op_kind.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "graphs/builder/gradient_rules.h"

namespace opyard::graphs {
namespace {

// Library kernels, tables of weights and what only names data: no part of a fused kernel.
const std::set<std::string, std::less<>> kOpaqueTypes = {"AvgPool",
                                                         "AvgPoolGrad",
                                                         "Const",
                                                         "GatherV2",
                                                         "MaxPool",
                                                         "MaxPoolGrad",
                                                         "Placeholder",
                                                         "RandomUniform",
                                                         "UnsortedSegmentSum",
                                                         "Variable"};

TEST(OpKindTest, EveryTypeButLibraryKernelsHasAFusionClass) {
  for (const OpKind& kind : OpKinds()) {
    EXPECT_EQ(sim::FusionClassOfType(kind.type) == sim::FusionClass::kOpaque,
              kOpaqueTypes.contains(kind.type))
        << kind.type;
  }
}

TEST(OpKindTest, EveryHeavyTypeHasAShapeBlock) {
  for (const OpKind& kind : OpKinds()) {
    EXPECT_EQ(sim::FusionClassOfType(kind.type) == sim::FusionClass::kHeavy, kind.work != nullptr)
        << kind.type;
  }
}

TEST(GradientRuleTest, EveryRuleIsForATypeOfTheTableAndStandsInOneList) {
  std::set<std::string> types;
  for (const auto rules :
       {ElementwiseGradients(), HeavyGradients(), ReductionGradients(), MovementGradients()}) {
    EXPECT_TRUE(std::ranges::is_sorted(rules, {}, &GradientRule::type));
    for (const GradientRule& rule : rules) {
      EXPECT_EQ(GetOpKind(rule.type).type, rule.type);
      EXPECT_TRUE(types.insert(std::string(rule.type)).second) << rule.type;
    }
  }
}

}  // namespace
}  // namespace opyard::graphs
