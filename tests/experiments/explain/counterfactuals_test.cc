// Times in comments are microseconds; links carry 1000 bytes in one.
#include "experiments/explain/counterfactuals.h"

#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/explain/decision_weights.h"
#include "experiments/explain/plan_change.h"
#include "sim/analysis/span_names.h"
#include "tests/experiments/explain/explained_plan.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::PlacedOn;
using opyard::testing::PlacedWithPriorities;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::ExplainedPlan;

Counterfactuals Find(const ExplainedPlan& made, std::size_t num_threads = 1) {
  return FindCounterfactuals(
      made.problem(), made.step(), made.timeline(), made.path(), {.num_threads = num_threads});
}

std::string NamesOf(const ExplainedPlan& made, const std::vector<OpId>& ops) {
  std::string names;
  for (const OpId op : ops) {
    names += (names.empty() ? "" : " ") + made.step().graph.op(op).name;
  }
  return names;
}

// The subject of a change: "a b: d", "a: ", "a:0 to d1: ", "a b fuse: ".
std::string Subject(const ExplainedPlan& made, const DeviceChange& change) {
  return NamesOf(made, change.ops) + ": d";
}
std::string Subject(const ExplainedPlan& made, const PriorityChange& change) {
  return NamesOf(made, {change.op}) + ": ";
}
std::string Subject(const ExplainedPlan& made, const TransferChange& change) {
  return sim::NameOf(made.step().graph, change.tensor) + " to d" +
         std::to_string(change.destination.value) + ": ";
}
std::string Subject(const ExplainedPlan& made, const FusionChange& change) {
  return NamesOf(made, change.ops) + " fuse: ";
}

std::string Number(std::int64_t value) {
  return std::to_string(value);
}
std::string Number(DeviceId device) {
  return std::to_string(device.value);
}

// "a b: d0 > 1 = 7", "a: 0 > 6 = 5".
std::vector<std::string> Lines(const ExplainedPlan& made, const std::vector<Counterfactual>& list) {
  std::vector<std::string> lines;
  for (const Counterfactual& found : list) {
    const std::string line = std::visit(
        [&made](const auto& change) {
          return Subject(made, change) + Number(change.from) + " > " + Number(change.to);
        },
        found.change);
    lines.push_back(line + " = " + std::to_string(found.makespan.picoseconds / 1'000'000));
  }
  return lines;
}

TEST(CounterfactualsTest, MovingAnOpToAnIdleDeviceSaves) {
  // All on d0: a 0–2, b 2–5, c 5–10 (both read a:0, 1000 bytes): 10.
  const ExplainedPlan made(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5, {{0, 0}})}),
      MeshMachine(2),
      PlacedOn({0, 0, 0}));
  const Counterfactuals found = Find(made);
  EXPECT_EQ(found.num_tried, 3);
  // c alone: copy 2–3, c 3–8; b 2–5. b alone: copy 2–3, b 3–6; c 2–7. a alone: copy 2–3, 3–6–11.
  EXPECT_THAT(Lines(made, found.savings), ElementsAre("b: d0 > 1 = 7", "c: d0 > 1 = 8"));
  EXPECT_THAT(Lines(made, found.costs), ElementsAre("a: d0 > 1 = 11"));
}

TEST(CounterfactualsTest, CoLocatedOpsMoveTogether) {
  sim::OpSpec b = TimedOp("b", 3);
  sim::OpSpec c = TimedOp("c", 5);
  b.colocation = "pair";
  c.colocation = "pair";
  const ExplainedPlan made(MakeGraph({TimedOp("a", 2), b, c}), MeshMachine(2), PlacedOn({0, 0, 0}));
  // a 2 beside b and c 8 on the other device, whichever of both moves.
  EXPECT_THAT(Lines(made, Find(made).savings), ElementsAre("b c: d0 > 1 = 8", "a: d0 > 1 = 8"));
}

TEST(CounterfactualsTest, OfSeveralDevicesTheBestCounts) {
  // a 0–2 on d0 feeds b 2–5; x 0–9 on d1. To d1, b waits for x: 9–12. To d2, copy 2–3, b 3–6: 9 as
  // before, so no change at all.
  const ExplainedPlan made(MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("x", 9)}),
                           MeshMachine(3),
                           PlacedOn({0, 0, 1}));
  const Counterfactuals found = Find(made);
  EXPECT_EQ(found.num_tried, 6);
  EXPECT_TRUE(found.savings.empty());
  EXPECT_TRUE(found.costs.empty());
}

TEST(CounterfactualsTest, PrioritiesAreDecisionsOfAPriorityPlan) {
  // d0: low 0–4, then high 4–5, whose copy goes 5–7 to z on d1: 7–17.
  const ExplainedPlan made(
      MakeGraph({TimedOp("low", 4), TimedOp("high", 1, {}, {2000}), TimedOp("z", 10, {{1, 0}})}),
      MeshMachine(2),
      PlacedWithPriorities({0, 0, 1}, {5, 1, 0}));
  const Counterfactuals found = Find(made);
  // high first, or low last: high 0–1, copy 1–3, z 3–13. low on d1 0–4: z 4–14; high on d1 0–1 and
  // z 1–11; z on d0 5–15.
  EXPECT_THAT(Lines(made, found.savings),
              ElementsAre("high: d0 > 1 = 11",
                          "low: 5 > -1 = 13",
                          "high: 1 > 6 = 13",
                          "low: d0 > 1 = 14",
                          "z: d1 > 0 = 15"));
}

TEST(CounterfactualsTest, PrioritiesOfCopiesAreDecisionsWhereThePlanGivesThem) {
  // a 0–1 on d0, its copies 1–5 to x and 5–7 to z on d1; x 5–6, z 7–17.
  sim::Plan plan = PlacedOn({0, 1, 1});
  plan.transfer_priority = {{TensorId(0), DeviceId(1), 3}, {TensorId(1), DeviceId(1), 2}};
  const ExplainedPlan made(MakeGraph({TimedOp("a", 1, {}, {4000, 2000}),
                                      TimedOp("x", 1, {{0, 0}}),
                                      TimedOp("z", 10, {{0, 1}})}),
                           MeshMachine(2),
                           plan);
  // The second first, or the first last: 1–3, z 3–13, x 13–14. a on d1: x 1–2, z 2–12. z on d0
  // 1–11. x on d0: the other copy alone 1–3, z 3–13.
  EXPECT_THAT(Lines(made, Find(made).savings),
              ElementsAre("z: d1 > 0 = 11",
                          "a: d0 > 1 = 12",
                          "x: d1 > 0 = 13",
                          "a:0 to d1: 3 > -1 = 14",
                          "a:1 to d1: 2 > 4 = 14"));
}

TEST(CounterfactualsTest, WhetherToFuseIsADecisionOfAPlanWithFusion) {
  // a → b on d0 as one kernel, which takes 2 + 5 − 1, for b's read of a; its copy 6–7; c on d1
  // 7–10.
  sim::HardwareProfile machine = MeshMachine(2);
  for (sim::Device& device : machine.devices) {
    device.memory_bandwidth_bytes_per_s = 1e9;
  }
  std::vector<sim::OpSpec> ops = {
      TimedOp("a", 2), TimedOp("b", 5, {{0, 0}}), TimedOp("c", 3, {{0, 0}})};
  for (sim::OpSpec& op : ops) {
    op.type = "Relu";
  }
  sim::Plan plan = PlacedOn({0, 0, 1});
  plan.fusion_priority = {1, 1, 0};
  const Counterfactuals found = Find(ExplainedPlan(MakeGraph(ops), machine, plan));
  EXPECT_EQ(found.num_tried, 6);  // 3 on the other device, 2 that decline, 1 that no longer does
  // Apart: a 0–2, b 2–7; copy 2–3, c 3–6.
  EXPECT_THAT(Lines(ExplainedPlan(MakeGraph(ops), machine, plan), found.savings),
              ::testing::IsSupersetOf({"a fuse: 1 > 0 = 7", "b fuse: 1 > 0 = 7"}));
}

TEST(CounterfactualsTest, ChangesThatRunOutOfMemoryAreCountedOnly) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[1].memory = Bytes{500};
  const ExplainedPlan made(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3)}), machine, PlacedOn({0, 0}));
  const Counterfactuals found = Find(made);
  EXPECT_EQ(found.num_tried, 2);
  EXPECT_EQ(found.num_incomplete, 2);
  EXPECT_TRUE(found.savings.empty() && found.costs.empty());
}

TEST(CounterfactualsTest, ChangesWithoutARouteAreNotTried) {
  sim::HardwareProfile machine = MeshMachine(3);
  std::erase_if(machine.links, [](const sim::Link& link) { return link.name != "d0-d1"; });
  const ExplainedPlan made(
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}})}), machine, PlacedOn({0, 0}));
  EXPECT_EQ(Find(made).num_tried, 2);  // each to d1; d2 is cut off
}

TEST(CounterfactualsTest, ThreadsChangeNothing) {
  const auto made =
      opyard::testing::MakeRandomCase(11,
                                      opyard::testing::Values::kContinuous,
                                      {.least_ops = 100, .most_ops = 100, .least_devices = 3});
  const ExplainedPlan plan(made.graph, made.hardware, made.plan);
  const Counterfactuals one = Find(plan, 1);
  const Counterfactuals three = Find(plan, 3);
  EXPECT_FALSE(one.savings.empty() && one.costs.empty());
  EXPECT_EQ(Lines(plan, one.savings), Lines(plan, three.savings));
  EXPECT_EQ(Lines(plan, one.costs), Lines(plan, three.costs));
  EXPECT_EQ(one.num_tried, three.num_tried);
}

TEST(DecisionWeightsTest, ThePathSaysWhatADecisionWeighs) {
  // a 0–2 on d0, its copy 2–5, b on d1 waits for x (0–7) and runs 7–8.
  const ExplainedPlan made(
      MakeGraph({TimedOp("a", 2, {}, {3000}), TimedOp("b", 1, {{0, 0}}), TimedOp("x", 7)}),
      MeshMachine(2),
      PlacedOn({0, 1, 1}));
  const std::vector<Decision> decisions =
      WeighDecisions(made.problem()->grouping(), made.step(), made.timeline(), made.path());
  ASSERT_EQ(decisions.size(), 3U);
  // b: the copy 3, its wait 2, itself 1. a: itself 2, its copy 3. x: the wait of b behind it 2.
  EXPECT_EQ(decisions[0].subject, 1);
  EXPECT_EQ(decisions[0].weight, Microseconds(6));
  EXPECT_EQ(decisions[1].subject, 0);
  EXPECT_EQ(decisions[1].weight, Microseconds(5));
  EXPECT_EQ(decisions[2].subject, 2);
  EXPECT_EQ(decisions[2].weight, Microseconds(2));
  EXPECT_EQ(decisions[0].moved, Bytes{3000});
  EXPECT_EQ(decisions[2].moved, Bytes{0});
}

// d0 runs a 0–2, b 2–5 and c 5–9; the copy of a is at d1 from 3 on. c on d1 takes 4: 3–7. There it
// stands behind e (0–1) and before f, which started later than c.
TEST(CounterfactualsTest, OpsThatMoveKeepTheirPlaceInTheOrder) {
  const auto graph = MakeGraph({TimedOp("a", 2),
                                TimedOp("b", 3),
                                TimedOp("c", 4, {{.op = 0}}),
                                TimedOp("e", 1),
                                TimedOp("f", 1, {{.op = 1}})});
  sim::Plan plan = PlacedOn({0, 0, 0, 1, 1});
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order = {{{OpId(0), OpId(1), OpId(2)}}, {{OpId(3), OpId(4)}}};
  const ExplainedPlan made(graph, MeshMachine(2), plan);
  const Counterfactuals found = Find(made);
  EXPECT_EQ(found.num_incomplete, 0);
  ASSERT_FALSE(found.savings.empty());
  // b 2–5 on d0 and its copy 5–6; d1: e 0–1, c 3–7, f 7–8. Or b on d1: 1–4, f 4–5; c 2–6.
  EXPECT_EQ(found.savings.front().makespan, Microseconds(6));
  EXPECT_EQ(
      Changed(*graph,
              plan,
              DeviceChange{.ops = {OpId(2)}, .from = DeviceId(0), .to = DeviceId(1)},
              made.step().report.start_order)
          .order,
      (std::vector<std::vector<sim::Stream>>{{{OpId(0), OpId(1)}}, {{OpId(3), OpId(2), OpId(4)}}}));
}

}  // namespace
}  // namespace opyard::experiments
