#include "experiments/plans/layouts/accelerate.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/base/rng.h"
#include "tests/experiments/plans/layouts/layout_case.h"

namespace opyard::experiments {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LayoutCase;

json MapOf(const LayoutCase& network, const sim::Plan& plan, const LayoutOptions& options = {}) {
  return json::parse(network.TextOf(plan, "accelerate", options), nullptr, false);
}

TEST(AccelerateTest, TheMapHasTheFewestEntries) {
  const LayoutCase network({.num_blocks = 3});
  EXPECT_EQ(MapOf(network, network.ProgramOn({{"", 1}})), json({{"", 1}}));
  const sim::Plan plan = network.ProgramOn({{"", 1}, {"embed", 0}, {"layers.0", 0}});
  EXPECT_EQ(MapOf(network, plan),
            json({{"embed", 0}, {"layers.0", 0}, {"layers.1", 1}, {"layers.2", 1}, {"head", 1}}));
}

TEST(AccelerateTest, NamesOfDevicesCanBeGiven) {
  const LayoutCase network({.num_blocks = 2});
  const sim::Plan plan = network.ProgramOn({{"", 0}});
  EXPECT_EQ(MapOf(network, plan, {.names = {{"d0", "7"}}}), json({{"", 7}}));
  EXPECT_EQ(MapOf(network, plan, {.names = {{"d0", "mps"}}}), json({{"", "mps"}}));
  EXPECT_THROW((void)network.Export(plan, "accelerate", {.names = {{"d9", "0"}}}), InputError);
}

TEST(AccelerateTest, WeightsOnTheCpuWaitThereForTheMainDevice) {
  const LayoutCase network({.num_blocks = 2});
  sim::Plan plan = network.ProgramOn({{"", 0}});
  for (std::size_t i = 0; i < plan.placement.size(); ++i) {
    if (network.graph().op(OpId(i)).name == "head/weight") {
      plan.placement[i] = DeviceId(2);
    }
  }
  EXPECT_EQ(MapOf(network, plan), json({{"embed", 0}, {"layers", 0}, {"head", "cpu"}}));
}

TEST(AccelerateTest, ModulesThatComputeOnTheCpuBesideAGpuAreNamed) {
  const LayoutCase network({.num_blocks = 2});
  const LayoutExport result =
      network.Export(network.ProgramOn({{"", 0}, {"embed", 2}}), "accelerate");
  ASSERT_EQ(result.inexpressible.size(), 1U);
  EXPECT_EQ(result.inexpressible[0].what, "module embed");
  EXPECT_THAT(result.inexpressible[0].why,
              HasSubstr("computes on cpu; accelerate keeps weights there and computes on d0"));
}

TEST(AccelerateTest, AnOpBetweenModulesRunsWhereItsTensorsAre) {
  const LayoutCase network({.num_blocks = 2});
  // "layers.1/add" reads "layers.0/add" on d0 and "layers.1/up" on d1.
  const LayoutExport result = network.Export(
      network.ProgramOn({{"", 0}, {"layers.1", 1}, {"layers.1.up", 1}, {"layers.0.up", 1}}),
      "accelerate",
      {.nearest = true});
  ASSERT_FALSE(result.inexpressible.empty());
  EXPECT_EQ(result.inexpressible[0].what, "module layers.0");
  EXPECT_THAT(result.inexpressible[0].why,
              HasSubstr("its own op layers.0/add reads from d0 (op embed/mm) and d1"));
  EXPECT_THAT(result.left, IsEmpty());
  EXPECT_TRUE(result.is_written());
}

TEST(AccelerateTest, OrdersAndFusionAreNamed) {
  const LayoutCase network({.num_blocks = 2});
  sim::Plan plan = network.ProgramOn({{"", 0}});
  plan.transfer_priority = {
      {.tensor = network.graph().output(OpId(0), 0), .destination = DeviceId(0), .priority = 1}};
  const LayoutExport result = network.Export(plan, "accelerate", {.nearest = true});
  ASSERT_EQ(result.inexpressible.size(), 1U);
  EXPECT_EQ(result.inexpressible[0].what, "priorities of copies");
  EXPECT_THAT(result.moves, IsEmpty());
  EXPECT_TRUE(result.run_plan.transfer_priority.empty());
}

}  // namespace
}  // namespace opyard::experiments
