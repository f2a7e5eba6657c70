#include "sim/analysis/perfetto.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/analysis/trace_file.h"
#include "tests/support/simulated_case.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

constexpr std::int64_t kUs = 1'000'000;

SimulatedCase TwoOpsOnTwoDevices() {
  sim::OpSpec first = TimedOp("a", 2, {}, {3000});
  first.flops = Flops{7.0};
  first.layer = 4;
  first.phase = sim::Phase::kForward;
  // a 0–2 on d0, its copy 2–5, b 5–10 on d1.
  return {MakeGraph({first, TimedOp("b", 5, {{0, 0}})}),
          MeshMachine(2),
          PlacedWithPriorities({0, 1}, {6, -3})};
}

TEST(PerfettoTest, KernelsStandOnTheirDevicesWithWhatTheyAre) {
  TraceFile trace(TwoOpsOnTwoDevices());
  EXPECT_THAT(trace.TrackNames(1), ElementsAre("d0", "d1"));
  const std::vector<Json> kernels = trace.Spans("kernel");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].at("name"), "a");
  EXPECT_EQ(TrackOf(kernels[0]), Track(1, 10));
  EXPECT_EQ(TrackOf(kernels[1]), Track(1, 11));
  EXPECT_EQ(kernels[1].at("ts"), 5);
  EXPECT_EQ(kernels[1].at("dur"), 5);
  EXPECT_EQ(kernels[0].at("args"),
            Json({{"type", "MatMul"},
                  {"phase", "forward"},
                  {"layer", 4},
                  {"flops", 7.0},
                  {"bytes", 3000},
                  {"priority", 6},
                  {"group", 0},
                  {"ready_ps", 0},
                  {"start_ps", 0},
                  {"finish_ps", 2 * kUs}}));
}

TEST(PerfettoTest, TransfersStandOnEachChannelTheyOccupy) {
  TraceFile trace(TwoOpsOnTwoDevices());
  EXPECT_THAT(trace.TrackNames(2), ElementsAre("d0-d1>", "egress:d0", "ingress:d1"));
  const std::vector<Json> transfers = trace.Spans("transfer");
  std::set<std::int64_t> threads;
  for (const Json& transfer : transfers) {
    EXPECT_EQ(transfer.at("name"), "copy of a:0");
    EXPECT_EQ(transfer.at("ts"), 2);
    EXPECT_EQ(transfer.at("dur"), 3);
    threads.insert(transfer.at("tid").get<std::int64_t>());
  }
  EXPECT_THAT(threads, ElementsAre(10, 11, 12));
  EXPECT_EQ(transfers[0].at("args"),
            Json({{"bytes", 3000},
                  {"from", "d0"},
                  {"to", "d1"},
                  {"offered_ps", 2 * kUs},
                  {"start_ps", 2 * kUs},
                  {"finish_ps", 5 * kUs}}));
}

TEST(PerfettoTest, ArrowsLeadFromTheProducerThroughTheTransferToTheReader) {
  TraceFile trace(TwoOpsOnTwoDevices());
  const auto& begins = trace.Events("s");
  const auto& ends = trace.Events("f");
  ASSERT_EQ(begins.size(), 2U);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(TrackOf(begins[0]), Track(1, 10));      // a on d0
  EXPECT_EQ(TrackOf(ends[0]).first, 2);             // to the transfer
  EXPECT_EQ(TrackOf(begins[1]), TrackOf(ends[0]));  // and from it
  EXPECT_EQ(TrackOf(ends[1]), Track(1, 11));        // to b on d1
  EXPECT_EQ(begins[0].at("ts"), 1.999);             // the last nanosecond of a
  EXPECT_EQ(ends[0].at("ts"), 2);
  EXPECT_EQ(begins[1].at("ts"), 4.999);
  EXPECT_EQ(ends[1].at("ts"), 5);
}

TEST(PerfettoTest, CountersFollowMemoryQueuesAndWaitingTransfers) {
  // d0: a 0–2 and x 2–5, ready at 0; both copies are offered when their op ends; a:0 2–5, x:0 5–7.
  const SimulatedCase made(MakeGraph({TimedOp("a", 2, {}, {3000}),
                                      TimedOp("b", 5, {{0, 0}}, {100}),
                                      TimedOp("x", 3, {}, {2000}),
                                      TimedOp("y", 1, {{2, 0}}, {10})}),
                           MeshMachine(2),
                           PlacedOn({0, 1, 0, 1}));
  TraceFile trace(made);
  EXPECT_THAT(trace.Counter("d0 ready"),
              ElementsAre(std::pair(0, 1), std::pair(2 * kUs, 0)));  // a starts at once
  // b 5–10, y comes at 7 and starts at 10.
  EXPECT_THAT(trace.Counter("d1 ready"),
              ElementsAre(std::pair(7 * kUs, 1), std::pair(10 * kUs, 0)));
  EXPECT_THAT(trace.Counter("d0 memory limit"),
              ElementsAre(std::pair(0, 1'000'000), std::pair(11 * kUs, 1'000'000)));
  // a's output, then x's too; a's goes when its copy is made, x's likewise.
  EXPECT_THAT(trace.Counter("d0 memory"),
              ElementsAre(std::pair(0, 3000),
                          std::pair(2 * kUs, 5000),
                          std::pair(5 * kUs, 2000),
                          std::pair(7 * kUs, 0)));
  EXPECT_THAT(trace.Counter("waiting"), ElementsAre());  // each starts when offered
}

TEST(PerfettoTest, ATransferThatIsOfferedWhileItsChannelIsTakenCountsAsWaiting) {
  // a 0–2 offers both outputs at 2: a:0 2–5, a:1 5–7.
  TraceFile trace(SimulatedCase(
      MakeGraph({TimedOp("a", 2, {}, {3000, 2000}), TimedOp("b", 1, {{0, 0}, {0, 1}})}),
      MeshMachine(2),
      PlacedOn({0, 1})));
  EXPECT_THAT(trace.Counter("waiting"), ElementsAre(std::pair(2 * kUs, 1), std::pair(5 * kUs, 0)));
}

TEST(PerfettoTest, TransfersWithoutChannelsStandByPairsAndLanes) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.transfers.sharing = sim::Sharing::kNone;
  const SimulatedCase made(MakeGraph({TimedOp("a", 1, {}, {3000, 2000, 1000}),
                                      TimedOp("b", 1, {{0, 0}, {0, 1}}),
                                      TimedOp("c", 1, {{0, 2}})}),
                           machine,
                           PlacedOn({0, 1, 1}));
  TraceFile trace(made);
  EXPECT_THAT(trace.TrackNames(2), ElementsAre("d0>d1", "d0>d1 #2", "d0>d1 #3"));
}

// An op that takes so many picoseconds everywhere.
sim::OpSpec PicosecondOp(const std::string& name, std::int64_t picoseconds) {
  sim::OpSpec op = TimedOp(name, 0);
  op.seconds = {{.where = "*", .seconds = 1e-12 * static_cast<double>(picoseconds)}};
  return op;
}

TEST(PerfettoTest, SpansThatTouchDoSoInWholeNanosecondsToo) {
  // a 0–1.6 ns, b 1.6–3.2 ns: rounded down 0–1 and 1–3. Rounding 1.6 ns as start and as duration
  // alike would let them overlap.
  TraceFile trace(SimulatedCase(MakeGraph({PicosecondOp("a", 1600), PicosecondOp("b", 1600)}),
                                MeshMachine(1),
                                PlacedOn({0, 0})));
  const std::vector<Json> kernels = trace.Spans("kernel");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].at("ts"), 0);
  EXPECT_EQ(kernels[0].at("dur"), 0.001);
  EXPECT_EQ(kernels[1].at("ts"), 0.001);
  EXPECT_EQ(kernels[1].at("dur"), 0.002);
  EXPECT_EQ(kernels[1].at("args").at("finish_ps"), 3200);
}

TEST(PerfettoTest, KernelsOfNoTimeStandBesideTheirDeviceAsOneEvent) {
  TraceFile trace(SimulatedCase(
      MakeGraph({TimedOp("v", 0), TimedOp("w", 0), TimedOp("a", 2, {{0, 0}, {1, 0}})}),
      MeshMachine(2),
      PlacedOn({0, 0, 0})));
  EXPECT_THAT(trace.TrackNames(1), ElementsAre("d0", "d0 (no time)", "d1"));
  const std::vector<Json> kernels = trace.Spans("kernel");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].at("name"), "a");
  EXPECT_EQ(kernels[1].at("name"), "v and 1 more");
  EXPECT_EQ(TrackOf(kernels[1]), Track(1, 11));
  EXPECT_EQ(kernels[1].at("dur"), 0);
  EXPECT_EQ(kernels[1].at("args"), Json({{"num_kernels", 2}, {"kernels", {"v", "w"}}}));
}

TEST(PerfettoTest, AKernelOfNoTimeThatIsAloneAtItsInstantSaysWhatItIs) {
  TraceFile trace(SimulatedCase(MakeGraph({TimedOp("v", 0)}), MeshMachine(1), PlacedOn({0})));
  const std::vector<Json> kernels = trace.Spans("kernel");
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].at("name"), "v");
  EXPECT_EQ(TrackOf(kernels[0]), Track(1, 11));
  EXPECT_EQ(kernels[0].at("args").at("type"), "MatMul");
}

TEST(PerfettoTest, ArrowsOfKernelsOfNoTimeLeaveTheEventThatStandsForThem) {
  TraceFile trace(SimulatedCase(
      MakeGraph({TimedOp("v", 0, {}, {3000}), TimedOp("w", 0), TimedOp("b", 5, {{0, 0}})}),
      MeshMachine(2),
      PlacedOn({0, 0, 1})));
  ASSERT_EQ(trace.Events("s").size(), 2U);
  EXPECT_EQ(TrackOf(trace.Events("s")[0]), Track(1, 11));
  EXPECT_EQ(trace.Events("s")[0].at("ts"), 0);
}

TEST(PerfettoTest, LimitsStandOnlyBesideMemoryThatIsUsed) {
  TraceFile trace(SimulatedCase(MakeGraph({TimedOp("a", 2, {}, {3000}), TimedOp("b", 1, {{0, 0}})}),
                                MeshMachine(2),
                                PlacedOn({0, 0})));
  EXPECT_EQ(trace.Counter("d0 memory limit").size(), 2U);  // at both ends of the step
  EXPECT_TRUE(trace.Counter("d1 memory limit").empty());
}

TEST(PerfettoTest, NoThreadIsTakenForTheMainOneOfItsProcess) {
  TraceFile trace(TwoOpsOnTwoDevices());
  for (const Json& event : trace.Events("X")) {
    EXPECT_NE(event.at("tid"), event.at("pid"));
  }
}

TEST(PerfettoTest, AnyNameIsLegal) {
  const std::string hostile = "\"],}\\ \n\t\x01\x7f é 漢 </script>";
  TraceFile trace(SimulatedCase(MakeGraph({TimedOp(hostile, 2), TimedOp("b", 5, {{0, 0}})}),
                                MeshMachine(2),
                                PlacedOn({0, 1})));
  EXPECT_EQ(trace.Spans("kernel")[0].at("name"), hostile);
  EXPECT_EQ(trace.Spans("transfer")[0].at("name"), "copy of " + hostile + ":0");
}

TEST(PerfettoTest, WhatWasUnderWayAtAFailureEndsThere) {
  // a runs 0–9 on d0; b 0–1 on d1, where c then asks for 1 MB beside b's 1000 bytes.
  const SimulatedCase made(
      MakeGraph({TimedOp("a", 9), TimedOp("b", 1), TimedOp("c", 1, {{1, 0}}, {1'000'000})}),
      MeshMachine(2),
      PlacedOn({0, 1, 1}));
  ASSERT_EQ(made.report().result.outcome, sim::Outcome::kOutOfMemory);
  TraceFile trace(made);
  EXPECT_EQ(trace.json().at("otherData").at("outcome"), "out_of_memory");
  const Json under_way = trace.Spans("kernel")[0];
  EXPECT_EQ(under_way.at("dur"), 1);
  EXPECT_TRUE(under_way.at("args").contains("cut"));
  EXPECT_TRUE(trace.Spans("path").empty());
}

}  // namespace
}  // namespace opyard::testing
