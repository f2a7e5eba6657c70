// Runs of plans with fusion, small enough to follow by hand. 1000 bytes take a microsecond over a
// link, and to read or to write in a device's memory; launches take no time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/simulator.h"
#include "tests/support/agreement.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;

// An elementwise op that alone takes `us`.
sim::OpSpec LightOp(const std::string& name,
                    std::int64_t us,
                    std::vector<sim::InputRef> inputs = {},
                    const std::vector<std::int64_t>& output_bytes = {1000}) {
  sim::OpSpec op = TimedOp(name, us, std::move(inputs), output_bytes);
  op.type = "Relu";
  return op;
}

sim::HardwareProfile Machine(std::size_t num_devices) {
  sim::HardwareProfile machine = MeshMachine(num_devices);
  for (sim::Device& device : machine.devices) {
    device.memory_bandwidth_bytes_per_s = 1e9;
  }
  return machine;
}

sim::Plan FusedOn(const std::vector<std::int32_t>& devices, std::vector<std::int32_t> priority) {
  sim::Plan plan = PlacedOn(devices);
  plan.fusion_priority = std::move(priority);
  return plan;
}

sim::OpSpan SpanOf(const sim::SimReport& report, std::size_t op) {
  return report.ops[op].value();
}

// a → b on d0, and a → c on d1.
std::vector<sim::OpSpec> Fork() {
  return {LightOp("a", 2), LightOp("b", 5, {{0, 0}}), LightOp("c", 3, {{0, 0}})};
}

TEST(FusionCaseTest, WithoutFusionAConsumerElsewhereStartsEarly) {
  // a 0–2, the copy 2–3, c 3–6; b 2–7.
  const sim::SimReport report = Simulate(MakeGraph(Fork()), Machine(2), PlacedOn({0, 0, 1}));
  EXPECT_EQ(SpanOf(report, 2).start, Microseconds(3));
  EXPECT_EQ(report.result.makespan, Microseconds(7));
  EXPECT_THAT(report.groups, ElementsAre(0, 1, 2));
}

TEST(FusionCaseTest, FusionDelaysAConsumerElsewhereUntilTheKernelEnds) {
  // {a, b} takes 2 + 5 − 1 us, for b's read; a is still written, for c. The copy 6–7, c 7–10.
  const sim::SimReport report =
      Simulate(MakeGraph(Fork()), Machine(2), FusedOn({0, 0, 1}, {1, 1, 1}));
  EXPECT_EQ(SpanOf(report, 0), SpanOf(report, 1));
  EXPECT_EQ(SpanOf(report, 0).finish, Microseconds(6));
  EXPECT_EQ(SpanOf(report, 2).start, Microseconds(7));
  EXPECT_EQ(report.result.makespan, Microseconds(10));
  EXPECT_THAT(report.groups, ElementsAre(0, 0, 2));
}

TEST(FusionCaseTest, ADecliningOpIsSimulatedAsWithoutFusion) {
  const auto graph = MakeGraph(Fork());
  EXPECT_EQ(Simulate(graph, Machine(2), FusedOn({0, 0, 1}, {0, 1, 1})).result,
            Simulate(graph, Machine(2), PlacedOn({0, 0, 1})).result);
}

TEST(FusionCaseTest, AKernelStartsWhenItsLastInputIsThere) {
  // x on d1 takes 9 us, its copy 1 us. {a, b} on d0 reads it through b only, and starts at 10: a
  // alone could have run at 0. It takes 2 + 5 us − a's write − b's read of a.
  const sim::SimReport report =
      Simulate(MakeGraph({LightOp("a", 2), LightOp("x", 9), LightOp("b", 5, {{0, 0}, {1, 0}})}),
               Machine(2),
               FusedOn({0, 1, 0}, {1, 0, 1}));
  EXPECT_EQ(SpanOf(report, 0).start, Microseconds(10));
  EXPECT_EQ(SpanOf(report, 0).finish, Microseconds(15));
}

TEST(FusionCaseTest, AControlEdgeIntoAKernelHoldsAllOfItBack) {
  // x → b by a control edge: {a, b} starts when x ends.
  sim::OpSpec b = LightOp("b", 5, {{0, 0}});
  b.control_inputs = {1};
  const sim::SimReport report = Simulate(
      MakeGraph({LightOp("a", 2), LightOp("x", 9), b}), Machine(2), FusedOn({0, 1, 0}, {1, 0, 1}));
  EXPECT_EQ(SpanOf(report, 0).start, Microseconds(9));
}

TEST(FusionCaseTest, AKernelHasTheGreatestPriorityOfItsOps) {
  // x has priority 2, a 1, b 3: {a, b} goes first. FIFO or a's priority would start x.
  sim::Plan plan = PlacedWithPriorities({0, 0, 0}, {2, 1, 3});
  plan.fusion_priority = {0, 1, 1};
  const sim::SimReport report = Simulate(
      MakeGraph({LightOp("x", 4), LightOp("a", 2), LightOp("b", 5, {{1, 0}})}), Machine(1), plan);
  EXPECT_EQ(SpanOf(report, 1).start, Microseconds(0));
  EXPECT_EQ(SpanOf(report, 0).start, Microseconds(5));
}

TEST(FusionCaseTest, TheHostIssuesKernelsNotOps) {
  // Kernels {a, b} and x are issued at 1 and 2 us; alone, x would be the third op, at 3 us.
  sim::HardwareProfile machine = Machine(2);
  machine.execution.dispatch = Microseconds(1);
  const sim::SimReport report =
      Simulate(MakeGraph({LightOp("a", 2), LightOp("b", 5, {{0, 0}}), LightOp("x", 4)}),
               machine,
               FusedOn({0, 0, 1}, {1, 1, 0}));
  EXPECT_EQ(SpanOf(report, 0).start, Microseconds(1));
  EXPECT_EQ(SpanOf(report, 2).start, Microseconds(2));
}

TEST(FusionCaseTest, InternalTensorsTakeNoMemoryAndWorkspacesAreNotAddedUp) {
  // Alone: while b runs, 3000 of a and 500 of b and 70 of workspace. Together: 500 and the larger
  // workspace, 200.
  sim::OpSpec a = LightOp("a", 2, {}, {3000});
  a.workspace_bytes = Bytes{200};
  sim::OpSpec b = LightOp("b", 5, {{0, 0}}, {500});
  b.workspace_bytes = Bytes{70};
  const auto graph = MakeGraph({a, b});
  EXPECT_EQ(Simulate(graph, Machine(1), PlacedOn({0, 0})).result.peak_memory, Bytes{3570});
  EXPECT_EQ(Simulate(graph, Machine(1), FusedOn({0, 0}, {1, 1})).result.peak_memory, Bytes{700});
}

TEST(FusionCaseTest, ParametersOfAFusedOpAreHeldFromTheStart) {
  sim::OpSpec b = LightOp("b", 5, {{0, 0}});
  b.param_bytes = Bytes{400};
  const sim::SimReport report =
      Simulate(MakeGraph({LightOp("a", 2), b}), Machine(1), FusedOn({0, 0}, {1, 1}));
  EXPECT_EQ(report.devices[0].resident, Bytes{400});
  EXPECT_EQ(report.result.peak_memory, Bytes{1400});
}

TEST(FusionCaseTest, AnAliasOfAnInternalTensorOwnsItsBytes) {
  // b works in place on a's 3000 bytes, which never leave the kernel; what c reads are b's 3000.
  sim::OpSpec b = LightOp("b", 5, {{0, 0}}, {3000});
  b.outputs[0].alias = sim::Alias::kInput;
  const auto graph = MakeGraph({LightOp("a", 2, {}, {3000}), b, LightOp("c", 1, {{1, 0}}, {10})});
  const sim::SimReport report = Simulate(graph, Machine(1), FusedOn({0, 0, 0}, {1, 1, 0}));
  EXPECT_EQ(report.result.peak_memory, Bytes{3010});
  EXPECT_THAT(report.groups, ElementsAre(0, 0, 2));
}

TEST(FusionCaseTest, AnAliasOfATensorThatLeavesTheKernelSharesItsStorage) {
  // The same, but d reads a, too: one storage of 3000 bytes serves c and d.
  sim::OpSpec b = LightOp("b", 5, {{0, 0}}, {3000});
  b.outputs[0].alias = sim::Alias::kInput;
  const auto graph = MakeGraph({LightOp("a", 2, {}, {3000}),
                                b,
                                LightOp("c", 1, {{1, 0}}, {10}),
                                LightOp("d", 1, {{0, 0}}, {20})});
  EXPECT_EQ(Simulate(graph, Machine(1), FusedOn({0, 0, 0, 0}, {1, 1, 0, 0})).result.peak_memory,
            Bytes{3020});
}

TEST(FusionCaseTest, AnAliasThroughAnInternalAliasSharesWhatTheKernelReads) {
  // v and w rename x in one kernel, and x's 3000 bytes live until c has read w.
  sim::OpSpec v = LightOp("v", 0, {{0, 0}}, {3000});
  v.outputs[0].alias = sim::Alias::kInput;
  sim::OpSpec w = LightOp("w", 0, {{1, 0}}, {3000});
  w.outputs[0].alias = sim::Alias::kInput;
  const auto graph =
      MakeGraph({LightOp("x", 2, {}, {3000}), v, w, LightOp("c", 1, {{2, 0}}, {10})});
  const sim::SimReport report = Simulate(graph, Machine(1), FusedOn({0, 0, 0, 0}, {0, 1, 1, 0}));
  EXPECT_EQ(report.result.peak_memory, Bytes{3010});
  EXPECT_THAT(report.groups, ElementsAre(0, 1, 1, 3));
}

TEST(FusionCaseTest, AKernelThatDoesNotFitIsNamedByItsFirstOp) {
  sim::HardwareProfile machine = Machine(1);
  machine.devices[0].memory = Bytes{999};
  const sim::SimReport report = Simulate(
      MakeGraph({LightOp("a", 2), LightOp("b", 5, {{0, 0}})}), machine, FusedOn({0, 0}, {1, 1}));
  ASSERT_TRUE(report.failure.has_value());
  EXPECT_EQ(report.failure->what, "op a (fused with 1 more)");
  EXPECT_EQ(report.failure->requested, Bytes{1000});
}

TEST(FusionCaseTest, AKernelThatWaitsForMemoryForEverIsNamedByItsFirstOp) {
  sim::HardwareProfile machine = Machine(1);
  machine.devices[0].memory = Bytes{999};
  machine.memory.on_exceed = sim::OnExceed::kWait;
  const sim::SimReport report = Simulate(
      MakeGraph({LightOp("a", 2), LightOp("b", 5, {{0, 0}})}), machine, FusedOn({0, 0}, {1, 1}));
  ASSERT_TRUE(report.deadlock.has_value());
  EXPECT_THAT(
      report.deadlock->waits,
      ElementsAre("op a (fused with 1 more) on d0 waits for 1000 bytes: 0 of 999 are in use"));
}

TEST(FusionCaseTest, BoundsCountKernels) {
  // {a, b} takes 6 us, c 3 us after it: the longest path. Over all plans no kernel is shorter than
  // its longest op, b, and nothing says that more kernels are needed.
  const sim::SimReport report =
      Simulate(MakeGraph(Fork()), Machine(2), FusedOn({0, 0, 1}, {1, 1, 1}));
  EXPECT_EQ(report.plan_bound, Microseconds(9));
  EXPECT_EQ(report.problem_bound, Microseconds(5));
}

TEST(FusionCaseTest, OpsThatTheGraphKeepsAloneBoundAllPlansWithTheirTime) {
  // An opaque op between two that could fuse.
  sim::OpSpec a{.name = "a", .type = "Relu", .outputs = {{.bytes = Bytes{50'000}}}};
  a.flops = Flops{3e6};
  sim::OpSpec x = TimedOp("x", 4, {{0, 0}});
  x.type = "Lookup";
  sim::OpSpec b{.name = "b", .type = "Relu", .inputs = {{1, 0}}, .outputs = {{.bytes = Bytes{9}}}};
  b.flops = Flops{5e6};
  sim::HardwareProfile machine = Machine(1);
  machine.devices[0].peak_flops_per_s = {{sim::DType::kF32, 1e12}};
  machine.devices[0].cost.softmax_q = 1e9;
  const sim::SimReport report =
      Simulate(MakeGraph({a, x, b}), machine, FusedOn({0, 0, 0}, {1, 1, 1}));
  // a writes 50 kB: 50 us; x 4 us; b reads 1000 bytes.
  EXPECT_EQ(report.problem_bound, Microseconds(59));
  EXPECT_EQ(report.plan_bound, Microseconds(59));
}

}  // namespace
}  // namespace opyard::testing
