#include <gtest/gtest.h>

#include "agents/planning/simple_plans.h"
#include "agents/search/simulated_annealing/moves.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;

std::shared_ptr<const env::Problem> EightOps(env::TaskSet tasks) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 8; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i));
  }
  return MakeProblem(MakeGraph(ops), MeshMachine(3), tasks);
}

std::size_t NumDifferences(const Decisions& a, const Decisions& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.device_of_group.size(); ++i) {
    count += a.device_of_group[i] == b.device_of_group[i] ? 0 : 1;
  }
  for (std::size_t i = 0; i < a.priority_of_group.size(); ++i) {
    count += a.priority_of_group[i] == b.priority_of_group[i] ? 0 : 1;
  }
  for (std::size_t i = 0; i < a.fusion_of_group.size(); ++i) {
    count += a.fusion_of_group[i] == b.fusion_of_group[i] ? 0 : 1;
  }
  return count;
}

TEST(MovesTest, ARunOfOneChangesOneDecision) {
  const auto problem = EightOps(testing::kBoth);
  const Moves moves(*problem, {.num_levels = 5, .longest_run = 1});
  const Decisions state = SimpleStarts(*problem, 5).front();
  Rng rng(1);
  int num_device_moves = 0;
  for (int i = 0; i < 400; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    EXPECT_EQ(NumDifferences(state, next), 1U);
    num_device_moves += next.device_of_group != state.device_of_group ? 1 : 0;
  }
  // Half of 400; standard deviation 10; five of them.
  EXPECT_NEAR(num_device_moves, 200, 50);
}

TEST(MovesTest, EachTaskHasAnEqualShareOfTheMoves) {
  const auto problem = EightOps(testing::kAll);
  const Moves moves(*problem, {.num_levels = 5, .longest_run = 1});
  const Decisions state = SimpleStarts(*problem, 5).front();
  Rng rng(1);
  int num_device_moves = 0;
  int num_fusion_moves = 0;
  for (int i = 0; i < 600; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    EXPECT_EQ(NumDifferences(state, next), 1U);
    num_device_moves += next.device_of_group != state.device_of_group ? 1 : 0;
    num_fusion_moves += next.fusion_of_group != state.fusion_of_group ? 1 : 0;
  }
  // A third of 600; standard deviation 12; five of them.
  EXPECT_NEAR(num_device_moves, 200, 60);
  EXPECT_NEAR(num_fusion_moves, 200, 60);
}

TEST(MovesTest, ARunMovesNeighboursTogether) {
  const auto problem = EightOps(testing::kPlacement);
  const Moves moves(*problem, {.longest_run = 4});
  const Decisions state{.device_of_group = std::vector<DeviceId>(8)};
  Rng rng(1);
  std::size_t longest = 0;
  for (int i = 0; i < 200; ++i) {
    const Decisions next = moves.Neighbour(state, rng);
    const std::size_t length = NumDifferences(state, next);
    EXPECT_GE(length, 1U);
    EXPECT_LE(length, 4U);
    longest = std::max(longest, length);
    // The ops are independent, so that topological neighbours are neighbours by number.
    std::size_t num_edges = 0;
    for (std::size_t g = 1; g < 8; ++g) {
      num_edges += next.device_of_group[g] == next.device_of_group[g - 1] ? 0 : 1;
    }
    EXPECT_LE(num_edges, 2U);
  }
  EXPECT_EQ(longest, 4U);
}

TEST(MovesTest, GroupsWithoutAChoiceStay) {
  std::vector<sim::OpSpec> ops{TimedOp("host", 2), TimedOp("a", 3), TimedOp("b", 5)};
  ops[0].device_kinds = sim::DeviceKindSet::None();
  ops[0].device_kinds.Insert(sim::DeviceKind::kCpu);
  const auto problem = MakeProblem(MakeGraph(ops), testing::MeshWithCpu(2));
  const Moves moves(*problem, {.longest_run = 3});
  Decisions state = SimpleStarts(*problem, 1).front();
  Rng rng(4);
  for (int i = 0; i < 200; ++i) {
    state = moves.Neighbour(state, rng);
    EXPECT_EQ(state.device_of_group[0], DeviceId(std::int32_t{2}));
  }
}

TEST(SimulatedAnnealingTest, FindsTheBestPlacementOfSmallGraphs) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    if (named.problem->graph().num_ops() > 8) {
      continue;
    }
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent("simulated_annealing", named.problem, {.evaluations = 600});
    EXPECT_EQ(outcome.best->evaluation.result.makespan,
              testing::BestMakespanByBruteForce(named.problem));
  }
}

TEST(SimulatedAnnealingTest, FindsTheBestPlacementFromARandomStart) {
  Options options;
  options.Set("start", std::string("random"));
  const auto problem = EightOps(testing::kPlacement);
  const Outcome outcome =
      RunAgent("simulated_annealing", problem, {.evaluations = 1000, .options = options});
  EXPECT_EQ(outcome.best->evaluation.result.makespan, testing::BestMakespanByBruteForce(problem));
}

TEST(SimulatedAnnealingTest, DoesNotLoseToOneDevice) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    SCOPED_TRACE(named.name);
    const Outcome alone = RunAgent("single_device", named.problem, {});
    const Outcome annealed = RunAgent("simulated_annealing", named.problem, {.evaluations = 20});
    EXPECT_LE(annealed.best->evaluation.score, alone.best->evaluation.score);
  }
}

TEST(SimulatedAnnealingTest, SpendsTheWholeBudget) {
  for (const std::int64_t restarts : {0, 3}) {
    Options options;
    options.Set("restarts", restarts);
    const Outcome outcome = RunAgent(
        "simulated_annealing", EightOps(testing::kBoth), {.evaluations = 333, .options = options});
    EXPECT_EQ(outcome.num_evaluations, 333);
  }
}

TEST(SimulatedAnnealingTest, GivingUpHopelessRunsChangesNoDecision) {
  for (const env::TaskSet tasks : {testing::kPlacement, testing::kBoth}) {
    for (const testing::NamedProblem& named : testing::ConformanceProblems(tasks)) {
      SCOPED_TRACE(named.name);
      Options whole;
      whole.Set("incremental", false);
      const Outcome slow =
          RunAgent("simulated_annealing", named.problem, {.evaluations = 300, .options = whole});
      const Outcome fast = RunAgent("simulated_annealing", named.problem, {.evaluations = 300});
      EXPECT_EQ(fast.best->plan, slow.best->plan);
      ASSERT_EQ(fast.history.size(), slow.history.size());
      for (std::size_t i = 0; i < fast.history.size(); ++i) {
        EXPECT_EQ(fast.history[i].evaluations, slow.history[i].evaluations);
        EXPECT_EQ(fast.history[i].result, slow.history[i].result);
      }
    }
  }
}

}  // namespace
}  // namespace opyard::agents
