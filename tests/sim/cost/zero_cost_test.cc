#include "sim/cost/zero_cost.h"

#include <gtest/gtest.h>

#include "tests/sim/cost/cost_cases.h"

namespace opyard::sim {
namespace {

using opyard::testing::CostOf;
using opyard::testing::RoundDevice;
using opyard::testing::SpecOf;

// The cost of the second of two ops, which reads the first.
double ConsumerSeconds(OpSpec consumer) {
  OpGraphBuilder builder("pair");
  OpSpec source = SpecOf("Placeholder", 0, 0);
  source.name = "source";
  builder.AddOp(source);
  consumer.inputs = {{.op = 0, .output = 0}};
  builder.AddOp(consumer);
  return RooflineModel().Cost(*builder.Build(), OpId(1), RoundDevice()).total_s;
}

TEST(ZeroCostTest, NamedDataCostsNothing) {
  for (const char* type :
       {"Placeholder", "Variable", "Constant", "GetItem", "getitem", "parameter"}) {
    EXPECT_EQ(CostOf(SpecOf(type, 0, 1000), RoundDevice()).total_s, 0.0) << type;
  }
}

TEST(ZeroCostTest, AViewCostsNothing) {
  OpSpec view = SpecOf("Reshape", 0, 1000);
  view.outputs = {{.bytes = Bytes{4}, .alias = Alias::kInput}};
  EXPECT_EQ(ConsumerSeconds(view), 0.0);
}

TEST(ZeroCostTest, AReshapeThatCopiesCosts) {
  EXPECT_GT(ConsumerSeconds(SpecOf("Reshape", 0, 1000)), 2e-6);
}

TEST(ZeroCostTest, AnUpdateInPlaceCosts) {
  OpSpec update = SpecOf("ApplyAdam", 5e6, 1000);
  update.outputs = {{.bytes = Bytes{4}, .alias = Alias::kInput}};
  EXPECT_DOUBLE_EQ(ConsumerSeconds(update), 7e-6);  // 2 us + 5 MFLOP / 1 TFLOP/s
}

TEST(ZeroCostTest, OneOutputOfItsOwnMakesAnOpCost) {
  OpSpec split = SpecOf("Split", 0, 0);
  split.outputs = {{.bytes = Bytes{4}, .alias = Alias::kInput}, {.bytes = Bytes{4}}};
  EXPECT_EQ(ConsumerSeconds(split), 2e-6);
}

TEST(ZeroCostTest, AnOpWithoutOutputsPaysItsLaunch) {
  OpSpec barrier = SpecOf("Group", 0, 0);
  barrier.outputs = {};
  EXPECT_EQ(ConsumerSeconds(barrier), 2e-6);
}

}  // namespace
}  // namespace opyard::sim
