#include "sim/plan/order_cycle.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/io/plan/plan_json.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Graph = std::shared_ptr<const sim::OpGraph>;

sim::CopyId Copy(std::int32_t tensor, std::int32_t device) {
  return {.tensor = TensorId(tensor), .destination = DeviceId(device)};
}

// The text of the cycle of `plan`, and that reading the plan refuses it with that text.
std::string CycleOf(const Graph& graph, const sim::Plan& plan) {
  const sim::HardwareProfile machine = MeshMachine(3);
  const auto cycle = sim::FindOrderCycle(*graph, plan);
  if (cycle.empty()) {
    return "";
  }
  std::string text = sim::CycleText(*graph, machine, cycle);
  try {
    (void)sim::ReadPlanText(sim::WritePlanText(plan, *graph, machine), "p", *graph, machine);
    ADD_FAILURE() << "the plan was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("order: deadlock, this order can never go on: " + text));
  }
  return text;
}

// a → b on d0, c on d1.
Graph ThreeOps() {
  return MakeGraph({TimedOp("a", 3), TimedOp("b", 2, {{0, 0}}), TimedOp("c", 4)});
}

sim::Plan Ordered(const std::vector<std::int32_t>& placement,
                  std::vector<std::vector<sim::Stream>> order) {
  sim::Plan plan{.placement = {}, .queue = sim::QueueDiscipline::kOrder};
  for (const std::int32_t device : placement) {
    plan.placement.push_back(DeviceId(device));
  }
  plan.order = std::move(order);
  return plan;
}

TEST(OrderCycleTest, FindsNoneWhereAllComeToTheirTurn) {
  EXPECT_THAT(
      sim::FindOrderCycle(*ThreeOps(), Ordered({0, 0, 1}, {{{OpId(0), OpId(1)}}, {{OpId(2)}}, {}})),
      IsEmpty());
}

TEST(OrderCycleTest, FindsTheShortestOfAStream) {
  EXPECT_EQ(CycleOf(ThreeOps(), Ordered({0, 0, 1}, {{{OpId(1), OpId(0)}}, {{OpId(2)}}, {}})),
            "op 0 \"a\" stands behind op 1 \"b\", which waits for op 0 \"a\"");
}

// Each device begins with an op that reads from the next one, whose producer stands second there.
TEST(OrderCycleTest, FindsThatOfThreeDevices) {
  const Graph graph = MakeGraph({TimedOp("a", 1),
                                 TimedOp("b", 1),
                                 TimedOp("c", 1),
                                 TimedOp("x", 1, {{0, 0}}),
                                 TimedOp("y", 1, {{1, 0}}),
                                 TimedOp("z", 1, {{2, 0}})});
  EXPECT_EQ(CycleOf(graph,
                    Ordered({0, 1, 2, 2, 0, 1},
                            {{{OpId(4), OpId(0)}}, {{OpId(5), OpId(1)}}, {{OpId(3), OpId(2)}}})),
            "op 0 \"a\" stands behind op 4 \"y\", which waits for op 1 \"b\", which stands behind "
            "op 5 \"z\", which waits for op 2 \"c\", which stands behind op 3 \"x\", which waits "
            "for op 0 \"a\"");
}

// Two copies from d0 to d1 that two of their channels have in opposite orders, under any queue.
TEST(OrderCycleTest, FindsThatOfTwoChannels) {
  const Graph graph =
      MakeGraph({TimedOp("a", 1), TimedOp("b", 1), TimedOp("c", 1, {{0, 0}, {1, 0}})});
  sim::Plan plan = PlacedOn({0, 0, 1});
  plan.transfer_order = {{.channel = "egress:d0", .copies = {Copy(0, 1), Copy(1, 1)}},
                         {.channel = "ingress:d1", .copies = {Copy(1, 1), Copy(0, 1)}}};
  EXPECT_EQ(CycleOf(graph, plan),
            "the copy of a:0 to d1 stands on ingress:d1 behind the copy of b:0 to d1, which stands "
            "on egress:d0 behind the copy of a:0 to d1");
  plan.transfer_order[1].copies = plan.transfer_order[0].copies;
  EXPECT_EQ(CycleOf(graph, plan), "");
}

// a's copy has to wait for that of z, which a feeds by way of d1 and d2.
TEST(OrderCycleTest, FindsThatOfAChannelAndThreeDevices) {
  const Graph graph = MakeGraph({TimedOp("a", 1),
                                 TimedOp("x", 1, {{0, 0}}),
                                 TimedOp("y", 1, {{1, 0}}),
                                 TimedOp("z", 1, {{2, 0}}),
                                 TimedOp("w", 1, {{3, 0}})});
  sim::Plan plan = PlacedOn({0, 1, 2, 0, 1});
  plan.transfer_order = {{.channel = "egress:d0", .copies = {Copy(3, 1), Copy(0, 1)}}};
  EXPECT_EQ(CycleOf(graph, plan),
            "op 1 \"x\" waits for the copy of a:0 to d1, which stands on egress:d0 behind the copy "
            "of z:0 to d1, which waits for op 3 \"z\", which waits for op 2 \"y\", which waits for "
            "op 1 \"x\"");
}

// The stream of d0 has b before a, the channel a's copy before b's: b is never the next on its
// channel, and d1, which reads b first, feeds a.
TEST(OrderCycleTest, FindsThatOfAStreamAndAChannel) {
  const Graph graph = MakeGraph({TimedOp("b", 1),
                                 TimedOp("c", 1, {{0, 0}}),
                                 TimedOp("a", 1, {{1, 0}}),
                                 TimedOp("d", 1, {{2, 0}})});
  sim::Plan plan = Ordered({0, 1, 0, 1}, {{{OpId(0), OpId(2)}}, {{OpId(1), OpId(3)}}, {}});
  EXPECT_THAT(sim::FindOrderCycle(*graph, plan), IsEmpty());
  plan.transfer_order = {{.channel = "d0-d1>", .copies = {Copy(2, 1), Copy(0, 1)}}};
  EXPECT_THAT(sim::FindOrderCycle(*graph, plan), SizeIs(4));
  EXPECT_EQ(CycleOf(graph, plan),
            "op 1 \"c\" waits for the copy of b:0 to d1, which stands on d0-d1> behind the copy of "
            "a:0 to d1, which waits for op 2 \"a\", which waits for op 1 \"c\"");
}

}  // namespace
}  // namespace opyard::testing
