// One small schedule for each kind of part of the critical path. Times in comments are
// microseconds, links carry 1000 bytes in one.
#include "sim/analysis/critical_path.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/simulated_case.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;

std::string Us(SimTime time) {
  return std::to_string(time.picoseconds / 1'000'000);
}

// "mm", or "copy of mm:0".
std::string NameOf(const SimulatedCase& made, sim::SpanId span) {
  const auto index = static_cast<std::size_t>(span.index);
  const sim::OpGraph& graph = made.both().graph();
  if (span.kind == sim::SpanKind::kKernel) {
    return graph.op(made.timeline().ops(index).front()).name;
  }
  const sim::Tensor& tensor = graph.tensor(made.timeline().transfers[index].tensor);
  return "copy of " + graph.op(tensor.producer).name + ":" + std::to_string(tensor.output_index);
}

// "2-5 queue_wait: c behind b".
std::vector<std::string> PathOf(const SimulatedCase& made) {
  std::vector<std::string> lines;
  for (const auto& part : sim::CriticalPath(made.timeline(), made.both().hardware())) {
    lines.push_back(Us(part.start) + "-" + Us(part.finish) + " " + sim::NameOf(part.kind) + ": " +
                    NameOf(made, part.subject) +
                    (part.behind.has_value() ? " behind " + NameOf(made, *part.behind) : ""));
  }
  return lines;
}

std::vector<std::string> PathOf(std::shared_ptr<const sim::OpGraph> graph,
                                const sim::HardwareProfile& machine,
                                const sim::Plan& plan) {
  return PathOf(SimulatedCase(std::move(graph), machine, plan));
}

// b 0-5 on d1, its copy 5-6; d0 runs c, which needs it, 6-9, and a, which was ready at 0, 9-11.
TEST(CriticalPathTest, SaysWhatStandsBehindTheHeadOfAStream) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("b", 5), TimedOp("c", 3, {{1, 0}})});
  sim::Plan plan = PlacedOn({0, 1, 0});
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order = {{{OpId(2), OpId(0)}}, {{OpId(1)}}};
  EXPECT_THAT(
      PathOf(graph, MeshMachine(2), plan),
      ElementsAre("0-6 stream_head: a behind c", "6-9 queue_wait: a behind c", "9-11 kernel: a"));
}

TEST(CriticalPathTest, FollowsTheInputThatCameLast) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 5), TimedOp("c", 3, {{0, 0}, {1, 0}})});
  // a 0–2 on d1, its copy 2–3; b 0–5; c 5–8.
  EXPECT_THAT(PathOf(graph, MeshMachine(2), PlacedOn({1, 0, 0})),
              ElementsAre("0-5 kernel: b", "5-8 kernel: c"));
}

TEST(CriticalPathTest, GoesThroughTheCopyOfAnInput) {
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {3000}), TimedOp("b", 5, {{0, 0}})});
  EXPECT_THAT(PathOf(graph, MeshMachine(2), PlacedOn({0, 1})),
              ElementsAre("0-2 kernel: a", "2-5 transfer: copy of a:0", "5-10 kernel: b"));
}

TEST(CriticalPathTest, NamesTheReleaseThatAnOpWaitedFor) {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5)};
  ops[0].release = Microseconds(1);
  ops[1].release = Microseconds(4);
  // a 1–3; c, ready at 0 on d1, 0–5; b, released at 4, 4–7.
  EXPECT_THAT(PathOf(MakeGraph(ops), MeshMachine(2), PlacedOn({0, 0, 1})),
              ElementsAre("0-1 release: a", "1-3 kernel: a", "3-4 release: b", "4-7 kernel: b"));
}

TEST(CriticalPathTest, TellsTheReleaseFromTheHostAndTheQueue) {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 4), TimedOp("b", 3)};
  ops[1].release = Microseconds(2);
  sim::HardwareProfile machine = MeshMachine(1);
  machine.execution.dispatch = Microseconds(2);
  // a is issued at 2: 2–6. b, released at 2, is issued at 4 and waits for a: 6–9.
  EXPECT_THAT(
      PathOf(MakeGraph(ops), machine, PlacedOn({0, 0})),
      ElementsAre(
          "0-2 release: b", "2-4 dispatch: b", "4-6 queue_wait: b behind a", "6-9 kernel: b"));
}

TEST(CriticalPathTest, NamesEachKernelThatKeptTheDevice) {
  const auto graph = MakeGraph(
      {TimedOp("a", 2), TimedOp("b", 3), TimedOp("c", 5), TimedOp("d", 7, {{0, 0}, {1, 0}})});
  // fifo on d0: a 0–2, b 2–5, c 5–10; d is ready at 5 and waits for c: 10–17.
  EXPECT_THAT(PathOf(graph, MeshMachine(1), PlacedOn({0, 0, 0, 0})),
              ElementsAre("0-2 queue_wait: b behind a",
                          "2-5 kernel: b",
                          "5-10 queue_wait: d behind c",
                          "10-17 kernel: d"));
}

TEST(CriticalPathTest, NamesTheTransferThatKeptTheChannel) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {7000, 2000}), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 9, {{0, 1}})});
  // Both copies are offered at 1: a:0 1–8, a:1 8–10; c 10–19.
  EXPECT_THAT(PathOf(graph, MeshMachine(2), PlacedOn({0, 1, 1})),
              ElementsAre("0-1 kernel: a",
                          "1-8 channel_wait: copy of a:1 behind copy of a:0",
                          "8-10 transfer: copy of a:1",
                          "10-19 kernel: c"));
}

TEST(CriticalPathTest, AWaitForOneChannelEndsWhenThatChannelIsFree) {
  // Copies to d1: x:0 from d0 1–6; z:0 from d2 from 6 on (ingress of d1) to 9. Also from d0, y:0 is
  // offered at 3 and waits for x:0 until 6. Then z:0, which was offered at 2, goes first.
  const auto graph = MakeGraph({TimedOp("x", 1, {}, {5000}),
                                TimedOp("y", 2, {}, {4000}),
                                TimedOp("z", 2, {}, {3000}),
                                TimedOp("u", 1, {{0, 0}}),
                                TimedOp("v", 1, {{1, 0}}),
                                TimedOp("w", 1, {{2, 0}})});
  EXPECT_THAT(PathOf(graph, MeshMachine(3), PlacedOn({0, 0, 2, 1, 1, 1})),
              ElementsAre("0-1 queue_wait: y behind x",
                          "1-3 kernel: y",
                          "3-6 channel_wait: copy of y:0 behind copy of x:0",
                          "6-9 channel_wait: copy of y:0 behind copy of z:0",
                          "9-13 transfer: copy of y:0",
                          "13-14 kernel: v"));
}

TEST(CriticalPathTest, NamesTheRestOfADeviceAndOfAChannel) {
  const auto graph = MakeGraph(
      {TimedOp("a", 2, {}, {1000, 1000}), TimedOp("b", 2, {{0, 0}}), TimedOp("c", 4, {{0, 1}})});
  sim::HardwareProfile machine = MeshMachine(2);
  machine.execution.gap_after_op = Microseconds(3);
  machine.transfers.gap_after = Microseconds(5);
  // a 0–2; a:0 2–3, the channel rests to 8; a:1 8–9; c 9–13 (b was 3–5, at rest to 8).
  EXPECT_THAT(PathOf(graph, machine, PlacedOn({0, 1, 1})),
              ElementsAre("0-2 kernel: a",
                          "2-3 channel_wait: copy of a:1 behind copy of a:0",
                          "3-8 gap: copy of a:1 behind copy of a:0",
                          "8-9 transfer: copy of a:1",
                          "9-13 kernel: c"));
  // One device: a 0–2, rest to 5; b 5–7, rest to 10; c 10–14.
  EXPECT_THAT(PathOf(graph, machine, PlacedOn({0, 0, 0})),
              ElementsAre("0-2 kernel: a",
                          "2-5 gap: c behind a",
                          "5-7 queue_wait: c behind b",
                          "7-10 gap: c behind b",
                          "10-14 kernel: c"));
}

TEST(CriticalPathTest, EndsWithARestThatCounts) {
  sim::HardwareProfile machine = MeshMachine(1);
  machine.execution.gap_after_op = Microseconds(3);
  machine.execution.trailing_gaps_count = true;
  EXPECT_THAT(PathOf(MakeGraph({TimedOp("a", 2)}), machine, PlacedOn({0})),
              ElementsAre("0-2 kernel: a", "2-5 gap: a behind a"));
}

TEST(CriticalPathTest, NamesTheHost) {
  const auto graph = MakeGraph({TimedOp("a", 1), TimedOp("b", 4), TimedOp("c", 1, {{0, 0}})});
  sim::HardwareProfile machine = MeshMachine(2);
  machine.execution.dispatch = Microseconds(2);
  // Issued at 2, 4, 6: a 2–3 on d0, b 4–8 on d1; c is ready at 3, issued at 6, behind nothing: 6–7.
  EXPECT_THAT(PathOf(graph, machine, PlacedOn({0, 1, 0})),
              ElementsAre("0-4 dispatch: b", "4-8 kernel: b"));
  // All on d0: a 2–3, b 4–8, c issued at 6 and behind b until 8: 8–9.
  EXPECT_THAT(PathOf(graph, machine, PlacedOn({0, 0, 0})),
              ElementsAre("0-2 dispatch: a",
                          "2-3 kernel: a",
                          "3-6 dispatch: c",
                          "6-8 queue_wait: c behind b",
                          "8-9 kernel: c"));
}

TEST(CriticalPathTest, NamesTheWayOfAControlEdge) {
  sim::OpSpec late = TimedOp("b", 5);
  late.control_inputs = {0};
  const auto graph = MakeGraph({TimedOp("a", 2), late});
  EXPECT_THAT(PathOf(graph, MeshMachine(2, 3), PlacedOn({0, 1})),
              ElementsAre("0-2 kernel: a", "2-5 signal: b behind a", "5-10 kernel: b"));
  EXPECT_THAT(PathOf(graph, MeshMachine(2, 3), PlacedOn({1, 1})),
              ElementsAre("0-2 kernel: a", "2-7 kernel: b"));
}

sim::HardwareProfile Waiting(std::size_t num_devices, std::int64_t memory) {
  sim::HardwareProfile machine = MeshMachine(num_devices);
  machine.memory.on_exceed = sim::OnExceed::kWait;
  for (sim::Device& device : machine.devices) {
    device.memory = Bytes{memory};
  }
  return machine;
}

TEST(CriticalPathTest, NamesTheMemoryThatAnOpLacked) {
  // d0: a 0–1 holds 1000 until c on d1 has its copy: 1–2. b asks for 1200 of 2000: 2–5.
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {1000}), TimedOp("b", 3, {}, {1200}), TimedOp("c", 1, {{0, 0}})});
  EXPECT_THAT(PathOf(graph, Waiting(2, 2000), PlacedOn({0, 0, 1})),
              ElementsAre("0-1 queue_wait: b behind a", "1-2 memory_wait: b", "2-5 kernel: b"));
}

TEST(CriticalPathTest, NamesTheMemoryThatACopyLacked) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {2000}), TimedOp("b", 1, {{0, 0}}, {10}), TimedOp("x", 4, {}, {1000})});
  // x holds 1000 of d1's 2500 to 4: copy 4–6, b 6–7.
  EXPECT_THAT(PathOf(graph, Waiting(2, 2500), PlacedOn({0, 1, 1})),
              ElementsAre("0-1 kernel: a",
                          "1-4 memory_wait: copy of a:0",
                          "4-6 transfer: copy of a:0",
                          "6-7 kernel: b"));
}

TEST(CriticalPathTest, AJointTransferWaitsForTheChannelsOfAllItsDestinations) {
  const auto graph = MakeGraph({TimedOp("x", 1, {}, {6000}),
                                TimedOp("a", 2, {}, {1000}),
                                TimedOp("b", 1, {{1, 0}}),
                                TimedOp("c", 3, {{1, 0}}),
                                TimedOp("y", 1, {{0, 0}})});
  sim::HardwareProfile machine = MeshMachine(4);
  machine.transfers.one_per = sim::OnePer::kOutput;
  // x on d3 sends to d2 1–7. a on d0 goes to d1 and d2 at once, when d2 can receive: 7–8; c 8–11.
  EXPECT_THAT(PathOf(graph, machine, PlacedOn({3, 0, 1, 2, 2})),
              ElementsAre("0-2 kernel: a",
                          "2-7 channel_wait: copy of a:0 behind copy of x:0",
                          "7-8 transfer: copy of a:0",
                          "8-11 kernel: c"));
}

TEST(CriticalPathTest, EachEdgeHasATransferOfItsOwn) {
  const auto graph = MakeGraph(
      {TimedOp("a", 1, {}, {2000}), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 5, {{0, 0}, {0, 0}})});
  sim::HardwareProfile machine = MeshMachine(2);
  machine.transfers.one_per = sim::OnePer::kEdge;
  // For b 1–3, for c 3–5 and 5–7; c 7–12. With c first: 1–3 and 3–5, b's 5–7; c 5–10, b 10–11.
  EXPECT_THAT(PathOf(graph, machine, PlacedOn({0, 1, 1})),
              ElementsAre("0-1 kernel: a",
                          "1-3 channel_wait: copy of a:0 behind copy of a:0",
                          "3-5 channel_wait: copy of a:0 behind copy of a:0",
                          "5-7 transfer: copy of a:0",
                          "7-12 kernel: c"));
  EXPECT_THAT(PathOf(graph, machine, PlacedWithPriorities({0, 1, 1}, {0, 1, 2})),
              ElementsAre("0-1 kernel: a",
                          "1-3 channel_wait: copy of a:0 behind copy of a:0",
                          "3-5 channel_wait: copy of a:0 behind copy of a:0",
                          "5-7 transfer: copy of a:0",
                          "7-10 queue_wait: b behind c",
                          "10-11 kernel: b"));
}

// Both move 1000 bytes a microsecond where there are so many for both: a 0–8, b 0–4 and after it.
TEST(CriticalPathTest, SaysHowLongAKernelWaitsForTheBandwidthOfItsPool) {
  sim::OpSpec a = TimedOp("a", 6, {}, {});
  sim::OpSpec b = TimedOp("b", 2, {}, {});
  a.bytes_accessed = Bytes{6000};
  b.bytes_accessed = Bytes{2000};
  sim::HardwareProfile machine = MeshMachine(2);
  machine.memory_pools = {
      {.name = "ram", .memory = Bytes{1'000'000}, .bandwidth_bytes_per_s = 1e9}};
  machine.devices[0].memory_pool = 0;
  machine.devices[1].memory_pool = 0;
  EXPECT_THAT(PathOf(MakeGraph({a, b}), machine, PlacedOn({0, 1})),
              ElementsAre("0-6 kernel: a", "6-8 memory_bandwidth: a"));
}

TEST(CriticalPathTest, NothingTakesTimeAndTheChainIsStillNamed) {
  const auto graph = MakeGraph({TimedOp("a", 0), TimedOp("b", 0, {{0, 0}})});
  EXPECT_THAT(PathOf(graph, MeshMachine(1), PlacedOn({0, 0})), ElementsAre("0-0 kernel: a"));
}

TEST(CriticalPathTest, TimesByKindAddUpToTheMakespan) {
  const SimulatedCase made(
      MakeGraph({TimedOp("a", 2, {}, {3000}), TimedOp("b", 5, {{0, 0}}), TimedOp("x", 6)}),
      MeshMachine(2),
      PlacedOn({0, 1, 1}));
  // a 0–2, copy 2–5, b waits for x until 6: 6–11.
  const auto totals = sim::TimeByKind(sim::CriticalPath(made.timeline(), made.both().hardware()));
  EXPECT_THAT(totals,
              ElementsAre(Microseconds(7),  // kernels a and b
                          Microseconds(3),  // the transfer
                          SimTime{},
                          Microseconds(1),  // b behind x
                          SimTime{},
                          SimTime{},
                          SimTime{},
                          SimTime{},
                          SimTime{},
                          SimTime{},
                          SimTime{},
                          SimTime{}));
}

}  // namespace
}  // namespace opyard::testing
