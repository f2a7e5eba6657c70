// Rules placeto (docs/modelling.md, "Rules of other published models"): hand vectors, and random
// cases against a literal simulator.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/reference_placeto.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

// 7600 bytes per us to one switch; a device rests 5.7 us after an op, a bus 25 us after a transfer.
sim::HardwareProfile PlacetoMachine(std::size_t num_devices) {
  sim::HardwareProfile machine = StarMachine(num_devices);
  for (sim::Link& link : machine.links) {
    link.bandwidth_bytes_per_s = 7.6e9;
  }
  machine.rules = sim::Rules::kPlaceto;
  machine.transfers.channels = {.links = false, .egress = true, .ingress = false, .pair = false};
  machine.transfers.one_per = sim::OnePer::kOutput;
  machine.transfers.gap_after = SimTime{25'000'000};
  machine.execution.gap_after_op = SimTime{5'700'000};
  machine.execution.trailing_gaps_count = true;
  return machine;
}

SimTime Nanoseconds(std::int64_t ns) {
  return SimTime{ns * 1000};
}

sim::SimReport RunPlaceto(const std::vector<sim::OpSpec>& ops,
                          const std::vector<std::int32_t>& devices,
                          std::size_t num_devices) {
  sim::Workspace workspace;
  return EngineAndReference(MakeGraph(ops), PlacetoMachine(num_devices))
      .RunEngine(PlacedOn(devices), workspace);
}

std::vector<sim::OpSpec> Chain() {
  return {TimedOp("n0", 10, {}, {7600}), TimedOp("n1", 20, {{0, 0}}, {7600})};
}

// 10 + 5.7 + 20 + 5.7 = 41.4 us.
TEST(PlacetoCasesTest, ADeviceRestsAfterEveryOpAndTheLastRestCounts) {
  EXPECT_EQ(RunPlaceto(Chain(), {0, 0}, 2).result.makespan, Nanoseconds(41'400));
}

// 10 + 7600 / 7600 + 20 + 5.7 = 36.7 us; the bus rests until 11 + 25 = 36 us.
TEST(PlacetoCasesTest, ALoneTransferDoesNotPayTheRestOfItsBus) {
  EXPECT_EQ(RunPlaceto(Chain(), {0, 1}, 2).result.makespan, Nanoseconds(36'700));
}

std::vector<sim::OpSpec> Fork() {
  return {TimedOp("n0", 10, {}, {76'000}),
          TimedOp("n1", 5, {{0, 0}}, {}),
          TimedOp("n2", 5, {{0, 0}}, {})};
}

// The transfer ends at 10 + 10 = 20 us and serves both; its bus rests until 45 us. On one device
// the second consumer starts at 20 + 5 + 5.7 = 30.7 us and ends, with its rest, at 41.4 us.
TEST(PlacetoCasesTest, OneTransferServesAllRemoteConsumers) {
  const sim::SimReport together = RunPlaceto(Fork(), {0, 1, 1}, 3);
  EXPECT_EQ(together.result.makespan, Nanoseconds(45'000));
  EXPECT_EQ(together.ops[1]->start, Nanoseconds(20'000));
  EXPECT_EQ(together.ops[2]->start, Nanoseconds(30'700));
  const sim::SimReport apart = RunPlaceto(Fork(), {0, 1, 2}, 3);
  EXPECT_EQ(apart.result.makespan, Nanoseconds(45'000));
  EXPECT_EQ(apart.ops[1]->start, Nanoseconds(20'000));
  EXPECT_EQ(apart.ops[2]->start, Nanoseconds(20'000));
  EXPECT_EQ(apart.result.num_transfers, 1);
}

// The output lives on its producer's device until both children are done; receivers hold nothing.
TEST(PlacetoCasesTest, OutputsLiveWhereTheyWereMade) {
  const sim::SimReport report = RunPlaceto(Fork(), {0, 1, 2}, 3);
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{76'000});
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{0});
}

// n2 reads nothing of n0 but waits for it: 76,000 bytes take the bus for 10 us.
TEST(PlacetoCasesTest, AControlEdgeMovesOutputZero) {
  sim::OpSpec waiting = TimedOp("n1", 5, {}, {});
  waiting.control_inputs = {0};
  const sim::SimReport report = RunPlaceto({TimedOp("n0", 10, {}, {76'000}), waiting}, {0, 1}, 2);
  EXPECT_EQ(report.ops[1]->start, Nanoseconds(20'000));
  EXPECT_EQ(report.result.num_transfers, 1);
}

// Both producers end at 10 us on devices of their own, and release n10 and n9 at one instant. As
// strings, "n0" -> "n10" comes before "n1" -> "n9", whatever the topological index.
TEST(PlacetoCasesTest, ReleasesOfOneInstantComeByName) {
  const sim::SimReport report = RunPlaceto({TimedOp("n0", 10),
                                            TimedOp("n1", 10),
                                            TimedOp("n9", 5, {{1, 0}}, {}),
                                            TimedOp("n10", 5, {{0, 0}}, {})},
                                           {0, 1, 2, 2},
                                           3);
  EXPECT_LT(report.ops[3]->start, report.ops[2]->start);
}

TEST(PlacetoCasesTest, AgreesWithALiteralSimulatorOnRandomCases) {
  sim::Workspace workspace;
  for (std::uint64_t seed = 810'000; seed < 810'600 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Values values = seed % 2 == 0 ? Values::kRound : Values::kContinuous;
    const RandomCase made = MakeRandomCase(seed, values, {.least_devices = 2});
    bool is_ordered_by_outputs = true;  // every control edge comes from an op with an output
    for (std::size_t op = 0; op < made.graph->num_ops(); ++op) {
      for (const OpId producer : made.graph->control_inputs(OpId(op))) {
        is_ordered_by_outputs = is_ordered_by_outputs && made.graph->num_outputs(producer) > 0;
      }
    }
    if (!is_ordered_by_outputs) {
      continue;
    }
    sim::HardwareProfile machine = PlacetoMachine(made.hardware.num_devices());
    for (std::size_t d = 0; d < machine.num_devices(); ++d) {
      machine.devices[d].kind = made.hardware.devices[d].kind;
    }
    machine.memory.on_exceed = sim::OnExceed::kIgnore;
    sim::Plan plan{.placement = made.plan.placement};
    const EngineAndReference engine(made.graph, machine);
    const sim::SimReport report = engine.RunEngine(plan, workspace);
    const PlacetoResult expected = SimulatePlaceto(*made.graph, machine, engine.costs(), plan);
    EXPECT_EQ(report.result.makespan, expected.makespan);
    EXPECT_EQ(report.result.num_transfers, expected.num_transfers);
    for (std::size_t op = 0; op < made.graph->num_ops(); ++op) {
      EXPECT_EQ(report.ops[op]->start, expected.starts[op]) << made.graph->op(OpId(op)).name;
    }
    for (std::size_t d = 0; d < machine.num_devices(); ++d) {
      EXPECT_EQ(report.devices[d].peak_memory, expected.peak_memory[d]) << "device " << d;
    }
  }
}

}  // namespace
}  // namespace opyard::testing
