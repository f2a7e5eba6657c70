// Every agent searches for what the problem asks for, be it time, memory or both.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "env/objective.h"
#include "tests/agents/problems.h"

namespace opyard::agents {
namespace {

using testing::AgentsUnderTest;
using testing::ConformanceProblems;
using testing::kBoth;
using testing::NamedProblem;
using testing::Outcome;
using testing::RunAgent;

constexpr env::Objective kPeakMemory{.kind = env::ObjectiveKind::kPeakMemory};
constexpr env::Objective kWeighted{
    .kind = env::ObjectiveKind::kWeighted, .makespan_weight = 1.0, .peak_memory_weight = 3.0};

std::shared_ptr<const env::Problem> With(const env::Objective& objective,
                                         const env::Problem& problem) {
  env::ProblemSpec spec = problem.spec();
  spec.settings.objective = objective;
  return std::make_shared<const env::Problem>(std::move(spec));
}

class ObjectiveTest : public ::testing::TestWithParam<std::string> {};
class SearchObjectiveTest : public ::testing::TestWithParam<std::string> {};

template <class IsWanted>
std::vector<std::string> AgentNames(const IsWanted& is_wanted) {
  std::vector<std::string> names;
  const AgentRegistry registry = AgentsUnderTest();
  for (const AgentEntry& entry : registry.entries()) {
    if (is_wanted(entry.info)) {
      names.push_back(entry.info.name);
    }
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Registry,
                         ObjectiveTest,
                         ::testing::ValuesIn(AgentNames([](const AgentInfo&) { return true; })),
                         [](const auto& agent) { return testing::TestName(agent.param); });
INSTANTIATE_TEST_SUITE_P(Registry,
                         SearchObjectiveTest,
                         ::testing::ValuesIn(AgentNames([](const AgentInfo& agent) {
                           return agent.kind == AgentKind::kSearch;
                         })),
                         [](const auto& agent) { return testing::TestName(agent.param); });

TEST_P(ObjectiveTest, TheBestIsTheLeastOfAllThatItEvaluated) {
  for (const env::Objective& objective : {kPeakMemory, kWeighted}) {
    for (const NamedProblem& named : ConformanceProblems(kBoth)) {
      SCOPED_TRACE(named.name);
      const auto problem = With(objective, *named.problem);
      std::vector<double> scores;
      env::Evaluator evaluator(
          problem,
          {.budget = {.evaluations = 80},
           .on_evaluation = [&](const sim::Plan&, const env::Evaluation& evaluation) {
             if (evaluation.is_feasible()) {
               scores.push_back(evaluation.score);
             }
           }});
      Rng rng(3);
      AgentsUnderTest().Make(GetParam(), {})->Search(*problem, evaluator, rng, {});

      ASSERT_TRUE(evaluator.best().has_value());
      const env::Evaluation& best = evaluator.best()->evaluation;
      ASSERT_EQ(best.is_feasible(), !scores.empty());
      if (best.is_feasible()) {
        EXPECT_EQ(best.score, std::ranges::min(scores));
        if (objective.kind == env::ObjectiveKind::kPeakMemory) {
          EXPECT_EQ(best.score, static_cast<double>(best.result.peak_memory.count));
        }
      }
    }
  }
}

// Rules plan for time whatever is asked for.
TEST_P(SearchObjectiveTest, AskedForMemoryItFindsNoMoreThanAskedForTime) {
  for (const NamedProblem& named : ConformanceProblems(kBoth)) {
    SCOPED_TRACE(named.name);
    const Outcome memory =
        RunAgent(GetParam(), With(kPeakMemory, *named.problem), {.evaluations = 600});
    const Outcome time = RunAgent(GetParam(), named.problem, {.evaluations = 600});
    EXPECT_LE(memory.best->evaluation.result.peak_memory, time.best->evaluation.result.peak_memory);
  }
}

}  // namespace
}  // namespace opyard::agents
