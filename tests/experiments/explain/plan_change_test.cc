#include "experiments/explain/plan_change.h"

#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/plan/order_cycle.h"
#include "sim/plan/validate.h"
#include "tests/experiments/explain/explained_plan.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::PlacedOn;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::ExplainedPlan;
using ::testing::IsEmpty;

// `plan` with `op` on `device`, checked: it is legal, has no cycle, and its run completes.
sim::Plan Moved(const std::shared_ptr<const sim::OpGraph>& graph,
                const sim::Plan& plan,
                OpId op,
                DeviceId device) {
  const sim::HardwareProfile machine = MeshMachine(3);
  const ExplainedPlan before(graph, machine, plan);
  EXPECT_EQ(before.step().report.result.outcome, sim::Outcome::kCompleted);
  const DeviceChange change{.ops = {op}, .from = plan.placement[op.index()], .to = device};
  sim::Plan moved = Changed(*graph, plan, change, before.step().report.start_order);
  EXPECT_EQ(sim::FindPlanErrors(*graph, machine, moved).Text(), "");
  EXPECT_THAT(sim::FindOrderCycle(*graph, moved), IsEmpty());
  EXPECT_EQ(ExplainedPlan(graph, machine, moved).step().report.result.outcome,
            sim::Outcome::kCompleted);
  return moved;
}

// a and b are one kernel, which starts at 0 although x stands between them: x waits for z. m reads
// b; by the order of the run it comes between b and x.
TEST(PlanChangeTest, OpsOfAKernelStayTogetherWhereAnotherComes) {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2),
                                  TimedOp("b", 2, {{0, 0}}),
                                  TimedOp("m", 1, {{1, 0}}),
                                  TimedOp("z", 20),
                                  TimedOp("x", 1, {{3, 0}})};
  for (const std::size_t op : {0, 1}) {
    ops[op].fusion_class = sim::FusionClass::kElementwise;
  }
  const auto graph = MakeGraph(std::move(ops));
  sim::Plan plan = PlacedOn({0, 0, 2, 1, 0});
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.fusion_priority = {1, 1, 0, 0, 0};
  plan.order = {{{OpId(0), OpId(4), OpId(1)}}, {{OpId(3)}}, {{OpId(2)}}};
  const sim::Plan moved = Moved(graph, plan, OpId(2), DeviceId(0));
  EXPECT_THAT(moved.order[0], ElementsAre(ElementsAre(OpId(0), OpId(1), OpId(2), OpId(4))));
  EXPECT_THAT(moved.order[2], ElementsAre(IsEmpty()));
}

// b's copy goes before a's; without the reader c on d1 there is no copy of a.
TEST(PlanChangeTest, CopiesOfTensorsThatMoveLeaveTheOrdersOfChannels) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1), TimedOp("b", 2), TimedOp("c", 3, {{0, 0}}), TimedOp("e", 4, {{1, 0}})});
  const sim::CopyId of_a{.tensor = TensorId(0), .destination = DeviceId(1)};
  const sim::CopyId of_b{.tensor = TensorId(1), .destination = DeviceId(1)};
  sim::Plan plan = PlacedOn({0, 0, 1, 1});
  plan.transfer_order = {{.channel = "egress:d0", .copies = {of_b, of_a}}};
  const sim::Plan without_copy = Moved(graph, plan, OpId(2), DeviceId(0));
  EXPECT_THAT(without_copy.transfer_order,
              ElementsAre(sim::ChannelOrder{.channel = "egress:d0", .copies = {of_b}}));
  plan.transfer_order[0].copies = {of_a};
  EXPECT_THAT(Moved(graph, plan, OpId(0), DeviceId(2)).transfer_order, IsEmpty());
}

}  // namespace
}  // namespace opyard::experiments
