#include "sim/plan/order_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/plan/validate.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::HasSubstr;

// a → b on d0, c on d1.
std::shared_ptr<const sim::OpGraph> ThreeOps() {
  return MakeGraph({TimedOp("a", 3), TimedOp("b", 2, {{0, 0}}), TimedOp("c", 4)});
}

sim::Plan Ordered(std::vector<std::vector<sim::Stream>> order) {
  sim::Plan plan = PlacedOn({0, 0, 1});
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order = std::move(order);
  return plan;
}

std::string Errors(const sim::Plan& plan) {
  return sim::FindPlanErrors(*ThreeOps(), MeshMachine(2), plan).Text();
}

TEST(OrderCheckTest, AcceptsEveryOpOnceOnItsDevice) {
  EXPECT_EQ(Errors(Ordered({{{OpId(0), OpId(1)}}, {{}, {OpId(2)}}})), "");
  EXPECT_EQ(Errors(Ordered({{{OpId(1), OpId(0)}}, {{OpId(2)}}})), "");  // its run deadlocks
}

TEST(OrderCheckTest, ReportsMissingOps) {
  EXPECT_THAT(Errors(Ordered({{{OpId(0)}}, {{OpId(2)}}})),
              HasSubstr("plan#/order: op 1 \"b\" stands in no stream"));
}

TEST(OrderCheckTest, ReportsRepeatedOps) {
  EXPECT_THAT(Errors(Ordered({{{OpId(0), OpId(1)}, {OpId(0)}}, {{OpId(2)}}})),
              HasSubstr("plan#/order/d0/1/0: found op 0 \"a\" of /order/d0/0/0 again"));
}

TEST(OrderCheckTest, ReportsOpsOfAnotherDevice) {
  EXPECT_THAT(Errors(Ordered({{{OpId(0), OpId(1), OpId(2)}}, {}})),
              HasSubstr("plan#/order/d0/0/2: found op 2 \"c\", which /placement puts on \"d1\""));
}

TEST(OrderCheckTest, ReportsOpsThatDoNotExist) {
  EXPECT_THAT(Errors(Ordered({{{OpId(0), OpId(1), OpId(9)}}, {{OpId(2)}}})),
              HasSubstr("plan#/order/d0/0/2: op 9 does not exist; this graph has 3"));
}

TEST(OrderCheckTest, ReportsAnotherNumberOfDevices) {
  EXPECT_THAT(
      Errors(Ordered({{{OpId(0), OpId(1), OpId(2)}}})),
      HasSubstr("plan#/order: found streams of 1 devices, expected those of the machine's 2"));
}

TEST(OrderCheckTest, ReportsOrdersUnderOtherQueues) {
  sim::Plan plan = Ordered({{{OpId(0), OpId(1)}}, {{OpId(2)}}});
  for (const auto queue : {sim::QueueDiscipline::kFifo,
                           sim::QueueDiscipline::kPriority,
                           sim::QueueDiscipline::kProgram}) {
    plan.queue = queue;
    EXPECT_THAT(Errors(plan), HasSubstr("expected it with queue \"order\" only"));
  }
}

TEST(OrderCheckTest, ReportsPrioritiesBesideStreams) {
  sim::Plan plan = PlacedOn({0, 0, 1});
  plan.queue = sim::QueueDiscipline::kProgram;
  plan.op_priority = {1, 2, 3};
  EXPECT_THAT(Errors(plan),
              HasSubstr("plan#/op_priority: found beside queue \"program\", expected none"));
}

}  // namespace
}  // namespace opyard::testing
