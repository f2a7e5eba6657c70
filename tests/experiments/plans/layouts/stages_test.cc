#include "experiments/plans/layouts/stages.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/rng.h"
#include "tests/experiments/plans/layouts/layout_case.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LayoutCase;

std::vector<Inexpressible> ReasonsOf(const LayoutCase& network,
                                     const sim::Plan& plan,
                                     StageForm form) {
  std::vector<Inexpressible> reasons;
  network.With(plan, [&](const LayoutInput& input) {
    (void)FindStages(input, form, "it", reasons);
    return 0;
  });
  return reasons;
}

TEST(StagesTest, RunsOfUnitsOnOneDeviceAreStages) {
  const LayoutCase network({.num_blocks = 3});
  const sim::Plan plan = network.ProgramOn({{"", 1}, {"embed", 0}, {"layers.0", 0}});
  network.With(plan, [](const LayoutInput& input) {
    std::vector<Inexpressible> reasons;
    const auto stages = FindStages(input, StageForm::kUnits, "it", reasons);
    EXPECT_THAT(reasons, IsEmpty());
    EXPECT_EQ(stages.value().stages.size(), 2U);
    EXPECT_EQ(stages.value().stages[1].units.first, 2U);  // layers.1
    EXPECT_EQ(stages.value().ranks, (std::vector{DeviceId(0), DeviceId(1)}));
    return 0;
  });
}

TEST(StagesTest, ABlockOnTwoDevicesIsNamedWithAnOpOfEach) {
  const LayoutCase network({.num_blocks = 2});
  const sim::Plan plan = network.ProgramOn({{"", 0}, {"layers.1.up", 1}});
  const auto reasons = ReasonsOf(network, plan, StageForm::kUnits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].what, "module layers.1");
  EXPECT_THAT(reasons[0].why, HasSubstr("d0 (op layers.1/norm) and d1 (op layers.1/weight)"));
}

TEST(StagesTest, StagesThatReturnToADeviceHaveToTakeTurns) {
  const LayoutCase network({.num_blocks = 4});
  // d0 d1 d0 d1, where stages take turns; then d0 d1 d0.
  const sim::Plan turns =
      network.ProgramOn({{"", 0}, {"layers.0", 1}, {"layers.1", 1}, {"layers.3", 1}, {"head", 1}});
  sim::Plan looped = turns;
  for (std::size_t i = 0; i < looped.placement.size(); ++i) {
    if (network.graph().op(OpId(i)).name.starts_with("loss")) {
      looped.placement[i] = DeviceId(1);
    }
  }
  EXPECT_THAT(ReasonsOf(network, looped, StageForm::kUnits), IsEmpty());
  EXPECT_THAT(ReasonsOf(network, looped, StageForm::kRanks), ::testing::Not(IsEmpty()));
  const sim::Plan returns = network.ProgramOn({{"", 0}, {"layers.1", 1}});
  const auto reasons = ReasonsOf(network, returns, StageForm::kUnits);
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].what, "stage from module layers.2 on");
  EXPECT_THAT(reasons[0].why, HasSubstr("on d0, which has an earlier stage"));
}

// The time that `placement` leaves where the plan has it, of ops that compute.
std::int64_t KeptOps(const LayoutCase& network,
                     const sim::OpPlacement& plan,
                     const sim::OpPlacement& placement) {
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    kept += IsCompute(network.roles()[i]) && plan[i] == placement[i] ? 1 : 0;
  }
  return kept;
}

// True if no device returns.
bool IsOneRunEach(const std::vector<std::int32_t>& devices) {
  std::set<std::int32_t> seen;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const bool is_new = i == 0 || devices[i] != devices[i - 1];
    if (is_new && !seen.insert(devices[i]).second) {
      return false;
    }
  }
  return true;
}

// The most ops, which all take 1 us, that any assignment of one run per GPU keeps.
std::int64_t MostKept(const LayoutCase& network, const sim::OpPlacement& plan, StageForm form) {
  const auto units = FindUnits(network.graph(), network.tree(), network.roles()).value();
  const auto parts = PartsOf(units, network.tree(), form);
  std::int64_t most = 0;
  std::vector<std::int32_t> devices(parts.size());
  const auto try_all = [&](const auto& self, std::size_t part) -> void {
    if (part < parts.size()) {
      for (devices[part] = 0; devices[part] < 3; ++devices[part]) {
        self(self, part + 1);
      }
      devices[part] = 0;
    } else if (IsOneRunEach(devices)) {
      sim::OpPlacement placement;
      for (const std::size_t unit : units.unit_of) {
        const auto at = std::ranges::find_if(
            parts, [&](const UnitRange& range) { return unit >= range.first && unit < range.end; });
        placement.emplace_back(devices[static_cast<std::size_t>(at - parts.begin())]);
      }
      most = std::max(most, KeptOps(network, plan, placement));
    }
  };
  try_all(try_all, 0);
  return most;
}

TEST(StagesTest, RoundingKeepsAsMuchTimeAsAnyOtherPlanOfRuns) {
  const LayoutCase network({.num_blocks = 3}, 3);
  Rng rng(5);
  for (int i = 0; i < 20; ++i) {
    sim::Plan plan{.placement = {}, .queue = sim::QueueDiscipline::kProgram};
    for (std::size_t op = 0; op < network.graph().num_ops(); ++op) {
      plan.placement.emplace_back(static_cast<std::int32_t>(rng.Below(3)));
    }
    for (const StageForm form : {StageForm::kUnits, StageForm::kLayers, StageForm::kRanks}) {
      const sim::OpPlacement rounded =
          network.With(plan, [&](const LayoutInput& input) { return RoundToStages(input, form); });
      EXPECT_EQ(KeptOps(network, plan.placement, rounded), MostKept(network, plan.placement, form));
      EXPECT_THAT(ReasonsOf(network, {.placement = rounded, .queue = plan.queue}, form), IsEmpty());
    }
  }
}

TEST(StagesTest, RoundingLeavesWhatIsInRuns) {
  const LayoutCase network({.num_blocks = 3});
  const sim::Plan plan = network.ProgramOn({{"", 1}, {"embed", 0}, {"layers.0", 0}});
  const sim::OpPlacement rounded = network.With(
      plan, [](const LayoutInput& input) { return RoundToStages(input, StageForm::kUnits); });
  EXPECT_EQ(KeptOps(network, plan.placement, rounded),
            std::ranges::count_if(network.roles(), IsCompute));
}

}  // namespace
}  // namespace opyard::experiments
