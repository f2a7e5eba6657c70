// On the device of 1 TFLOP/s, 100 GB/s and launches of 2 us, with the hard maximum.
#include "sim/cost/scaled_model.h"

#include <gtest/gtest.h>

#include "tests/sim/cost/cost_cases.h"

namespace opyard::sim {
namespace {

using ::opyard::testing::GraphOf;
using ::opyard::testing::RoundDevice;
using ::opyard::testing::SpecOf;

OpCost Scaled(OpSpec spec, const FactorOfType& factors) {
  const RooflineModel model;
  return ScaledModel(model, factors).Cost(*GraphOf(std::move(spec)), OpId(0), RoundDevice());
}

TEST(ScaledModelTest, EveryTermTakesTheFactorOfTheType) {
  // 3e6 FLOPs: 3 us; 500 kB: 5 us; 2 + 5 = 7 us. Times 3: 6, 9, 15 and 21 us, at 100 / 3 GB/s.
  const OpCost cost = Scaled(SpecOf("Relu", 3e6, 500'000), {{"Relu", 3.0}, {"Add", 2.0}});
  const OpCost plain = Scaled(SpecOf("Relu", 3e6, 500'000), {});
  EXPECT_DOUBLE_EQ(cost.launch_s, 3.0 * plain.launch_s);
  EXPECT_DOUBLE_EQ(cost.flop_s, 3.0 * plain.flop_s);
  EXPECT_DOUBLE_EQ(cost.byte_s, 3.0 * plain.byte_s);
  EXPECT_DOUBLE_EQ(cost.total_s, 3.0 * plain.total_s);
  EXPECT_DOUBLE_EQ(cost.bytes_per_s, plain.bytes_per_s / 3.0);
}

TEST(ScaledModelTest, OtherTypesCostWhatTheyDo) {
  const OpCost cost = Scaled(SpecOf("Relu", 3e6, 500'000), {{"Add", 2.0}});
  EXPECT_EQ(cost.total_s, Scaled(SpecOf("Relu", 3e6, 500'000), {}).total_s);
}

TEST(ScaledModelTest, MeasuredTimesAreScaledToo) {
  OpSpec spec = SpecOf("Relu", 0, 0);
  spec.seconds.push_back({.where = "*", .seconds = 5e-6});
  EXPECT_DOUBLE_EQ(Scaled(spec, {{"Relu", 0.5}}).total_s, 2.5e-6);
}

}  // namespace
}  // namespace opyard::sim
