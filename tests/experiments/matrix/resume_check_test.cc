#include "experiments/matrix/resume_check.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/result_store.h"
#include "experiments/store/schema.h"
#include "experiments/store/sqlite.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::Workplace;

std::size_t NumRuns(const Workplace& place) {
  return ResultStore::OpenToRead(place.Path("results")).Runs().size();
}

TEST(ResumeCheckTest, TakesMoreSeedsAgentsAndGraphs) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  place.Write("b.graph.json", testing::kTinyGraph);
  const Ended more = place.RunExperiment({"--resume",
                                          "--set",
                                          "seeds=[0, 1, 2]",
                                          "--set",
                                          "agents=[single_device, random, heft]",
                                          "--set",
                                          "graphs=[toy.graph.json, b.graph.json]"});
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(NumRuns(place),
            10U);  // 2 graphs × 1 machine × (random × 3 seeds + two that sample nothing)
}

// One thing differs: the message names it and says what the results were made with.
struct OtherCondition {
  std::string name;
  std::string override_text;
  std::string message;
};

class OtherConditionTest : public ::testing::TestWithParam<OtherCondition> {};

TEST_P(OtherConditionTest, IsRefusedByNameAndChangesNothing) {
  const Workplace place;
  const std::vector<std::string> agents = {
      "--set", "agents=[{name: random, label: r, params: {levels: 3}}]"};
  ASSERT_EQ(place.RunExperiment(agents).status, 0);
  const Ended ended =
      place.RunExperiment({"--resume", agents[0], agents[1], "--set", GetParam().override_text});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("other conditions"));
  EXPECT_THAT(ended.err, HasSubstr("results.sqlite: " + GetParam().message));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 2) << ended.err;
  EXPECT_EQ(NumRuns(place), 2U);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    OtherConditionTest,
    ::testing::Values(
        OtherCondition{"Budget",
                       "budget.evaluations=21",
                       "budget.evaluations: the results were made with 20, the experiment says 21"},
        OtherCondition{"NewLimit",
                       "budget.seconds=9.5",
                       "budget.seconds: the results were made with none, the experiment says 9.5"},
        OtherCondition{"Seeds",
                       "seeds=[1, 2]",
                       "seeds: the results were made with [0,1], the experiment says [1,2]"},
        OtherCondition{"Name",
                       "name=other",
                       "name: the results were made with \"toy\", the experiment says \"other\""},
        OtherCondition{"Objective",
                       "problem.objective=peak_memory",
                       "problem.objective: the results were made with \"makespan\""},
        OtherCondition{"Tasks",
                       "problem.tasks=[placement]",
                       "problem.tasks: the results were made with [\"placement\",\"scheduling\"]"},
        OtherCondition{"Grouping", "max_groups=7", "max_groups: the results were made with 0"},
        OtherCondition{"Parameter",
                       "agents=[{name: random, label: r, params: {levels: 4}}]",
                       "agent r: params.levels: the results were made with 3, the experiment says"},
        OtherCondition{"OwnBudgetGiven",
                       "agents=[{name: random, label: r, params: {levels: 3}, "
                       "budget: {evaluations: 21}}]",
                       "agent r: budget.evaluations: the results were made with 20, the "
                       "experiment says 21"},
        OtherCondition{"Agent",
                       "agents=[{name: brkga, label: r, params: {}}]",
                       "agent r: name: the results were made with \"random\""}),
    [](const auto& param_info) { return param_info.param.name; });

// random has a budget of its own beside single_device, which has the experiment's.
std::string AgentsWithBudget(int evaluations) {
  return "agents=[single_device, {name: random, budget: {evaluations: " +
         std::to_string(evaluations) + "}}]";
}

TEST(ResumeCheckTest, AChangeOfAnAgentsOwnBudgetIsReportedOfThatAgentAlone) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", AgentsWithBudget(7)}).status, 0);
  EXPECT_EQ(place.RunExperiment({"--resume", "--set", AgentsWithBudget(7)}).status, 0);
  const Ended ended = place.RunExperiment({"--resume", "--set", AgentsWithBudget(8)});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("results.sqlite: agent random: budget.evaluations: the results were made "
                        "with 7, the experiment says 8"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 2) << ended.err;
}

TEST(ResumeCheckTest, AnAgentWithABudgetOfItsOwnMayBeLeftOut) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", AgentsWithBudget(7)}).status, 0);
  EXPECT_EQ(place.RunExperiment({"--resume", "--set", "agents=[single_device]"}).status, 0);
}

TEST(ResumeCheckTest, TheExperimentsBudgetAlsoHoldsForRunsThatAreLeftOut) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const Ended ended =
      place.RunExperiment({"--resume", "--set", "agents=[heft]", "--set", "budget.evaluations=21"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("results.sqlite: budget.evaluations: the results were made"));
}

TEST(ResumeCheckTest, RefusesAGraphOrMachineThatHasChanged) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("0.003"), 5, "0.004");
  place.Write("toy.graph.json", graph);
  place.Write("machines/two.yaml", std::string(testing::kTwoDevices) + "memory: {reserve: 0.5}\n");
  const Ended ended = place.RunExperiment({"--resume"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("graph toy.graph.json has changed"));
  EXPECT_THAT(ended.err, HasSubstr("machine machines/two.yaml has changed"));
}

TEST(ResumeCheckTest, AnOlderStoreThatIsRefusedStaysAsItWas) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  Database database(place.Path("results/results.sqlite"), OpenMode::kReadWrite);
  for (const char* column : {"cpu_seconds",
                             "reference_score",
                             "reference_makespan_ps",
                             "reference_seconds",
                             "reference_cpu_seconds",
                             "training_id",
                             "failure",
                             "start",
                             "cost_model",
                             "agent_bound"}) {
    database.Execute(std::string("ALTER TABLE runs DROP COLUMN ") + column);
  }
  database.Execute(
      "DROP TABLE inputs; DROP TABLE trainings; DROP TABLE bounds;"
      " PRAGMA user_version = 2");
  EXPECT_EQ(place.RunExperiment({"--resume", "--set", "budget.evaluations=21"}).status, 2);
  EXPECT_EQ(database.GetInt("PRAGMA user_version"), 2);
  EXPECT_EQ(place.RunExperiment({"--resume"}).status, 0);
  EXPECT_EQ(database.GetInt("PRAGMA user_version"), kSchemaVersion);
}

TEST(ResumeCheckTest, StoredSettingsThatAreNoJsonOrDeepAreADifferenceLikeAnyOther) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  Database database(place.Path("results/results.sqlite"), OpenMode::kReadWrite);
  for (const std::string& settings :
       {std::string("{\"budget\":\n"), std::string(100'000, '['), std::string("{\"a\":1}")}) {
    database.Prepare("UPDATE runs SET settings = ?1 WHERE id = 1").Bind(1, settings).Step();
    const Ended ended = place.RunExperiment({"--resume"});
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.err, HasSubstr("other conditions"));
  }
}

}  // namespace
}  // namespace opyard::experiments
