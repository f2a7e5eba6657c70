// Conformance of every registered agent to agents/base/agent.h, on every small problem.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/encoding/random_decisions.h"
#include "sim/base/error.h"
#include "sim/plan/validate.h"
#include "tests/agents/problems.h"

namespace opyard::agents {
namespace {

using testing::AgentsUnderTest;
using testing::ConformanceProblems;
using ::testing::HasSubstr;
using testing::kAll;
using testing::kBoth;
using testing::kFusion;
using testing::kPlacement;
using testing::kScheduling;
using testing::NamedProblem;
using testing::Outcome;
using testing::RunAgent;

std::vector<std::string> AgentNames() {
  std::vector<std::string> names;
  const AgentRegistry registry = AgentsUnderTest();
  for (const AgentEntry& entry : registry.entries()) {
    names.push_back(entry.info.name);
  }
  return names;
}

std::vector<std::string> SearchAgentNames() {
  std::vector<std::string> names;
  const AgentRegistry registry = AgentsUnderTest();
  for (const AgentEntry& entry : registry.entries()) {
    if (entry.info.kind == AgentKind::kSearch) {
      names.push_back(entry.info.name);
    }
  }
  return names;
}

class ConformanceTest : public ::testing::TestWithParam<std::string> {};
class SearchConformanceTest : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SearchConformanceTest);  // none of them is learned

INSTANTIATE_TEST_SUITE_P(Registry,
                         ConformanceTest,
                         ::testing::ValuesIn(AgentNames()),
                         [](const auto& agent) { return testing::TestName(agent.param); });
INSTANTIATE_TEST_SUITE_P(Registry,
                         SearchConformanceTest,
                         ::testing::ValuesIn(SearchAgentNames()),
                         [](const auto& agent) { return testing::TestName(agent.param); });

// The evaluator throws PlanError at the first illegal plan, so that a search that returns has asked
// for legal plans only.
TEST_P(ConformanceTest, AsksForLegalPlansOnly) {
  for (const env::TaskSet tasks : {kPlacement, kScheduling, kBoth, kFusion, kAll}) {
    for (const NamedProblem& named : ConformanceProblems(tasks)) {
      SCOPED_TRACE(named.name);
      const Outcome outcome = RunAgent(GetParam(), named.problem, {.evaluations = 60});
      ASSERT_TRUE(outcome.best.has_value());
      EXPECT_NO_THROW(
          sim::ValidatePlan(named.problem->graph(), named.problem->hardware(), outcome.best->plan));
    }
  }
}

TEST_P(ConformanceTest, ColocatedOpsStayTogether) {
  for (const NamedProblem& named : ConformanceProblems(kBoth)) {
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent(GetParam(), named.problem, {.evaluations = 60});
    const std::vector<std::int32_t>& group_of = named.problem->grouping().group_of;
    for (std::size_t i = 0; i < group_of.size(); ++i) {
      for (std::size_t j = i + 1; j < group_of.size(); ++j) {
        if (group_of[i] == group_of[j]) {
          EXPECT_EQ(outcome.best->plan.placement[i], outcome.best->plan.placement[j]);
        }
      }
    }
  }
}

TEST_P(ConformanceTest, SameSeedGivesSameHistoryOnOneAndTwoThreads) {
  for (const NamedProblem& named : ConformanceProblems(kAll)) {
    SCOPED_TRACE(named.name);
    const Outcome one = RunAgent(GetParam(), named.problem, {.evaluations = 150, .num_threads = 1});
    const Outcome two = RunAgent(GetParam(), named.problem, {.evaluations = 150, .num_threads = 2});
    EXPECT_EQ(one.num_evaluations, two.num_evaluations);
    EXPECT_EQ(one.num_failures, two.num_failures);
    ASSERT_EQ(one.history.size(), two.history.size());
    for (std::size_t i = 0; i < one.history.size(); ++i) {
      EXPECT_EQ(one.history[i].evaluations, two.history[i].evaluations);
      EXPECT_EQ(one.history[i].score, two.history[i].score);
      EXPECT_EQ(one.history[i].result, two.history[i].result);
    }
    EXPECT_EQ(one.best->plan, two.best->plan);
  }
}

// Experiments run such an agent once, not once a seed.
TEST_P(ConformanceTest, OneThatSamplesNothingHasTheSameHistoryWithEverySeed) {
  if (!AgentsUnderTest().Get(GetParam()).info.is_deterministic) {
    return;
  }
  for (const env::TaskSet tasks : {kBoth, kAll}) {
    for (const NamedProblem& named : ConformanceProblems(tasks)) {
      SCOPED_TRACE(named.name);
      const Outcome one = RunAgent(GetParam(), named.problem, {.evaluations = 150, .seed = 1});
      const Outcome two = RunAgent(GetParam(), named.problem, {.evaluations = 150, .seed = 2});
      EXPECT_EQ(one.num_evaluations, two.num_evaluations);
      ASSERT_EQ(one.history.size(), two.history.size());
      for (std::size_t i = 0; i < one.history.size(); ++i) {
        EXPECT_EQ(one.history[i].evaluations, two.history[i].evaluations);
        EXPECT_EQ(one.history[i].result, two.history[i].result);
      }
      EXPECT_EQ(one.best->plan, two.best->plan);
    }
  }
}

TEST_P(SearchConformanceTest, DoesNotSayThatItSamplesNothing) {
  EXPECT_FALSE(AgentsUnderTest().Get(GetParam()).info.is_deterministic);
}

TEST_P(ConformanceTest, NeverExceedsItsBudget) {
  for (const NamedProblem& named : ConformanceProblems(kBoth)) {
    SCOPED_TRACE(named.name);
    for (const std::int64_t evaluations : {0, 1, 2, 7, 33}) {
      const Outcome outcome = RunAgent(GetParam(), named.problem, {.evaluations = evaluations});
      EXPECT_LE(outcome.num_evaluations, evaluations);
      EXPECT_EQ(outcome.best.has_value(), evaluations > 0);
    }
  }
}

TEST_P(ConformanceTest, AnInterruptLeavesTheBestSoFar) {
  for (const NamedProblem& named : ConformanceProblems(kBoth)) {
    SCOPED_TRACE(named.name);
    InterruptFlag interrupt;
    // No budget: only the interrupt ends the searches that go on for ever.
    env::Evaluator evaluator(
        named.problem,
        {.interrupt = &interrupt, .on_progress = [&interrupt](const env::Evaluator& progress) {
           if (progress.num_evaluations() >= 40) {
             interrupt.Raise();
           }
         }});
    Rng rng(5);
    AgentsUnderTest().Make(GetParam(), {})->Search(*named.problem, evaluator, rng, {});
    ASSERT_TRUE(evaluator.best().has_value());
    // The batch under way when the 40th evaluation ends is the last: none has more than 100 plans.
    EXPECT_LT(evaluator.num_evaluations(), 40 + 100);
    EXPECT_NO_THROW(sim::ValidatePlan(
        named.problem->graph(), named.problem->hardware(), evaluator.best()->plan));
  }
}

TEST_P(ConformanceTest, AnInterruptBeforeTheStartEvaluatesNothing) {
  const NamedProblem named = ConformanceProblems(kBoth).back();
  InterruptFlag interrupt;
  interrupt.Raise();
  env::Evaluator evaluator(named.problem, {.interrupt = &interrupt});
  Rng rng(5);
  AgentsUnderTest().Make(GetParam(), {})->Search(*named.problem, evaluator, rng, {});
  EXPECT_EQ(evaluator.num_evaluations(), 0);
}

TEST_P(ConformanceTest, KeepsTheDefaultPlacementWherePlacementIsNoTask) {
  for (const NamedProblem& named : ConformanceProblems(kScheduling)) {
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent(GetParam(), named.problem, {.evaluations = 60});
    EXPECT_EQ(outcome.best->plan.placement, named.problem->default_placement());
  }
}

TEST_P(ConformanceTest, SetsNoPrioritiesWhereSchedulingIsNoTask) {
  for (const NamedProblem& named : ConformanceProblems(kPlacement)) {
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent(GetParam(), named.problem, {.evaluations = 60});
    EXPECT_TRUE(outcome.best->plan.op_priority.empty());
    EXPECT_EQ(outcome.best->plan.queue, sim::QueueDiscipline::kFifo);
  }
}

TEST_P(ConformanceTest, KeepsTheDefaultFusionWhereFusionIsNoTask) {
  for (const NamedProblem& named : ConformanceProblems(kBoth)) {
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent(GetParam(), named.problem, {.evaluations = 60});
    EXPECT_EQ(outcome.best->plan.fusion_priority, named.problem->default_fusion_priority());
  }
}

// An agent is turned away where it names no open task, so it names what it decides and no more.
TEST_P(ConformanceTest, DecidesTheTasksThatItNames) {
  const std::vector<std::string> named_tasks = AgentsUnderTest().Get(GetParam()).info.tasks;
  const auto decides = [&](const std::string& task) {
    return std::ranges::find(named_tasks, task) != named_tasks.end();
  };
  bool has_placement = false;
  bool has_priorities = false;
  bool has_fusion = false;
  for (const NamedProblem& named : ConformanceProblems(kAll)) {
    SCOPED_TRACE(named.name);
    env::Evaluator evaluator(
        named.problem,
        {.budget = {.evaluations = 60}, .on_evaluation = [&](const sim::Plan& plan, const auto&) {
           has_placement |= plan.placement != named.problem->default_placement();
           has_priorities |= !plan.op_priority.empty();
           has_fusion |= plan.fusion_priority != named.problem->default_fusion_priority();
         }});
    Rng rng(1);
    AgentsUnderTest().Make(GetParam(), {})->Search(*named.problem, evaluator, rng, {});
  }
  if (GetParam() == "framework_default") {  // it decides, for what these problems have already
    EXPECT_FALSE(has_placement || has_priorities || has_fusion);
    return;
  }
  EXPECT_EQ(has_placement, decides("placement"));
  EXPECT_EQ(has_priorities, decides("scheduling"));
  EXPECT_EQ(has_fusion, decides("fusion"));
}

TEST_P(ConformanceTest, EvaluatesTheDefaultPlanOnceWhereNothingIsOpen) {
  for (const NamedProblem& named : ConformanceProblems({.placement = false, .scheduling = false})) {
    SCOPED_TRACE(named.name);
    const Outcome outcome = RunAgent(GetParam(), named.problem, {.evaluations = 60});
    EXPECT_EQ(outcome.num_evaluations, 1);
    EXPECT_EQ(outcome.best->plan.placement, named.problem->default_placement());
  }
}

TEST_P(ConformanceTest, AnAgentMayBeUsedAgain) {
  const NamedProblem named = ConformanceProblems(kBoth).back();
  const std::unique_ptr<Agent> agent = AgentsUnderTest().Make(GetParam(), {});
  std::vector<double> scores;
  for (int i = 0; i < 2; ++i) {
    env::Evaluator evaluator(named.problem, {.budget = {.evaluations = 50}});
    Rng rng(9);
    agent->Search(*named.problem, evaluator, rng, {});
    scores.push_back(evaluator.best()->evaluation.score);
  }
  EXPECT_EQ(scores[0], scores[1]);
}

// Its schedule, its population and its restarts follow the part, not the whole.
TEST_P(ConformanceTest, TakesTheCourseInAPartOfABudgetThatItTakesAlone) {
  for (const NamedProblem& named : ConformanceProblems(kAll)) {
    SCOPED_TRACE(named.name);
    const Outcome alone = RunAgent(GetParam(), named.problem, {.evaluations = 60, .seed = 4});
    env::Evaluator whole(named.problem, {.budget = {.evaluations = 100}});
    env::Evaluator part = whole.Slice(env::Budget{.evaluations = 60});
    Rng rng(4);
    AgentsUnderTest().Make(GetParam(), {})->Search(*named.problem, part, rng, {});

    EXPECT_EQ(whole.num_evaluations(), alone.num_evaluations);
    EXPECT_EQ(whole.num_failures(), alone.num_failures);
    EXPECT_EQ(whole.best()->plan, alone.best->plan);
    ASSERT_EQ(part.history().size(), alone.history.size());
    for (std::size_t i = 0; i < alone.history.size(); ++i) {
      EXPECT_EQ(part.history()[i].evaluations, alone.history[i].evaluations);
      EXPECT_EQ(part.history()[i].result, alone.history[i].result);
    }
  }
}

// True if no two ops stand in `found` the other way round than in `expected`.
bool HaveOneOrder(const std::vector<std::int64_t>& expected,
                  const std::vector<std::int64_t>& found) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < expected.size(); ++j) {
      if (expected[i] < expected[j] && found[i] >= found[j]) {
        return false;
      }
    }
  }
  return true;
}

// Ties of the start may be broken, and priorities become levels or keys.
TEST_P(SearchConformanceTest, BeginsAtTheStartThatItIsGiven) {
  for (const NamedProblem& named : ConformanceProblems(kAll)) {
    SCOPED_TRACE(named.name);
    Rng rng(11);
    const sim::Plan expected = ToPlan(*named.problem, RandomDecisions(*named.problem, 7, rng));
    std::vector<sim::Plan> evaluated;
    env::Evaluator evaluator(
        named.problem,
        {.budget = {.evaluations = 3},
         .on_evaluation = [&](const sim::Plan& plan, const auto&) { evaluated.push_back(plan); }});
    AgentsUnderTest()
        .Make(GetParam(), {})
        ->Search(*named.problem, evaluator, rng, {.start = expected});

    ASSERT_FALSE(evaluated.empty());
    EXPECT_EQ(evaluated.front().placement, expected.placement);
    EXPECT_EQ(evaluated.front().fusion_priority, expected.fusion_priority);
    EXPECT_TRUE(HaveOneOrder(expected.op_priority, evaluated.front().op_priority));
  }
}

// A copy, which outlives the registry.
AgentInfo InfoOf(const std::string& agent) {
  return AgentsUnderTest().Get(agent).info;
}

// The agent's answer to a value of an option.
std::string AnswerTo(const std::string& agent, const std::string& option, OptionValue value) {
  try {
    static_cast<void>(AgentsUnderTest().Make(agent, Options({{option, std::move(value)}})));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_P(ConformanceTest, TakesTheOptionsThatItDescribesAndNoOthers) {
  std::vector<std::string> described;
  const AgentInfo info = InfoOf(GetParam());
  for (const OptionInfo& option : info.options) {
    described.push_back(option.name);
  }
  std::ranges::sort(described);
  EXPECT_THAT(AnswerTo(GetParam(), "no such option", true),
              HasSubstr(described.empty() ? "it takes none" : "it takes " + JoinNames(described)));
}

TEST_P(ConformanceTest, TakesTheDefaultOfEachOption) {
  const AgentInfo info = InfoOf(GetParam());
  for (const OptionInfo& option : info.options) {
    EXPECT_EQ(AnswerTo(GetParam(), option.name, option.default_value), "");
  }
}

// The next number beyond an end of a range.
OptionValue Beyond(const OptionValue& end, int step) {
  if (const auto* whole = std::get_if<std::int64_t>(&end)) {
    return *whole + step;
  }
  return std::nextafter(std::get<double>(end), step * std::numeric_limits<double>::infinity());
}

TEST_P(ConformanceTest, RefusesWhatIsBeyondTheRangeOfAnOption) {
  const AgentInfo info = InfoOf(GetParam());
  for (const OptionInfo& option : info.options) {
    if (option.range.has_value()) {
      EXPECT_EQ(AnswerTo(GetParam(), option.name, option.range->low), "");
      EXPECT_EQ(AnswerTo(GetParam(), option.name, option.range->high), "");
      for (const OptionValue& value :
           {Beyond(option.range->low, -1), Beyond(option.range->high, 1)}) {
        EXPECT_THAT(AnswerTo(GetParam(), option.name, value),
                    HasSubstr("option " + option.name + ": found"));
      }
    } else if (!option.allowed.empty()) {
      EXPECT_THAT(AnswerTo(GetParam(), option.name, "no such word"),
                  HasSubstr("option " + option.name + ": found"));
    }
  }
}

TEST_P(ConformanceTest, TakesEveryAllowedWord) {
  const AgentInfo info = InfoOf(GetParam());
  for (const OptionInfo& option : info.options) {
    for (const OptionValue& word : option.allowed) {
      EXPECT_EQ(AnswerTo(GetParam(), option.name, word), "");
    }
  }
}

// Pages and terminals lay these phrases out in tables.
TEST_P(ConformanceTest, SaysWhatItIsInSentencesAndPhrasesOfOneLine) {
  const AgentInfo info = InfoOf(GetParam());
  EXPECT_FALSE(info.tasks.empty());
  EXPECT_TRUE(info.summary.ends_with('.')) << info.summary;
  for (const OptionInfo& option : info.options) {
    SCOPED_TRACE(option.name);
    EXPECT_FALSE(option.meaning.ends_with('.'));
    for (const std::string& text : {option.meaning, option.paper}) {
      EXPECT_EQ(text.find_first_of("\n|"), std::string::npos);
    }
  }
  for (const std::string& deviation : info.deviations) {
    EXPECT_TRUE(deviation.ends_with('.')) << deviation;
  }
}

}  // namespace
}  // namespace opyard::agents
