#include "experiments/statistics/best_known.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/experiments/statistics/best_known_plans.h"
#include "tests/support/temporary_folder.h"

namespace opyard::experiments {
namespace {

using ::testing::HasSubstr;
using testing::KnownPlan;

std::vector<BestKnownPlan> Read(const std::string& text) {
  const opyard::testing::TemporaryFolder folder;
  return ReadBestKnown(folder.Write("best_known.csv", text));
}

std::string ErrorOf(const std::string& text) {
  try {
    static_cast<void>(Read(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

// The table of the known plan with `found` in place of `expected`.
std::string With(const std::string& expected, const std::string& found) {
  std::string text = BestKnownCsv({KnownPlan()});
  const std::size_t at = text.rfind(expected);
  return text.replace(at, expected.size(), found);
}

TEST(BestKnownTest, WhatIsWrittenReadsAsTheSame) {
  BestKnownPlan bare = KnownPlan();
  bare.problem.tasks = "placement";
  bare.expert.reset();
  bare.rules.clear();
  bare.searches.clear();
  const std::string text = BestKnownCsv({KnownPlan(), bare});
  const std::vector<BestKnownPlan> read = Read(text);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(BestKnownCsv(read), text);
  EXPECT_EQ(read[0].problem, KnownPlan().problem);
  EXPECT_EQ(read[0].best.makespan, SimTime{7'000'000'001});  // to the picosecond
  EXPECT_EQ(read[0].best.score, 0.007000000001);
  EXPECT_EQ(read[0].expert->makespan, SimTime{14'000'000'002});
  EXPECT_EQ(read[0].agent, "brkga[x=1,y=2]");
  EXPECT_EQ(read[0].rules, KnownPlan().rules);
  EXPECT_EQ(read[0].searches, KnownPlan().searches);
  EXPECT_FALSE(read[1].expert.has_value());
}

TEST(BestKnownTest, NamesOfAgentsMayHoldWhatSeparatesThem) {
  BestKnownPlan plan = KnownPlan();
  plan.agent = "/my agents/hill,climb.py:Climb";
  plan.rules = {"a rule", "100%25"};
  plan.searches = {{{"/my agents/hill.py:Climb", 2}, 13},
                   {{"module:Class", 0}, 17},
                   {{"two\nlines\tand %", 1}, 19},
                   {{"x:1:2", 3}, 23}};
  const std::string text = BestKnownCsv({plan});
  EXPECT_THAT(text, HasSubstr("/my%20agents/hill.py:Climb:2:13 module:Class:0:17"));
  const std::vector<BestKnownPlan> read = Read(text);
  EXPECT_EQ(read[0].agent, plan.agent);
  EXPECT_EQ(read[0].rules, plan.rules);
  EXPECT_EQ(read[0].searches, plan.searches);
}

TEST(BestKnownTest, OtherColumnsDoNotCount) {
  std::string text = BestKnownCsv({KnownPlan()});
  text.insert(text.find('\n'), ",remark");
  text.insert(text.size() - 1, ",mine");
  text.replace(text.find("agents,"), 7, "evaluates,");  // derived columns are not read
  EXPECT_EQ(BestKnownCsv(Read(text)), BestKnownCsv({KnownPlan()}));
}

TEST(BestKnownTest, AMissingColumnIsRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("best_known.csv:1: found no line of titles, expected graph"));
  std::string text = BestKnownCsv({});
  EXPECT_THAT(ErrorOf(text.replace(text.find("searches"), 8, "seen")),
              HasSubstr("best_known.csv:1: found the columns graph, machine, tasks,"));
}

TEST(BestKnownTest, EachWordAndNumberIsChecked) {
  EXPECT_THAT(ErrorOf(With("placement,scheduling", "baking")), HasSubstr("csv:2: tasks: found"));
  EXPECT_THAT(ErrorOf(With("makespan,fifo", "speed,fifo")), HasSubstr("csv:2: objective: found"));
  EXPECT_THAT(ErrorOf(With("fifo", "lifo")), HasSubstr("csv:2: queue: found"));
  EXPECT_THAT(ErrorOf(With("framework", "all")), HasSubstr("csv:2: fusion: found"));
  EXPECT_THAT(ErrorOf(With("framework,0.007000000001", "framework,0")),
              HasSubstr("csv:2: makespan_s: found \"0\", expected seconds, above 0 and at most"));
  EXPECT_THAT(ErrorOf(With("0.007000000001,0.014", "nan,0.014")),
              HasSubstr("csv:2: score: found \"nan\", expected a number from 0"));
  EXPECT_THAT(ErrorOf(With("0.014000000002,0.014000000002", ",0.014")),
              HasSubstr("csv:2: expert_s: found \"\""));
  EXPECT_THAT(ErrorOf(With("3e-12", "-1")), HasSubstr("csv:2: lower_bound_s: found \"-1\""));
  EXPECT_THAT(ErrorOf(With(",2,11,", ",2,11.5,")),
              HasSubstr("csv:2: evaluations: found \"11.5\", expected a whole number from 0"));
  EXPECT_THAT(ErrorOf(With("auto:1:23", "auto:1")),
              HasSubstr("csv:2: searches: found \"auto:1\", expected AGENT:SEED:EVALUATIONS"));
  EXPECT_THAT(ErrorOf(With("auto:1:23", "auto:1:many")), HasSubstr("csv:2: searches: found"));
  EXPECT_THAT(ErrorOf(With("auto:1:23", "a%2:1:23")),
              HasSubstr("csv:2: searches: found \"a%2\", expected two hexadecimal digits"));
}

TEST(BestKnownTest, AllThatIsWrongIsReportedAtOnce) {
  const std::string error = ErrorOf(With("fifo", "lifo") + "g,m\n");
  EXPECT_THAT(error, HasSubstr("csv:3: found 2 fields"));
  EXPECT_THAT(ErrorOf(With("fifo,framework", "lifo,all")), HasSubstr("queue"));
  EXPECT_THAT(ErrorOf(With("fifo,framework", "lifo,all")), HasSubstr("fusion"));
}

TEST(BestKnownTest, APlanLiesInTheFolderOfPlans) {
  for (const char* file : {"g.plan.json.gz",
                           "plans/",
                           "plans/..",
                           "plans/../g",
                           "/plans/g",
                           "../plans/g",
                           "plans/a/g"}) {
    EXPECT_THAT(ErrorOf(With("plans/g.plan.json.gz", file)),
                HasSubstr("csv:2: plan: found \"" + std::string(file) + "\", expected plans/NAME"));
  }
}

TEST(BestKnownTest, AProblemStandsThereOnceHoweverItIsSpelt) {
  BestKnownPlan again = KnownPlan();
  again.problem.tasks = "scheduling,placement";
  EXPECT_THAT(ErrorOf(BestKnownCsv({KnownPlan(), again})),
              HasSubstr("csv:3: found this problem again, expected it once"));
}

TEST(BestKnownTest, EffortIsThatOfTheLeastSearch) {
  // heft, human_expert, brkga and auto; brkga has two seeds, auto three; brkga's seed 2 had 13.
  const SearchEffort effort = EffortOf(KnownPlan());
  EXPECT_EQ(effort.num_agents, 4U);
  EXPECT_EQ(effort.num_seeds, 2U);
  EXPECT_EQ(effort.least_evaluations, 13);
  BestKnownPlan without = KnownPlan();
  without.searches.clear();
  EXPECT_EQ(EffortOf(without).num_agents, 2U);
  EXPECT_EQ(EffortOf(without).num_seeds, 0U);
  EXPECT_FALSE(EffortOf(without).least_evaluations.has_value());
}

TEST(BestKnownTest, ATableIsFoundInItsFolderUnlessThatHoldsResults) {
  const opyard::testing::TemporaryFolder folder;
  EXPECT_FALSE(FindBestKnown(folder.path()).has_value());
  const std::filesystem::path table = folder.Write("best_known.csv", "");
  EXPECT_EQ(FindBestKnown(folder.path()), table);
  EXPECT_EQ(FindBestKnown(table), table);
  EXPECT_EQ(FindBestKnown("mine.csv"), "mine.csv");
  EXPECT_FALSE(FindBestKnown("mine.sqlite").has_value());
  folder.Write("results.sqlite", "");
  EXPECT_FALSE(FindBestKnown(folder.path()).has_value());
}

}  // namespace
}  // namespace opyard::experiments
