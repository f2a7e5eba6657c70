// Devices that share a memory: its bandwidth and its capacity. Times in comments are microseconds,
// rates bytes per microsecond. Simulate() also checks the reference simulator.
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/agreement.h"
#include "tests/support/report_times.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;

// `machine` with all devices in the pool "ram" of 1 MB, which moves `bytes_per_us`.
sim::HardwareProfile Shared(sim::HardwareProfile machine, double bytes_per_us) {
  machine.memory_pools.push_back(
      {.name = "ram", .memory = Bytes{1'000'000}, .bandwidth_bytes_per_s = bytes_per_us * 1e6});
  for (sim::Device& device : machine.devices) {
    device.memory_pool = 0;
  }
  return machine;
}

// An op of `us` that moves `bytes`, and makes nothing.
sim::OpSpec MovingOp(const std::string& name,
                     std::int64_t us,
                     std::int64_t bytes,
                     std::vector<sim::InputRef> inputs = {}) {
  sim::OpSpec op = TimedOp(name, us, std::move(inputs), {});
  op.bytes_accessed = Bytes{bytes};
  return op;
}

std::vector<std::int64_t> FinishesInUs(const sim::SimReport& report) {
  std::vector<std::int64_t> finishes;
  for (const auto& span : report.ops) {
    finishes.push_back(span->finish.picoseconds / 1'000'000);
  }
  return finishes;
}

TEST(MemoryPoolCaseTest, AloneAKernelTakesWhatItTakes) {
  const auto graph = MakeGraph({MovingOp("a", 4, 4000)});
  // It asks for 1000. Where the pool has but 500, its caches must have served the rest.
  for (const double bandwidth : {1000.0, 500.0}) {
    const sim::SimReport report = Simulate(graph, Shared(MeshMachine(2), bandwidth), PlacedOn({0}));
    EXPECT_EQ(report.result.makespan, Microseconds(4));
    EXPECT_THAT(report.bandwidth_waits, ElementsAre(SimTime{}));
  }
}

TEST(MemoryPoolCaseTest, TwoKernelsThatAskForAllGetHalf) {
  const auto graph = MakeGraph({MovingOp("a", 4, 4000), MovingOp("b", 4, 4000)});
  const sim::SimReport report = Simulate(graph, Shared(MeshMachine(2), 1000), PlacedOn({0, 1}));
  // Each moves 4000 at 500.
  EXPECT_THAT(FinishesInUs(report), ElementsAre(8, 8));
  EXPECT_THAT(report.bandwidth_waits, ElementsAre(Microseconds(4), Microseconds(4)));
}

TEST(MemoryPoolCaseTest, WhoAsksForLittleGetsIt) {
  const auto graph = MakeGraph({MovingOp("a", 4, 4000), MovingOp("b", 4, 1000)});
  const sim::SimReport report = Simulate(graph, Shared(MeshMachine(2), 1000), PlacedOn({0, 1}));
  // b has its 250 until 4, and a 750; then a moves its last 1000 alone.
  EXPECT_THAT(FinishesInUs(report), ElementsAre(5, 4));
}

TEST(MemoryPoolCaseTest, AKernelWithoutBytesIsNotSlowed) {
  const auto graph = MakeGraph({MovingOp("a", 4, 0), MovingOp("b", 4, 4000)});
  const sim::SimReport report = Simulate(graph, Shared(MeshMachine(2), 1000), PlacedOn({0, 1}));
  EXPECT_THAT(FinishesInUs(report), ElementsAre(4, 4));
}

TEST(MemoryPoolCaseTest, OneThatStartsInTheMiddleTakesItsPart) {
  const auto graph = MakeGraph({MovingOp("a", 12, 12'000),
                                MovingOp("b", 5, 5000),
                                MovingOp("wait", 2, 0),
                                MovingOp("c", 2, 2000)});
  const sim::SimReport report =
      Simulate(graph, Shared(MeshMachine(3), 1200), PlacedOn({0, 1, 2, 2}));
  // 0–2: a and b at 600. 2–7: all at 400, which is when c has moved 2000. 7–10: a and b at 600,
  // which is when b has moved 1200 + 2000 + 1800. a: 1200 + 2000 + 1800, and 7000 alone.
  EXPECT_THAT(FinishesInUs(report), ElementsAre(17, 10, 2, 7));
}

TEST(MemoryPoolCaseTest, TheLaunchUsesNoBandwidth) {
  sim::OpGraphBuilder builder("kernels");
  builder.SetMeasured(sim::Measured::kKernel);
  builder.AddOp(MovingOp("a", 4, 4000));
  builder.AddOp(MovingOp("b", 4, 4000));
  sim::HardwareProfile machine = Shared(MeshMachine(2), 1000);
  machine.devices[0].launch_overhead_s = 2e-6;
  const sim::SimReport report = Simulate(builder.Build(), machine, PlacedOn({0, 1}));
  // b alone until 2, then both at 500: b moves its last 2000 until 6, a its last 2000 from there.
  EXPECT_THAT(FinishesInUs(report), ElementsAre(8, 6));
  EXPECT_THAT(report.bandwidth_waits, ElementsAre(Microseconds(2), Microseconds(2)));
}

TEST(MemoryPoolCaseTest, PoolsAndOtherDevicesDoNotFeelEachOther) {
  const auto graph = MakeGraph({MovingOp("a", 4, 4000),
                                MovingOp("b", 4, 4000),
                                MovingOp("c", 4, 4000),
                                MovingOp("d", 4, 4000)});
  sim::HardwareProfile machine = Shared(MeshMachine(4), 1000);
  machine.memory_pools.push_back(
      {.name = "other", .memory = Bytes{1'000'000}, .bandwidth_bytes_per_s = 1e9});
  machine.devices[2].memory_pool = 1;
  machine.devices[3].memory_pool = sim::Device::kNoMemoryPool;
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 2, 3}));
  EXPECT_THAT(FinishesInUs(report), ElementsAre(8, 8, 4, 4));
}

TEST(MemoryPoolCaseTest, StreamsSideBySideShareIt) {
  const auto graph = MakeGraph({MovingOp("a", 4, 4000), MovingOp("b", 4, 4000)});
  sim::HardwareProfile machine = Shared(MeshMachine(2), 1000);
  machine.execution.streams = sim::StreamRule::kParallel;
  sim::Plan plan = PlacedOn({0, 0});
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order = {{{OpId(0)}, {OpId(1)}}, {}};
  const sim::SimReport report = Simulate(graph, machine, plan);
  EXPECT_THAT(FinishesInUs(report), ElementsAre(8, 8));
}

TEST(MemoryPoolCaseTest, ADeviceRestsAfterTheTrueEnd) {
  const auto graph =
      MakeGraph({MovingOp("a", 4, 4000), MovingOp("b", 4, 4000), MovingOp("after a", 1, 0)});
  sim::HardwareProfile machine = Shared(MeshMachine(2), 1000);
  machine.execution.gap_after_op = Microseconds(3);
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 0}));
  EXPECT_EQ(report.ops[2]->start, Microseconds(11));  // 8 + 3
}

TEST(MemoryPoolCaseTest, ACopyWithinThePoolIsACopyAndUsesNoneOfItsBandwidth) {
  sim::OpSpec a = TimedOp("a", 3);
  a.bytes_accessed = Bytes{0};
  const auto graph = MakeGraph({a, MovingOp("b", 5, 0, {{0, 0}}), MovingOp("c", 5, 5000)});
  const sim::SimReport report = Simulate(graph, Shared(MeshMachine(3), 1000), PlacedOn({0, 1, 2}));
  // a makes 1000 bytes, which the link carries in one while c moves its own.
  EXPECT_THAT(TransfersInUs(report), ElementsAre(Span(3, 4)));
  EXPECT_EQ(report.ops[2]->finish, Microseconds(5));
  EXPECT_EQ(report.devices[0].peak_memory, Bytes{1000});
  EXPECT_EQ(report.devices[1].peak_memory, Bytes{1000});
  EXPECT_EQ(report.memory_pools.at(0).name, "ram");
  EXPECT_EQ(report.memory_pools.at(0).peak_memory, Bytes{2000});
  EXPECT_EQ(report.memory_pools.at(0).peak_instant, Microseconds(3));
}

// Two ops that hold 2000 bytes each while they run, in 3000.
sim::SimReport HoldTooMuch(sim::OnExceed on_exceed) {
  const auto graph = MakeGraph({TimedOp("a", 3, {}, {2000}), TimedOp("b", 5, {}, {2000})});
  sim::HardwareProfile machine = Shared(MeshMachine(2), 1e6);
  machine.memory_pools[0].memory = Bytes{3000};
  machine.memory.on_exceed = on_exceed;
  return Simulate(graph, machine, PlacedOn({0, 1}));
}

TEST(MemoryPoolCaseTest, DevicesFillOneCapacity) {
  const sim::SimReport report = HoldTooMuch(sim::OnExceed::kFail);
  EXPECT_EQ(report.result.outcome, sim::Outcome::kOutOfMemory);
  EXPECT_EQ(report.failure->device, "d1");
  EXPECT_EQ(report.failure->memory_pool, "ram");
  EXPECT_EQ(report.failure->requested, Bytes{2000});
  EXPECT_EQ(report.failure->in_use, Bytes{2000});
  EXPECT_EQ(report.failure->capacity, Bytes{3000});
  ASSERT_EQ(report.failure->largest_residents.size(), 1);
  EXPECT_EQ(report.failure->largest_residents[0].name, "a:0");
}

TEST(MemoryPoolCaseTest, ADeviceWaitsForBytesOfAnother) {
  const sim::SimReport report = HoldTooMuch(sim::OnExceed::kWait);
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 3));
  EXPECT_EQ(report.devices[1].idle_waiting_for_memory, Microseconds(3));
  EXPECT_EQ(report.memory_pools.at(0).peak_memory, Bytes{2000});
}

TEST(MemoryPoolCaseTest, IgnoredTheCapacityIsOnlyReported) {
  const sim::SimReport report = HoldTooMuch(sim::OnExceed::kIgnore);
  EXPECT_THAT(StartsInUs(report), ElementsAre(0, 0));
  EXPECT_EQ(report.memory_pools.at(0).peak_memory, Bytes{4000});
  EXPECT_EQ(report.memory_pools.at(0).capacity, Bytes{3000});
  EXPECT_EQ(report.result.peak_memory, Bytes{2000});  // of a device
}

TEST(MemoryPoolCaseTest, TheReserveIsThePools) {
  sim::HardwareProfile machine = Shared(MeshMachine(2), 1000);
  machine.memory.reserve = 0.25;
  EXPECT_EQ(machine.capacity(DeviceId(1)), Bytes{750'000});
  EXPECT_EQ(machine.pool_capacity(0), Bytes{750'000});
}

TEST(MemoryPoolCaseTest, AJointTransferNeedsRoomForAllItsCopies) {
  const auto graph =
      MakeGraph({TimedOp("a", 3), MovingOp("b", 5, 0, {{0, 0}}), MovingOp("c", 5, 0, {{0, 0}})});
  sim::HardwareProfile machine = Shared(MeshMachine(3), 1000);
  machine.transfers.one_per = sim::OnePer::kOutput;
  machine.memory_pools[0].memory = Bytes{2500};  // a:0 and two copies are 3000
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1, 2}));
  EXPECT_EQ(report.failure->what, "copy of a:0");
  EXPECT_EQ(report.failure->device, "d2");
}

TEST(MemoryPoolCaseTest, ParametersOfAllDevicesFillIt) {
  const auto graph = MakeGraph({VariableOp("v", 2000), VariableOp("w", 2000)});
  sim::HardwareProfile machine = Shared(MeshMachine(2), 1000);
  machine.memory_pools[0].memory = Bytes{3000};
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({0, 1}));
  EXPECT_EQ(report.failure->what, "parameters of w");
  EXPECT_EQ(report.failure->in_use, Bytes{2000});
  EXPECT_EQ(report.failure->largest_residents.at(0).name, "parameters of v");
}

TEST(MemoryPoolCaseTest, ADeadlockNamesThePool) {
  const auto graph = MakeGraph({TimedOp("a", 3, {}, {4000})});
  sim::HardwareProfile machine = Shared(MeshMachine(2), 1000);
  machine.memory_pools[0].memory = Bytes{3000};
  machine.memory.on_exceed = sim::OnExceed::kWait;
  const sim::SimReport report = Simulate(graph, machine, PlacedOn({1}));
  EXPECT_THAT(report.deadlock->waits,
              ElementsAre("op a on d1 waits for 4000 bytes of memory pool ram: 0 of 3000 are in "
                          "use"));
}

TEST(MemoryPoolCaseTest, TheBoundOfAPlanCountsTheBytesOfThePool) {
  const auto graph = MakeGraph({MovingOp("a", 4, 4000), MovingOp("b", 4, 4000)});
  const sim::SimReport report = Simulate(graph, Shared(MeshMachine(2), 1000), PlacedOn({0, 1}));
  // 8000 bytes at 1000, less a few picoseconds for roundings.
  EXPECT_LE(report.plan_bound, Microseconds(8));
  EXPECT_GT(report.plan_bound, SimTime{7'999'900});
}

TEST(MemoryPoolCaseTest, OtherRulesHaveNone) {
  const auto graph = MakeGraph({TimedOp("a", 3)});
  for (const sim::Rules rules : {sim::Rules::kPlaceto, sim::Rules::kRegal}) {
    sim::HardwareProfile machine = Shared(MeshMachine(2), 1000);
    machine.rules = rules;
    EXPECT_THROW((void)Simulate(graph, machine, PlacedOn({0})), UnsupportedError);
  }
}

}  // namespace
}  // namespace opyard::testing
