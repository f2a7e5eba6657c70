#include "experiments/plans/layouts/network_units.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/plans/layouts/layout_case.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using testing::LayoutCase;
using Names = std::vector<std::string>;

Names PathsOf(const LayoutCase& network, const NetworkUnits& units) {
  Names paths;
  for (const std::int32_t module : units.modules) {
    paths.push_back(network.tree().modules[static_cast<std::size_t>(module)].path);
  }
  return paths;
}

// The unit of each op of that name.
std::size_t UnitOf(const LayoutCase& network, const NetworkUnits& units, const std::string& name) {
  for (std::size_t i = 0; i < network.graph().num_ops(); ++i) {
    if (network.graph().op(OpId(i)).name == name) {
      return units.unit_of[i];
    }
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(NetworkUnitsTest, BlocksStandBetweenTheModulesAroundThem) {
  const LayoutCase network({.num_blocks = 3});
  const auto units = FindUnits(network.graph(), network.tree(), network.roles());
  ASSERT_TRUE(units.has_value());
  EXPECT_THAT(PathsOf(network, *units),
              ElementsAre("embed", "layers.0", "layers.1", "layers.2", "head"));
  EXPECT_EQ(units->first_block, 1U);
  EXPECT_EQ(units->end_block, 4U);
  EXPECT_EQ(UnitOf(network, *units, "layers.1/up"), 2U);
  EXPECT_EQ(UnitOf(network, *units, "layers.2/weight"), 3U);
}

TEST(NetworkUnitsTest, OpsOfTheNetworkItselfGoWithWhatTheyRead) {
  const LayoutCase network({.num_blocks = 2});
  const auto units = FindUnits(network.graph(), network.tree(), network.roles());
  ASSERT_TRUE(units.has_value());
  EXPECT_EQ(UnitOf(network, *units, "loss"), 3U);       // reads the head
  EXPECT_EQ(UnitOf(network, *units, "loss_grad"), 3U);  // the head's gradient reads it
  EXPECT_EQ(UnitOf(network, *units, "x"), 0U);          // the embedding reads it
}

TEST(NetworkUnitsTest, ANetworkWithoutRepeatedBlocksHasNone) {
  const LayoutCase network({.num_blocks = 1});
  EXPECT_FALSE(FindUnits(network.graph(), network.tree(), network.roles()).has_value());
}

// "a.0", "a.1" and "a.2" are single ops; "b0" and "b1" have two modules each below them.
TEST(NetworkUnitsTest, TheFamilyWithMostModulesHasTheBlocks) {
  std::vector<sim::OpSpec> ops;
  for (const char* module : {"a.0", "a.1", "a.2", "b0.c", "b0.d", "b1.c", "b1.d"}) {
    ops.push_back(opyard::testing::TimedOp(module, 1));
    ops.back().module = module;
    if (ops.size() > 1) {
      ops.back().inputs.push_back({.op = static_cast<std::int64_t>(ops.size()) - 2});
    }
  }
  const LayoutCase network(opyard::testing::MakeGraph(std::move(ops)));
  const auto units = FindUnits(network.graph(), network.tree(), network.roles());
  ASSERT_TRUE(units.has_value());
  EXPECT_THAT(PathsOf(network, *units), ElementsAre("a", "b0", "b1"));
}

}  // namespace
}  // namespace opyard::experiments
