#include "env/plan_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/action_codec.h"
#include "env/evaluator.h"
#include "sim/engine/run/workspace.h"
#include "tests/env/small_problems.h"

namespace opyard::env {
namespace {

using ::opyard::testing::MakeGraph;
using ::opyard::testing::MeshMachine;
using ::opyard::testing::Microseconds;
using ::opyard::testing::PlacedOn;
using ::opyard::testing::PlacedWithPriorities;
using ::opyard::testing::TimedOp;
using ::testing::ElementsAre;

// a (3) on d0 feeds b (2) on d1, which also has c (4), ready from the beginning. Times in
// microseconds; links carry the 1000 bytes of each output in one.
std::shared_ptr<const Problem> ProblemIn(sim::QueueDiscipline queue,
                                         TaskSet tasks,
                                         const sim::HardwareProfile& machine = MeshMachine(2)) {
  return std::make_shared<const Problem>(
      ProblemSpec{.graph = MakeGraph({TimedOp("a", 3), TimedOp("b", 2, {{0, 0}}), TimedOp("c", 4)}),
                  .hardware = std::make_shared<const sim::HardwareProfile>(machine),
                  .settings = {.tasks = tasks, .default_queue = queue}});
}

constexpr TaskSet kBoth{.placement = true, .scheduling = true};

SimTime MakespanOf(const Problem& problem, const sim::Plan& plan) {
  sim::Workspace workspace;
  return EvaluateUncounted(problem, plan, workspace).result.makespan;
}

TEST(PlanQueueTest, LeavesPlansOfOtherQueuesAsTheyAre) {
  const auto problem = ProblemIn(sim::QueueDiscipline::kPriority, kBoth);
  const sim::Plan plan = PlacedWithPriorities({0, 1, 1}, {3, 2, 1});
  EXPECT_EQ(InQueueOf(*problem, plan), plan);
}

TEST(PlanQueueTest, ProgramDropsPriorities) {
  const auto problem = ProblemIn(sim::QueueDiscipline::kProgram, kBoth);
  const sim::Plan plan = InQueueOf(*problem, PlacedWithPriorities({0, 1, 1}, {1, 2, 3}));
  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kProgram);
  EXPECT_TRUE(plan.op_priority.empty());
  // By index a, b, c: c waits behind b, which has its input at 4 and runs 4–6; c 6–10.
  EXPECT_EQ(MakespanOf(*problem, PlacedWithPriorities({0, 1, 1}, {1, 2, 3})), Microseconds(10));
}

TEST(PlanQueueTest, OrderIsThatOfTheRunWithPriorities) {
  const auto problem = ProblemIn(sim::QueueDiscipline::kOrder, kBoth);
  // b has the highest priority, but c is ready before it: c 0–4, b 4–6.
  const sim::Plan plan = PlacedWithPriorities({0, 1, 1}, {2, 9, 1});
  EXPECT_EQ(InQueueOf(*problem, plan), plan);
  EXPECT_EQ(MakespanOf(*problem, plan), Microseconds(6));
  const sim::Plan ordered = InStreamsOf(*problem, plan);
  EXPECT_THAT(ordered.order[1], ElementsAre(ElementsAre(OpId(2), OpId(1))));
  EXPECT_EQ(MakespanOf(*problem, ordered), Microseconds(6));
}

TEST(PlanQueueTest, OrderWithoutPrioritiesIsThatOfTheFifoRun) {
  const auto problem = ProblemIn(sim::QueueDiscipline::kOrder, kBoth);
  EXPECT_EQ(DefaultPlan(*problem).queue, sim::QueueDiscipline::kFifo);
  EXPECT_THAT(InStreamsOf(*problem, PlacedOn({0, 1, 1})).order[1],
              ElementsAre(ElementsAre(OpId(2), OpId(1))));
}

// Its transfers wait for each other, each with the priority of its own consumer, which streams
// cannot say.
TEST(PlanQueueTest, OrderIsThatOfAListScheduleWhereNoStreamsRepeatTheRun) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.transfers.one_per = sim::OnePer::kEdge;
  const auto problem = ProblemIn(sim::QueueDiscipline::kOrder, kBoth, machine);
  // b has the highest priority, but a comes before it: a, b, c.
  EXPECT_THAT(InQueueOf(*problem, PlacedWithPriorities({0, 1, 1}, {2, 9, 1})).order[1],
              ElementsAre(ElementsAre(OpId(1), OpId(2))));
  EXPECT_THAT(InQueueOf(*problem, PlacedWithPriorities({0, 1, 1}, {2, 1, 9})).order[1],
              ElementsAre(ElementsAre(OpId(2), OpId(1))));
}

TEST(PlanQueueTest, AStepThatDoesNotFitHasTheOrderOfItsPriorities) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[1].memory = Bytes{1};
  const auto problem = ProblemIn(sim::QueueDiscipline::kOrder, kBoth, machine);
  EXPECT_THAT(InStreamsOf(*problem, PlacedWithPriorities({0, 1, 1}, {2, 9, 1})).order[1],
              ElementsAre(ElementsAre(OpId(1), OpId(2))));
}

TEST(PlanQueueTest, OrderOfAPlanStays) {
  const auto problem = ProblemIn(sim::QueueDiscipline::kOrder, kBoth);
  sim::Plan plan = PlacedOn({0, 1, 1});
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order = {{{OpId(0)}}, {{OpId(2)}, {OpId(1)}}};
  EXPECT_EQ(InQueueOf(*problem, plan), plan);
}

TEST(PlanQueueTest, OrderWithoutSchedulingIsProgram) {
  const auto problem = ProblemIn(sim::QueueDiscipline::kOrder, {.placement = true});
  EXPECT_EQ(InQueueOf(*problem, PlacedWithPriorities({0, 1, 1}, {1, 2, 3})).queue,
            sim::QueueDiscipline::kProgram);
  EXPECT_EQ(DefaultPlan(*problem).queue, sim::QueueDiscipline::kProgram);
}

TEST(PlanQueueTest, NeighboursAreEvaluatedInTheQueueOfTheProblem) {
  const auto problem = ProblemIn(sim::QueueDiscipline::kOrder, kBoth);
  const sim::Plan plan = PlacedWithPriorities({0, 1, 1}, {2, 9, 1});
  Evaluator evaluator(problem, {});
  const Move move = {{.op = OpId(2), .device = DeviceId(1), .priority = 20}};
  for (int i = 0; i < 5; ++i) {  // from the fourth on a run would be remembered
    const auto evaluations = evaluator.EvaluateNeighbours(plan, std::span(&move, 1));
    EXPECT_EQ(evaluations.front().result.makespan, Microseconds(6));  // c before b
  }
}

TEST(PlanQueueTest, NeighboursInAProgramAreEvaluatedAsPrograms) {
  const auto problem = ProblemIn(sim::QueueDiscipline::kProgram, kBoth);
  const sim::Plan plan = PlacedWithPriorities({0, 1, 1}, {2, 9, 1});
  for (const DeviceId device : {DeviceId(0), DeviceId(1)}) {
    Evaluator evaluator(problem, {});
    const Move move = {{.op = OpId(2), .device = device, .priority = 20}};
    sim::Plan changed = plan;
    sim::Apply(move, changed);
    const Evaluation whole = *evaluator.Evaluate(changed);
    for (int i = 0; i < 5; ++i) {  // from the fourth on the run is remembered
      EXPECT_EQ(evaluator.EvaluateNeighbours(plan, std::span(&move, 1)).front().result,
                whole.result);
    }
  }
}

TEST(PlanQueueTest, NeighboursThatArePlansAreEvaluatedAsThosePlans) {
  const auto problem = ProblemIn(sim::QueueDiscipline::kOrder, kBoth);
  sim::Plan plan = PlacedOn({0, 1, 1});
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order = {{{OpId(0)}}, {{OpId(1), OpId(2)}}};
  sim::Plan swapped = plan;
  swapped.order = {{{OpId(0)}}, {{OpId(2), OpId(1)}}};
  const std::vector<sim::Plan> neighbours = {
      swapped, plan, PlacedWithPriorities({0, 1, 1}, {2, 9, 1}), PlacedOn({0, 0, 0})};
  Evaluator evaluator(problem, {});
  const std::vector<Evaluation> whole = evaluator.Evaluate(neighbours);
  EXPECT_NE(whole[0].score, whole[1].score);
  for (int i = 0; i < 3; ++i) {  // from the second on the run is remembered
    const std::vector<Evaluation> found = evaluator.EvaluateNeighbours(plan, neighbours);
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      EXPECT_EQ(found[k].result, whole[k].result);
    }
  }
  EXPECT_EQ(evaluator.num_evaluations(), 16);
  EXPECT_TRUE(evaluator.EvaluateNeighbours(plan, neighbours, 1e-9).front().is_cut_off());
}

}  // namespace
}  // namespace opyard::env
