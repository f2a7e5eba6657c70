// Times in comments are microseconds; links carry 1000 bytes in one.
#include "sim/analysis/timeline.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/simulated_case.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;

TEST(TimelineTest, AKernelKnowsWhenAndHowItsInputsCame) {
  // a 0–2 on d0, its copy 2–5 to d1; b 0–4 on d1; c reads both: 5–6.
  const SimulatedCase made(
      MakeGraph({TimedOp("a", 2, {}, {3000}), TimedOp("b", 4), TimedOp("c", 1, {{0, 0}, {1, 0}})}),
      MeshMachine(2),
      PlacedOn({0, 1, 1}));
  const sim::Timeline& timeline = made.timeline();
  ASSERT_EQ(timeline.num_kernels(), 3U);
  EXPECT_EQ(timeline.kernels[2].ready, Microseconds(5));
  const auto arrivals = timeline.arrivals_of(2);
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[0].from, (sim::SpanId{sim::SpanKind::kTransfer, 0}));
  EXPECT_EQ(arrivals[0].time, Microseconds(5));
  EXPECT_EQ(arrivals[1].from, (sim::SpanId{sim::SpanKind::kKernel, 1}));
  EXPECT_EQ(arrivals[1].time, Microseconds(4));
}

TEST(TimelineTest, AJointTransferHasAllItsDestinationsAndChannels) {
  sim::HardwareProfile machine = StarMachine(3);
  machine.transfers.one_per = sim::OnePer::kOutput;
  const SimulatedCase made(
      MakeGraph({TimedOp("a", 1), TimedOp("b", 1, {{0, 0}}), TimedOp("c", 1, {{0, 0}})}),
      machine,
      PlacedOn({0, 2, 1}));
  const sim::Timeline& timeline = made.timeline();
  EXPECT_THAT(timeline.destinations_of(0), ElementsAre(DeviceId(1), DeviceId(2)));
  std::vector<std::string> names;
  for (const ChannelId channel : timeline.channels_of(0)) {
    names.push_back(timeline.channel_names[channel.index()]);
  }
  EXPECT_THAT(names,
              ::testing::UnorderedElementsAre(
                  "d0-hub>", "d1-hub<", "d2-hub<", "egress:d0", "ingress:d1", "ingress:d2"));
}

TEST(TimelineTest, WhatAFailureKeptFromComingIsNotThere) {
  // a 0–2 on d0; b asks for more than d0 has when a ends: c never gets b's output.
  const SimulatedCase made(MakeGraph({TimedOp("a", 2),
                                      TimedOp("b", 1, {{0, 0}}, {1'000'000}),
                                      TimedOp("c", 1, {{0, 0}, {1, 0}})}),
                           MeshMachine(1),
                           PlacedOn({0, 0, 0}));
  const sim::Timeline& timeline = made.timeline();
  EXPECT_EQ(timeline.outcome, sim::Outcome::kOutOfMemory);
  EXPECT_EQ(timeline.kernels[1].ready, Microseconds(2));
  EXPECT_FALSE(timeline.kernels[1].run.has_value());
  EXPECT_FALSE(timeline.kernels[2].ready.has_value());
}

TEST(TimelineTest, UnderPlacetoOneTensorPerPairOfOpsCountsAndControlEdgesMoveBytes) {
  sim::OpSpec c = TimedOp("c", 1, {{0, 0}, {0, 1}});
  c.control_inputs = {1};
  sim::HardwareProfile machine =
      MeshMachine(2, 0, {.links = false, .egress = true, .ingress = false});
  machine.rules = sim::Rules::kPlaceto;
  machine.transfers.one_per = sim::OnePer::kOutput;
  // a 0–1 and b 1–3 on d0. Of a's outputs the second counts: 1–6. b's goes for the control edge:
  // 6–9.
  const SimulatedCase made(
      MakeGraph({TimedOp("a", 1, {}, {2000, 5000}), TimedOp("b", 2, {}, {3000}), c}),
      machine,
      PlacedOn({0, 0, 1}));
  const sim::Timeline& timeline = made.timeline();
  EXPECT_EQ(timeline.num_transfers(), 2U);
  const auto arrivals = timeline.arrivals_of(2);
  ASSERT_EQ(arrivals.size(), 2U);
  EXPECT_EQ(arrivals[0].time, Microseconds(6));
  EXPECT_EQ(arrivals[1].time, Microseconds(9));
  EXPECT_EQ(arrivals[1].from.kind, sim::SpanKind::kTransfer);
}

TEST(TimelineTest, CopiesPerEdgeAreThoseOfTheOpsInOrderAlsoOfAFusedKernel) {
  sim::OpSpec e = TimedOp("e", 1);
  sim::OpSpec c = TimedOp("c", 4, {{0, 0}, {1, 0}});
  e.type = "Relu";
  c.type = "Relu";
  sim::HardwareProfile machine = MeshMachine(2);
  machine.transfers.one_per = sim::OnePer::kEdge;
  machine.devices[1].memory_bandwidth_bytes_per_s = 1e9;
  sim::Plan plan = PlacedOn({1, 0, 1, 1});
  plan.fusion_priority = {1, 0, 0, 1};
  // a 0–2 on d0; its copies 2–5 for b and 5–8 for c: the kernel {e, c} comes before that of b, but
  // the op b before the op c.
  const SimulatedCase made(
      MakeGraph({e, TimedOp("a", 2, {}, {3000}), TimedOp("b", 3, {{1, 0}}), c}), machine, plan);
  const sim::Timeline& timeline = made.timeline();
  ASSERT_EQ(timeline.num_kernels(), 3U);
  EXPECT_EQ(timeline.ops(0).size(), 2U);
  EXPECT_EQ(timeline.kernels[0].ready, Microseconds(8));
  EXPECT_EQ(timeline.kernels[2].ready, Microseconds(5));
}

}  // namespace
}  // namespace opyard::testing
