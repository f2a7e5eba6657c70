#include "env/contiguity.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/action_codec.h"
#include "env/evaluator.h"
#include "env/plan_queue.h"
#include "sim/base/error.h"
#include "sim/base/rng.h"
#include "tests/env/small_problems.h"
#include "tests/support/layer_chain.h"

namespace opyard::env {
namespace {

using ::opyard::testing::LayerChain;
using ::opyard::testing::MakeGraph;
using ::opyard::testing::MakeLayerChain;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::Microseconds;
using ::opyard::testing::PlacedOn;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A chain of ops that take 2, 3, 5, 7, … microseconds.
std::shared_ptr<const Problem> Chain(const std::vector<std::int64_t>& us,
                                     std::size_t num_devices,
                                     ProblemSettings settings = {.contiguous = true}) {
  std::vector<sim::OpSpec> ops;
  for (std::size_t i = 0; i < us.size(); ++i) {
    std::vector<sim::InputRef> inputs;
    if (i > 0) {
      inputs.push_back({.op = static_cast<std::int64_t>(i) - 1, .output = 0});
    }
    ops.push_back(TimedOp("op" + std::to_string(i), us[i], std::move(inputs)));
  }
  return MakeProblem(MakeGraph(std::move(ops)), MeshMachine(num_devices), std::move(settings));
}

sim::OpPlacement Devices(const std::vector<std::int32_t>& devices) {
  return PlacedOn(devices).placement;
}

// Whether each device has one run of the groups of `problem` in the order of their first ops: that
// of the network where all ops are of the forward pass.
bool FollowsGroups(const Problem& problem, const sim::OpPlacement& placement) {
  const sim::Grouping& groups = problem.finest_grouping();
  std::vector<std::set<DeviceId>> of_group(static_cast<std::size_t>(groups.num_groups));
  for (std::size_t op = 0; op < placement.size(); ++op) {
    of_group[static_cast<std::size_t>(groups.group_of[op])].insert(placement[op]);
  }
  std::vector<DeviceId> used;
  for (const std::set<DeviceId>& devices : of_group) {
    if (devices.size() != 1) {
      return false;
    }
    if (used.empty() || used.back() != *devices.begin()) {
      if (std::ranges::find(used, *devices.begin()) != used.end()) {
        return false;
      }
      used.push_back(*devices.begin());
    }
  }
  return true;
}

TEST(ContiguityTest, EachDeviceHasOneRunInAnyOrderOfDevices) {
  const auto problem = Chain({2, 3, 5, 7}, 3);
  const Contiguity& contiguity = *problem->contiguity();
  EXPECT_TRUE(contiguity.Holds(Devices({0, 0, 1, 2})));
  EXPECT_TRUE(contiguity.Holds(Devices({2, 0, 0, 1})));
  EXPECT_TRUE(contiguity.Holds(Devices({1, 1, 1, 1})));
  EXPECT_FALSE(contiguity.Holds(Devices({0, 1, 0, 0})));
  EXPECT_FALSE(contiguity.Holds(Devices({0, 1, 2, 1})));
}

TEST(ContiguityTest, TheNearestPlacementKeepsMostTimeInPlace) {
  const auto problem = Chain({2, 3, 5, 7}, 2);
  // Keeping 0 | 1 | 0 costs the 3 of the middle; 1 1 | 0 0 would cost the 2 of the first.
  EXPECT_THAT(problem->contiguity()->Nearest(Devices({0, 1, 0, 0})),
              ElementsAre(DeviceId(1), DeviceId(1), DeviceId(0), DeviceId(0)));
}

TEST(ContiguityTest, AGroupThatIsSplitIsMadeWhole) {
  sim::OpSpec a = TimedOp("a", 2);
  sim::OpSpec b = TimedOp("b", 3, {{0, 0}});
  a.module = "m";
  b.module = "m";
  const auto problem = MakeProblem(MakeGraph({a, b, TimedOp("c", 5, {{1, 0}})}),
                                   MeshMachine(2),
                                   {.decide_per = DecidePer::kModule, .contiguous = true});
  // "c", which reads from "m" alone, is of "m", too.
  EXPECT_THAT(problem->contiguity()->Nearest(Devices({0, 0, 1})),
              ElementsAre(DeviceId(0), DeviceId(0), DeviceId(0)));
}

TEST(ContiguityTest, GroupsThatRunOnOneDeviceAloneStandOutsideOfTheOrder) {
  sim::OpSpec load = TimedOp("load", 3, {{0, 0}});
  load.device_kinds = sim::DeviceKindSet::None();
  load.device_kinds.Insert(sim::DeviceKind::kCpu);
  sim::HardwareProfile machine = MeshMachine(3);
  machine.devices[2].kind = sim::DeviceKind::kCpu;
  const auto problem = MakeProblem(
      MakeGraph({TimedOp("a", 2), load, TimedOp("b", 5, {{1, 0}})}), machine, {.contiguous = true});
  EXPECT_TRUE(problem->contiguity()->Holds(Devices({0, 2, 0})));
  EXPECT_THAT(problem->contiguity()->Nearest(Devices({0, 2, 1})),
              ElementsAre(DeviceId(0), DeviceId(2), DeviceId(1)));
}

TEST(ContiguityTest, TheOrderIsThatOfTheForwardPass) {
  // Backward ops follow their layer's: 0 1 | 0 1 for forward and backward of two layers.
  const auto graph = MakeLayerChain({.num_layers = 3, .weight_bytes = 8});
  std::vector<std::int32_t> devices;
  for (const sim::Op& op : graph->ops()) {
    devices.push_back(op.layer.value_or(0) < 1 ? 0 : 1);
  }
  std::vector<sim::OpSpec> specs;
  sim::OpGraphBuilder builder("chain");
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    const sim::Op& op = graph->op(OpId(i));
    sim::OpSpec spec{.name = op.name,
                     .type = op.type,
                     .phase = op.phase,
                     .module = "layer" + std::to_string(std::max(op.layer.value_or(0), 0))};
    for (const TensorId input : graph->inputs(OpId(i))) {
      const sim::Tensor& tensor = graph->tensor(input);
      spec.inputs.push_back({.op = tensor.producer.value, .output = tensor.output_index});
    }
    for (std::size_t output = 0; output < graph->num_outputs(OpId(i)); ++output) {
      spec.outputs.push_back({.bytes = Bytes{1000}});
    }
    builder.AddOp(std::move(spec));
  }
  const auto problem = MakeProblem(
      builder.Build(), MeshMachine(2), {.decide_per = DecidePer::kModule, .contiguous = true});
  EXPECT_EQ(problem->finest_grouping().num_groups, 3);
  EXPECT_TRUE(problem->contiguity()->Holds(Devices(devices)));
}

TEST(ContiguityTest, WithoutAnyPlacementTheProblemIsRefused) {
  // Two kinds of devices in turn, two of each: g may run on GPUs, c on CPUs.
  const auto only =
      [](const std::string& name, sim::DeviceKind kind, std::vector<sim::InputRef> inputs) {
        sim::OpSpec op = TimedOp(name, 2, std::move(inputs));
        op.device_kinds = sim::DeviceKindSet::None();
        op.device_kinds.Insert(kind);
        return op;
      };
  sim::HardwareProfile machine = MeshMachine(4);
  machine.devices[2].kind = sim::DeviceKind::kCpu;
  machine.devices[3].kind = sim::DeviceKind::kCpu;
  const auto graph = MakeGraph({only("g0", sim::DeviceKind::kGpu, {}),
                                only("c0", sim::DeviceKind::kCpu, {{0, 0}}),
                                only("g1", sim::DeviceKind::kGpu, {{1, 0}}),
                                only("c1", sim::DeviceKind::kCpu, {{2, 0}}),
                                only("g2", sim::DeviceKind::kGpu, {{3, 0}})});
  try {
    (void)MakeProblem(graph, machine, {.contiguous = true});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("contiguous: found no placement"));
  }
}

// Every plan that is evaluated follows the order, and those that do stay as they are; the nearest
// one keeps as much time in place as any, by brute force.
TEST(ContiguityPropertyTest, NearestPlacementsAreTheBestOfAll) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed);
    const auto num_devices = static_cast<std::size_t>(rng.Between(2, 4));
    std::vector<std::int64_t> us;
    for (std::int64_t i = rng.Between(1, 5); i >= 0; --i) {
      us.push_back(rng.Between(0, 7));
    }
    const auto problem = Chain(us, num_devices);
    const Contiguity& contiguity = *problem->contiguity();
    std::vector<sim::OpPlacement> all = {sim::OpPlacement(us.size(), DeviceId(0))};
    for (std::size_t op = 0; op < us.size(); ++op) {
      const std::size_t count = all.size();
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t device = 1; device < num_devices; ++device) {
          all.push_back(all[i]);
          all.back()[op] = DeviceId(device);
        }
      }
    }
    const auto kept = [&](const sim::OpPlacement& from, const sim::OpPlacement& to) {
      std::int64_t sum = 0;
      for (std::size_t op = 0; op < us.size(); ++op) {
        sum += from[op] == to[op] ? Microseconds(us[op]).picoseconds + 1 : 0;
      }
      return sum;
    };
    const auto& from = all[static_cast<std::size_t>(rng.Below(all.size()))];
    const sim::OpPlacement nearest = contiguity.Nearest(from);
    EXPECT_TRUE(FollowsGroups(*problem, nearest));
    std::int64_t most = 0;
    for (const sim::OpPlacement& placement : all) {
      EXPECT_EQ(contiguity.Holds(placement), FollowsGroups(*problem, placement));
      if (FollowsGroups(*problem, placement)) {
        EXPECT_EQ(contiguity.Nearest(placement), placement);
        most = std::max(most, kept(from, placement));
      }
    }
    EXPECT_EQ(kept(from, nearest), most) << "seed " << seed;
  }
}

TEST(ContiguityPropertyTest, ManyDevicesHaveOneRunEach) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    const auto problem = Chain(std::vector<std::int64_t>(40, 2), 12);
    sim::OpPlacement placement;
    for (std::size_t op = 0; op < 40; ++op) {
      placement.emplace_back(rng.Below(12));
    }
    const sim::OpPlacement nearest = problem->contiguity()->Nearest(placement);
    EXPECT_TRUE(FollowsGroups(*problem, nearest));
    EXPECT_EQ(problem->contiguity()->Nearest(nearest), nearest);
  }
}

TEST(ContiguousEvaluatorTest, EvaluatesAndRemembersTheNearestPlan) {
  const auto problem = Chain({2, 3, 5}, 2);
  Evaluator evaluator(problem, {.budget = {.evaluations = 10}});
  std::vector<sim::Plan> seen;
  // 0 1 0 → 1 1 0: 2 + 3, the transfer of 1, 5 = 11 us, not the 2 + 1 + 3 + 1 + 5 = 12 of the plan.
  const auto evaluation = evaluator.Evaluate(PlacedOn({0, 1, 0}));
  EXPECT_EQ(evaluation->result.makespan, Microseconds(11));
  EXPECT_THAT(evaluator.best()->plan.placement, ElementsAre(DeviceId(1), DeviceId(1), DeviceId(0)));
}

TEST(ContiguousEvaluatorTest, NeighboursAreEvaluatedAsPlansAre) {
  const auto problem = Chain({2, 3, 5, 7, 11, 13}, 3);
  Evaluator by_moves(problem, {.budget = {.evaluations = 500}});
  Evaluator by_plans(problem, {.budget = {.evaluations = 500}});
  const sim::Plan plan = PlacedOn({0, 0, 1, 1, 2, 2});
  std::vector<Move> moves;
  std::vector<sim::Plan> plans;
  for (std::size_t op = 0; op < 6; ++op) {
    for (std::size_t device = 0; device < 3; ++device) {
      moves.push_back({{.op = OpId(op), .device = DeviceId(device)}});
      plans.push_back(plan);
      plans.back().placement[op] = DeviceId(device);
    }
  }
  for (int round = 0; round < 3; ++round) {
    const auto found = by_moves.EvaluateNeighbours(plan, moves);
    const auto neighbours = by_plans.EvaluateNeighbours(plan, plans);
    ASSERT_EQ(found.size(), plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const auto alone = by_plans.Evaluate(plans[i]);
      EXPECT_EQ(found[i].result, alone->result);
      EXPECT_EQ(neighbours[i].result, alone->result);
    }
  }
}

TEST(ContiguousEvaluatorTest, ASplitPlanLosesItsOrder) {
  const auto problem = Chain(
      {2, 3, 5},
      2,
      {.tasks = kBothTasks, .default_queue = sim::QueueDiscipline::kOrder, .contiguous = true});
  sim::Plan plan = PlacedOn({0, 1, 0});
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order = {{{OpId(0), OpId(2)}}, {{OpId(1)}}};
  const sim::Plan asked = AsAsked(*problem, plan);
  EXPECT_EQ(asked.queue, sim::QueueDiscipline::kProgram);
  EXPECT_TRUE(asked.order.empty());
  Evaluator evaluator(problem, {.budget = {.evaluations = 1}});
  EXPECT_EQ(evaluator.Evaluate(plan)->result.makespan, Microseconds(11));
}

}  // namespace
}  // namespace opyard::env
