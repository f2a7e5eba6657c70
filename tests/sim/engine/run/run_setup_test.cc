// Plans that the engine refuses before it runs them.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/engine/incremental/run_history.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/plan/op_change.h"
#include "sim/plan/plan.h"
#include "tests/support/agreement.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::HasSubstr;

constexpr SimTime kNoLimit{std::numeric_limits<std::int64_t>::max()};

class RunSetupTest : public ::testing::Test {
 protected:
  [[nodiscard]] SimTime MakespanOf(const sim::Plan& plan) {
    return both_.simulator().Run(plan, workspace_).makespan;
  }

  // The message with which the engine refuses `plan`, or "".
  [[nodiscard]] std::string RefusalOf(const sim::Plan& plan) {
    try {
      static_cast<void>(MakespanOf(plan));
    } catch (const PlanError& error) {
      return error.what();
    }
    return "";
  }

  EngineAndReference both_{MakeGraph({TimedOp("a", 2), TimedOp("b", 3)}), MeshMachine(1)};
  sim::Workspace workspace_;
};

TEST_F(RunSetupTest, RefusesPrioritiesThatNoPlanFileMayHold) {
  EXPECT_THAT(RefusalOf(PlacedWithPriorities({0, 0}, {1, sim::kLargestPriority + 1})),
              HasSubstr("plan#/op_priority/1: found 9007199254740993, expected an integer from "
                        "-9007199254740992 to 9007199254740992"));
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(RefusalOf(PlacedWithPriorities({0, 0}, {kLeast, 1})),
              HasSubstr("plan#/op_priority/0: found -9223372036854775808"));
}

TEST_F(RunSetupTest, RefusesThemEvenWhereTheQueueIgnoresThem) {
  sim::Plan plan = PlacedOn({0, 0});
  plan.op_priority = {1, sim::kLargestPriority + 1};
  EXPECT_THAT(RefusalOf(plan), HasSubstr("plan#/op_priority/1"));
}

TEST_F(RunSetupTest, RunsPrioritiesOnTheLimits) {
  // 2 + 3 us on one device, in whatever order.
  EXPECT_EQ(
      MakespanOf(PlacedWithPriorities({0, 0}, {-sim::kLargestPriority, sim::kLargestPriority})),
      Microseconds(5));
}

TEST_F(RunSetupTest, RefusesAChangeToSuchAPriority) {
  sim::RunHistory history;
  static_cast<void>(both_.simulator().RunWithCheckpoints(
      PlacedWithPriorities({0, 0}, {1, 2}), workspace_, history));
  const sim::OpChange change{
      .op = OpId(1), .device = DeviceId(0), .priority = sim::kLargestPriority + 1};
  EXPECT_THROW(static_cast<void>(both_.simulator().ResimulateFrom(
                   history, std::span(&change, 1), kNoLimit, workspace_)),
               PlanError);
}

}  // namespace
}  // namespace opyard::testing
