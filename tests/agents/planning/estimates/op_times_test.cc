#include "agents/planning/estimates/op_times.h"

#include <gtest/gtest.h>

#include "tests/agents/problems.h"

namespace opyard::agents {
namespace {

// On one device nothing waits: the engine's step is the sum of its kernels, and so of their ops'
// shares, each rounded to a picosecond.
TEST(OpTimesTest, SharesOfKernelsAddUpToTheStepOnOneDevice) {
  int num_fused = 0;
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    SCOPED_TRACE(named.name);
    const env::Problem& problem = *named.problem;
    const DeviceId device = problem.default_placement().front();
    const bool is_on_one = std::ranges::all_of(problem.default_placement(),
                                               [&](DeviceId other) { return other == device; });
    if (!is_on_one || device != problem.first_accelerator()) {
      continue;
    }
    env::Evaluator evaluator(named.problem, {.budget = {.evaluations = 1}});
    const auto evaluated =
        evaluator.Evaluate(sim::Plan{.placement = problem.default_placement(),
                                     .fusion_priority = problem.default_fusion_priority()});
    if (!evaluated->is_feasible()) {
      continue;
    }
    const OpTimes fused = OpTimes::Fused(problem);
    const OpTimes alone = OpTimes::Alone(problem);
    SimTime sum;
    SimTime sum_alone;
    for (std::size_t op = 0; op < problem.graph().num_ops(); ++op) {
      sum += fused.time(OpId(op), device);
      sum_alone += alone.time(OpId(op), device);
    }
    EXPECT_NEAR(static_cast<double>(sum.picoseconds),
                static_cast<double>(evaluated->result.makespan.picoseconds),
                static_cast<double>(problem.graph().num_ops()));
    num_fused += sum < sum_alone ? 1 : 0;
  }
  EXPECT_GT(num_fused, 0);
}

}  // namespace
}  // namespace opyard::agents
