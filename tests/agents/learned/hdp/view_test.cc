#include "agents/learned/hdp/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents::hdp {
namespace {

using opyard::testing::TimedOp;
using ::testing::ElementsAre;

// Two layers of two ops each.
std::shared_ptr<const env::Problem> TwoLayers() {
  std::vector<sim::OpSpec> ops;
  for (std::int32_t i = 0; i < 4; ++i) {
    std::vector<sim::InputRef> inputs;
    if (i > 0) {
      inputs.push_back({i - 1, 0});
    }
    ops.push_back(TimedOp("op" + std::to_string(i), 5, std::move(inputs)));
    ops.back().layer = i / 2;
  }
  return testing::MakeProblem(opyard::testing::MakeGraph(std::move(ops)),
                              opyard::testing::MeshMachine(2));
}

TEST(HdpViewTest, UnitsAreGroupsOfTheProblemOrRunsOfLayers) {
  const auto problem = TwoLayers();
  const auto units = [&](UnitKind kind, std::int64_t num_groups) {
    return MakeView(*problem, kind, {.num_groups = num_groups}).units.group_of_op;
  };
  EXPECT_THAT(units(UnitKind::kProblem, 2), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(units(UnitKind::kStages, 2), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(units(UnitKind::kStages, 1), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(units(UnitKind::kStages, 0), ElementsAre(0, 1, 2, 3));  // 40 groups for two GPUs
}

// A unit's device is that of all its ops.
TEST(HdpViewTest, AUnitGoesAsAWhole) {
  const auto problem = TwoLayers();
  const View view = MakeView(*problem, UnitKind::kStages, {.num_groups = 2});
  const sim::Plan plan = ToPlan(view, torch::tensor({1, 0}, torch::kLong));
  EXPECT_THAT(plan.placement, ElementsAre(DeviceId(1), DeviceId(1), DeviceId(0), DeviceId(0)));
}

}  // namespace
}  // namespace opyard::agents::hdp
