#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::TimedOp;
using testing::Outcome;
using testing::RunAgent;

// An op that only the host may run, then two for any device. Defaults unlike a framework's: the
// priority queue, and nothing fuses.
std::shared_ptr<const env::Problem> MakeUnlikeFrameworks(env::TaskSet tasks) {
  std::vector<sim::OpSpec> ops{
      TimedOp("load", 2), TimedOp("a", 3, {{0, 0}}), TimedOp("b", 5, {{1, 0}})};
  ops[0].device_kinds = sim::DeviceKindSet::None();
  ops[0].device_kinds.Insert(sim::DeviceKind::kCpu);
  return std::make_shared<const env::Problem>(env::ProblemSpec{
      .graph = MakeGraph(ops),
      .hardware = std::make_shared<const sim::HardwareProfile>(testing::MeshWithCpu(2)),
      .settings = {.tasks = tasks,
                   .default_queue = sim::QueueDiscipline::kPriority,
                   .default_fusion = env::DefaultFusion::kNone}});
}

TEST(FrameworkDefaultTest, FusesAllOnTheFirstAcceleratorFirstComeFirstServed) {
  const Outcome outcome = RunAgent("framework_default", MakeUnlikeFrameworks(testing::kAll), {});
  EXPECT_EQ(outcome.num_evaluations, 1);
  const DeviceId gpu(std::int32_t{0});
  const DeviceId host(std::int32_t{2});
  EXPECT_EQ(outcome.best->plan,
            (sim::Plan{.placement = {host, gpu, gpu},
                       .queue = sim::QueueDiscipline::kFifo,
                       .fusion_priority = {1, 1, 1}}));
}

TEST(FrameworkDefaultTest, LeavesWhatIsNoTaskAsTheProblemHasIt) {
  const Outcome outcome =
      RunAgent("framework_default", MakeUnlikeFrameworks(testing::kPlacement), {});
  EXPECT_EQ(outcome.best->plan.queue, sim::QueueDiscipline::kPriority);
  EXPECT_TRUE(outcome.best->plan.fusion_priority.empty());
}

}  // namespace
}  // namespace opyard::agents
