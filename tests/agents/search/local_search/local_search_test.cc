#include <gtest/gtest.h>

#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::Outcome;
using testing::RunAgent;

// Independent ops of 2 … 9 µs on three devices.
std::shared_ptr<const env::Problem> EightOps() {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 8; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2 + i));
  }
  return testing::MakeProblem(MakeGraph(ops), MeshMachine(3));
}

Options With(const std::string& name, const OptionValue& value) {
  Options options;
  options.Set(name, value);
  return options;
}

TEST(LocalSearchTest, FindsTheBestPlacementOfSmallGraphs) {
  for (const testing::NamedProblem& named : testing::ConformanceProblems(testing::kPlacement)) {
    if (named.problem->graph().num_ops() > 8) {
      continue;
    }
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent("local_search", named.problem, {.evaluations = 600});
    EXPECT_EQ(outcome.best->evaluation.result.makespan,
              testing::BestMakespanByBruteForce(named.problem));
  }
}

TEST(LocalSearchTest, FindsTheBestPlacementFromRandomStartsAlone) {
  const SimTime optimum = testing::BestMakespanByBruteForce(EightOps());
  for (const auto& [name, value] : {std::pair("faithful", OptionValue(true)),
                                    std::pair("start", OptionValue(std::string("random"))),
                                    std::pair("restart", OptionValue(std::string("random")))}) {
    SCOPED_TRACE(name);
    const Outcome outcome =
        RunAgent("local_search", EightOps(), {.evaluations = 1000, .options = With(name, value)});
    EXPECT_EQ(outcome.best->evaluation.result.makespan, optimum);
  }
}

TEST(LocalSearchTest, TheFaithfulOneDescendsStepByStep) {
  // The first of 17 evaluations is the random start, the other 16 are all other placements of one
  // of eight ops on three devices: the history holds improvements of that start alone.
  const Outcome one =
      RunAgent("local_search", EightOps(), {.evaluations = 1, .options = With("faithful", true)});
  const Outcome all =
      RunAgent("local_search", EightOps(), {.evaluations = 17, .options = With("faithful", true)});
  std::size_t num_moved = 0;
  for (std::size_t op = 0; op < 8; ++op) {
    num_moved += one.best->plan.placement[op] == all.best->plan.placement[op] ? 0 : 1;
  }
  EXPECT_EQ(num_moved, 1U);
  EXPECT_LT(all.best->evaluation.score, one.best->evaluation.score);
}

TEST(LocalSearchTest, SpendsTheWholeBudget) {
  for (const bool is_faithful : {false, true}) {
    const Outcome outcome = RunAgent(
        "local_search", EightOps(), {.evaluations = 333, .options = With("faithful", is_faithful)});
    EXPECT_EQ(outcome.num_evaluations, 333);
  }
}

}  // namespace
}  // namespace opyard::agents
