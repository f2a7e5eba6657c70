// Devices with streams: ops that wait behind the head of their stream. Times in comments are
// microseconds; links carry 1000 bytes in one. Simulate() also checks the reference simulator.
#include <cstdint>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/report_times.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Ops = std::vector<std::int32_t>;

// `devices[i]` is the device of op i.
sim::Plan InOrder(const std::vector<std::int32_t>& devices,
                  const std::vector<std::vector<Ops>>& order) {
  sim::Plan plan = PlacedOn(devices);
  plan.queue = sim::QueueDiscipline::kOrder;
  for (const std::vector<Ops>& streams : order) {
    plan.order.emplace_back();
    for (const Ops& ops : streams) {
      sim::Stream stream;
      for (const std::int32_t op : ops) {
        stream.emplace_back(op);
      }
      plan.order.back().push_back(stream);
    }
  }
  return plan;
}

sim::Plan InProgramOrder(const std::vector<std::int32_t>& devices) {
  sim::Plan plan = PlacedOn(devices);
  plan.queue = sim::QueueDiscipline::kProgram;
  return plan;
}

sim::HardwareProfile WithParallelStreams(sim::HardwareProfile machine) {
  machine.execution.streams = sim::StreamRule::kParallel;
  return machine;
}

// a (3) on d0 feeds b (2) on d1, which also has c (4), ready from the beginning.
std::shared_ptr<const sim::OpGraph> ThreeOps() {
  return MakeGraph({TimedOp("a", 3), TimedOp("b", 2, {{0, 0}}), TimedOp("c", 4)});
}

TEST(StreamCaseTest, HeadThatWaitsHoldsItsStream) {
  const sim::SimReport report =
      Simulate(ThreeOps(), MeshMachine(2), InOrder({0, 1, 1}, {{{0}}, {{1, 2}}}));
  // a 0–3, its copy 3–4, b 4–6, and only then c 6–10; a queue would have started c at 0.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 4, 6));
  EXPECT_EQ(report.result.makespan, Microseconds(10));
  EXPECT_EQ(report.devices[1].idle_stream_head, Microseconds(4));  // c was ready all the time
  EXPECT_EQ(report.devices[1].idle_no_ready_work, Microseconds(0));
}

TEST(StreamCaseTest, OtherStreamGoesOn) {
  const sim::SimReport report =
      Simulate(ThreeOps(), MeshMachine(2), InOrder({0, 1, 1}, {{{0}}, {{1}, {2}}}));
  // c 0–4 in the second stream; b is ready at 4 and runs 4–6.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 4, 0));
  EXPECT_EQ(report.result.makespan, Microseconds(6));
}

TEST(StreamCaseTest, HeadsCompeteByReadyTimeThenIndex) {
  // Three ops without inputs, and d which c feeds. All in streams of their own but d, behind c.
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 2), TimedOp("c", 1), TimedOp("d", 1, {{2, 0}})});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(1), InOrder({0, 0, 0, 0}, {{{1}, {2, 3}, {0}}}));
  // All heads are ready at 0: by index a 0–2, b 2–4, c 4–5; then d.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 2, 4, 5));
}

TEST(StreamCaseTest, EarlierReadyTimeCountsAlsoBehindTheHead) {
  // x (4) and y (1) have no inputs; y stands behind x, z behind w; w (2) feeds z.
  const auto graph =
      MakeGraph({TimedOp("x", 4), TimedOp("w", 2), TimedOp("z", 1, {{1, 0}}), TimedOp("y", 1)});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(1), InOrder({0, 0, 0, 0}, {{{0, 3}, {1, 2}}}));
  // x 0–4. Then y, ready since 0 and head since x started, beside w, ready since 0: by index w
  // 4–6. Then y (ready at 0) before z (ready at 6): y 6–7, z 7–8.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 4, 7, 6));
}

TEST(StreamCaseTest, EmptyStreamsAreLegal) {
  const sim::SimReport report =
      Simulate(ThreeOps(), MeshMachine(3), InOrder({0, 1, 1}, {{{}, {0}}, {{1, 2}, {}}, {{}}}));
  EXPECT_EQ(report.result.makespan, Microseconds(10));
  const sim::SimReport without =
      Simulate(ThreeOps(), MeshMachine(3), InOrder({0, 1, 1}, {{{0}}, {{1, 2}}, {}}));
  EXPECT_EQ(without.result.makespan, Microseconds(10));
}

TEST(StreamCaseTest, StreamsSideBySideRunAtFullRate) {
  const sim::SimReport report = Simulate(
      ThreeOps(), WithParallelStreams(MeshMachine(1)), InOrder({0, 0, 0}, {{{0, 1}, {2}}}));
  // a 0–3 and b 3–5 beside c 0–4.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3, 0));
  EXPECT_EQ(report.result.makespan, Microseconds(5));
  EXPECT_EQ(report.devices[0].busy, Microseconds(5));  // something ran, not 9
}

TEST(StreamCaseTest, StreamsSideBySideRestEachForItself) {
  sim::HardwareProfile machine = WithParallelStreams(MeshMachine(1));
  machine.execution.gap_after_op = Microseconds(2);
  const sim::SimReport report = Simulate(ThreeOps(), machine, InOrder({0, 0, 0}, {{{0, 1}, {2}}}));
  // a 0–3, its stream rests to 5, b 5–7; c 0–4 and then a rest that nothing waits for.
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 5, 0));
  EXPECT_EQ(report.result.makespan, Microseconds(7));
}

TEST(StreamCaseTest, QueuesWithoutStreamsTakeOneOpAtATime) {
  const sim::SimReport report =
      Simulate(ThreeOps(), WithParallelStreams(MeshMachine(1)), PlacedOn({0, 0, 0}));
  EXPECT_EQ(report.result.makespan, Microseconds(9));  // 3 + 2 + 4
}

TEST(StreamCaseTest, ProgramRunsByTopologicalIndex) {
  // Kahn's order with the smallest op first: a, b, c.
  const sim::SimReport report = Simulate(ThreeOps(), MeshMachine(2), InProgramOrder({0, 1, 1}));
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 4, 6));
  EXPECT_EQ(report.result.makespan, Microseconds(10));
}

TEST(StreamCaseTest, TransferPrioritiesHoldBesideStreams) {
  // a makes two outputs of 1000 bytes for b and c, both on d1, over one channel.
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {1000, 1000}), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 1}})});
  sim::Plan plan = InOrder({0, 1, 1}, {{{0}}, {{2, 1}}});
  const sim::SimReport unaided = Simulate(graph, MeshMachine(2), plan);
  // Copies 1–2 for b, 2–3 for c: c 3–4, b 4–5.
  EXPECT_THAT(StartsInUs(unaided), ElementsAre(0, 4, 3));
  plan.transfer_priority = {{.tensor = TensorId(1), .destination = DeviceId(1), .priority = 1}};
  // The copy for c goes first: c 2–3, b 3–4.
  EXPECT_THAT(StartsInUs(Simulate(graph, MeshMachine(2), plan)), ElementsAre(0, 3, 2));
}

TEST(StreamCaseTest, DeadlockNamesTheCycle) {
  // b waits for a, which stands behind it.
  const auto graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 2, {{0, 0}})});
  const sim::SimReport report = Simulate(graph, MeshMachine(1), InOrder({0, 0}, {{{1, 0}}}));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kDeadlock);
  ASSERT_TRUE(report.deadlock.has_value());
  EXPECT_THAT(
      report.deadlock->cycle,
      ::testing::AnyOf(HasSubstr("op 0 \"a\" stands behind op 1 \"b\", which waits for op 0"),
                       HasSubstr("op 1 \"b\" waits for op 0 \"a\", which stands behind op 1")));
}

TEST(StreamCaseTest, CycleMayLeadOverDevices) {
  // a → b and c → d; d0 runs d before a, d1 runs b before c.
  const auto graph = MakeGraph(
      {TimedOp("a", 1), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1), TimedOp("d", 1, {{2, 0}})});
  const sim::SimReport report =
      Simulate(graph, MeshMachine(2), InOrder({0, 1, 1, 0}, {{{3, 0}}, {{1, 2}}}));
  EXPECT_EQ(report.result.outcome, sim::Outcome::kDeadlock);
  EXPECT_THAT(report.deadlock->cycle, HasSubstr("stands behind op 3 \"d\""));
  EXPECT_THAT(report.deadlock->cycle, HasSubstr("stands behind op 1 \"b\""));
}

// Four elementwise ops a → c, b → d on one device, in the order a b c d.
std::shared_ptr<const sim::OpGraph> TwoChains() {
  std::vector<sim::OpSpec> ops = {
      TimedOp("a", 2), TimedOp("b", 2), TimedOp("c", 2, {{0, 0}}), TimedOp("d", 2, {{1, 0}})};
  for (sim::OpSpec& op : ops) {
    op.fusion_class = sim::FusionClass::kElementwise;
  }
  return MakeGraph(std::move(ops));
}

TEST(StreamCaseTest, KernelStandsWhereItsFirstOpStands) {
  sim::Plan plan = InOrder({0, 0, 0, 0}, {{{0, 1, 2, 3}}});
  plan.fusion_priority = {1, 0, 1, 0};
  const sim::SimReport report = Simulate(TwoChains(), MeshMachine(1), plan);
  EXPECT_THAT(report.groups, ElementsAre(0, 1, 0, 3));  // a and c run as one, before b
  EXPECT_EQ(report.ops[0]->start, report.ops[2]->start);
  EXPECT_LE(report.ops[2]->finish, report.ops[1]->start);
}

TEST(StreamCaseTest, FusionThatTheOrderForbidsDoesNotHappen) {
  // e on d1 waits for b, and c for e. Fusing makes a kernel of a and c; in a's place it would wait
  // for b behind it, while a could run alone.
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2),
                                  TimedOp("b", 2),
                                  TimedOp("e", 1, {{1, 0}}),
                                  TimedOp("c", 2, {{0, 0}, {2, 0}})};
  for (sim::OpSpec& op : ops) {
    op.fusion_class = sim::FusionClass::kElementwise;
  }
  const auto graph = MakeGraph(std::move(ops));
  sim::Plan plan = InOrder({0, 0, 1, 0}, {{{0, 1, 3}}, {{2}}});
  plan.fusion_priority = {1, 1, 1, 1};
  EXPECT_THAT(Simulate(graph, MeshMachine(2), plan).groups, ElementsAre(0, 1, 2, 3));
  // With b first it may: b, then a and c, which waits for e.
  plan.order = {{{OpId(1), OpId(0), OpId(3)}}, {{OpId(2)}}};
  EXPECT_THAT(Simulate(graph, MeshMachine(2), plan).groups, ElementsAre(0, 1, 2, 0));
}

TEST(StreamCaseTest, MembersOfAKernelAreOfOneStream) {
  sim::Plan plan = InOrder({0, 0, 0, 0}, {{{0, 1}, {2, 3}}});
  plan.fusion_priority = {1, 1, 1, 1};
  EXPECT_THAT(Simulate(TwoChains(), MeshMachine(1), plan).groups, ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace opyard::testing
