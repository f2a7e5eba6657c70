#include "env/eager_run.h"

#include <gtest/gtest.h>

#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::Microseconds;
using ::opyard::testing::PlacedWithPriorities;
using ::opyard::testing::TimedOp;

TEST(EagerRunTest, OpsRunByTheirIndexWhateverTheirPriorities) {
  // a (3) on d0 feeds b (2) on d1, which also has c (4). By priority c runs first: 0–4, b 4–6. By
  // index c waits behind b, which has its input at 4: b 4–6, c 6–10.
  const auto problem = MakeProblem(
      MakeGraph({TimedOp("a", 3), TimedOp("b", 2, {{0, 0}}), TimedOp("c", 4)}), MeshMachine(2));
  const auto eager = EagerRunOf(*problem, PlacedWithPriorities({0, 1, 1}, {3, 1, 2}));
  ASSERT_TRUE(eager.has_value());
  EXPECT_EQ(eager->makespan, Microseconds(10));
}

TEST(EagerRunTest, NothingIsFused) {
  sim::Plan plan = PlacedWithPriorities({0, 1, 1}, {1, 1, 1});
  plan.fusion_priority = {1, 1, 1};
  plan.fusion_region = {0, 0, 0};
  const sim::Plan eager = EagerPlanOf(plan);
  EXPECT_TRUE(eager.fusion_priority.empty());
  EXPECT_EQ(eager.placement, plan.placement);
  EXPECT_EQ(eager.queue, sim::QueueDiscipline::kProgram);
}

TEST(EagerRunTest, AnEagerProblemNeedsNoSecondFigure) {
  const ProblemSettings eager{.default_queue = sim::QueueDiscipline::kProgram,
                              .default_fusion = DefaultFusion::kNone};
  ProblemSettings fused = eager;
  fused.default_fusion = DefaultFusion::kFramework;
  EXPECT_FALSE(EagerRunOf(*ChainProblem(eager), PlacedWithPriorities({0, 0, 0}, {})).has_value());
  EXPECT_TRUE(EagerRunOf(*ChainProblem(fused), PlacedWithPriorities({0, 0, 0}, {})).has_value());
}

}  // namespace
}  // namespace opyard::env
