// Channels whose transfers a plan orders. Times in comments are microseconds; links carry 1000
// bytes in one. Simulate() also checks the reference simulator.
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/plan/validate.h"
#include "tests/support/agreement.h"
#include "tests/support/report_times.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// a (1) and b (3) on d0 feed c (2) and d (2) on d1.
std::shared_ptr<const sim::OpGraph> FourOps() {
  return MakeGraph(
      {TimedOp("a", 1), TimedOp("b", 3), TimedOp("c", 2, {{0, 0}}), TimedOp("d", 2, {{1, 0}})});
}

sim::Plan Ordered(const std::string& channel, const std::vector<std::int32_t>& tensors) {
  sim::Plan plan = PlacedOn({0, 0, 1, 1});
  sim::ChannelOrder order{.channel = channel, .copies = {}};
  for (const std::int32_t tensor : tensors) {
    order.copies.push_back({.tensor = TensorId(tensor), .destination = DeviceId(1)});
  }
  plan.transfer_order = {order};
  return plan;
}

TEST(TransferOrderTest, ACopyWaitsForThoseAheadOfIt) {
  // a 0–1, b 1–4. As they come the copy of a is 1–2 and that of b 4–5; c 2–4, d 5–7.
  EXPECT_THAT(StartsInUs(Simulate(FourOps(), MeshMachine(2), PlacedOn({0, 0, 1, 1}))),
              ElementsAre(0, 1, 2, 5));
  // That of b first: b's 4–5, a's 5–6; d 5–7, c 7–9.
  const sim::SimReport report = Simulate(FourOps(), MeshMachine(2), Ordered("egress:d0", {1, 0}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 1, 7, 5));
  EXPECT_EQ(report.result.makespan, Microseconds(9));
}

TEST(TransferOrderTest, CopiesThatItLeavesOutPassAsTheyCome) {
  EXPECT_THAT(StartsInUs(Simulate(FourOps(), MeshMachine(2), Ordered("egress:d0", {1}))),
              ElementsAre(0, 1, 2, 5));
}

// x (1) on d1 waits for d, which waits for b's copy; a's copy has to wait for that of x.
TEST(TransferOrderTest, AnOrderThatCanNeverGoOnEndsInADeadlock) {
  const auto graph = MakeGraph({TimedOp("a", 1),
                                TimedOp("c", 2, {{0, 0}}),
                                TimedOp("x", 1, {{1, 0}}),
                                TimedOp("y", 1, {{2, 0}})});
  sim::Plan plan = PlacedOn({0, 1, 0, 1});
  plan.transfer_order = {{.channel = "egress:d0",
                          .copies = {{.tensor = TensorId(2), .destination = DeviceId(1)},
                                     {.tensor = TensorId(0), .destination = DeviceId(1)}}}};
  const sim::SimReport report = Simulate(graph, MeshMachine(2), plan);
  EXPECT_EQ(report.result.outcome, sim::Outcome::kDeadlock);
  ASSERT_TRUE(report.deadlock.has_value());
  EXPECT_THAT(report.deadlock->waits,
              ElementsAre("copy of a:0 to d1 waits for its turn on egress:d0: next is the copy of "
                          "x:0 to d1"));
  EXPECT_EQ(
      report.deadlock->cycle,
      "op 1 \"c\" waits for the copy of a:0 to d1, which stands on egress:d0 behind the copy of "
      "x:0 to d1, which waits for op 2 \"x\", which waits for op 1 \"c\"");
}

std::string ErrorsOf(const sim::Plan& plan, const sim::HardwareProfile& machine = MeshMachine(2)) {
  return sim::FindPlanErrors(*FourOps(), machine, plan, "p").Text();
}

TEST(TransferOrderTest, ErrorsNameTheChannelAndTheCopy) {
  EXPECT_EQ(ErrorsOf(Ordered("egress:d0", {0, 1})), "");
  EXPECT_THAT(ErrorsOf(Ordered("cable", {0})),
              HasSubstr("p/transfer_order/cable: channel \"cable\" does not exist; transfers of "
                        "this machine occupy"));
  EXPECT_THAT(ErrorsOf(Ordered("egress:d0", {0, 0})),
              HasSubstr("p/transfer_order/egress:d0/1: found again, expected each copy once"));
  EXPECT_THAT(ErrorsOf(Ordered("egress:d1", {0})),
              HasSubstr("p/transfer_order/egress:d1/0: the copy goes from \"d0\" to \"d1\" and "
                        "does not pass this channel"));
  EXPECT_THAT(ErrorsOf(Ordered("egress:d0", {2})),
              HasSubstr("the plan makes no copy of this tensor on \"d1\""));
  EXPECT_THAT(ErrorsOf(Ordered("egress:d0", {9})), HasSubstr("tensor 9 does not exist"));
}

TEST(TransferOrderTest, NeedsChannelsThatTransfersWaitForOneByOne) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.transfers.sharing = sim::Sharing::kFair;
  EXPECT_THAT(ErrorsOf(Ordered("egress:d0", {0}), machine),
              HasSubstr("expected one with rules opyard, transfers.sharing serial"));
}

}  // namespace
}  // namespace opyard::testing
