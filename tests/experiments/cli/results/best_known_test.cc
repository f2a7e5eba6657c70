#include "experiments/cli/results/best_known.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/statistics/best_known.h"
#include "experiments/store/sqlite.h"
#include "sim/io/text/gzip.h"
#include "sim/io/text/text_file.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;
using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

// Runs `agents` with `seeds` into the results folder `name`.
void RunAgents(const Workplace& place,
               const std::string& name,
               const std::string& agents,
               const std::string& seeds = "[0]",
               const std::string& tasks = "[placement, scheduling]") {
  const Ended ended = RunCommand({"run",
                                  place.Path("experiment.yaml"),
                                  "--out",
                                  place.Path(name),
                                  "--quiet",
                                  "--set",
                                  "agents=" + agents,
                                  "--set",
                                  "seeds=" + seeds,
                                  "--set",
                                  "problem.tasks=" + tasks});
  ASSERT_EQ(ended.status, 0) << ended.err;
}

// Adds the results folders `names` to the workplace, where the graph is found, too.
Ended Merge(const Workplace& place, const std::vector<std::string>& names) {
  std::vector<std::string> args = {"results", "best-known"};
  for (const std::string& name : names) {
    args.push_back(place.Path(name));
  }
  args.insert(args.end(), {"--out", place.Path("")});
  return RunCommand(args);
}

BestKnownPlan OnlyPlan(const Workplace& place) {
  const std::vector<BestKnownPlan> plans = ReadBestKnown(place.Path("best_known.csv"));
  EXPECT_EQ(plans.size(), 1U);
  return plans.front();
}

void Execute(const Workplace& place, const std::string& name, const std::string& sql) {
  Database(place.Path(name + "/results.sqlite"), OpenMode::kReadWrite).Execute(sql);
}

std::size_t NumPlanFiles(const Workplace& place) {
  const fs::directory_iterator files(place.Path("plans"));
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

void ReplaceInTable(const Workplace& place, const std::string& expected, const std::string& found) {
  std::string text = sim::ReadTextFile(place.Path("best_known.csv"));
  place.Write("best_known.csv", text.replace(text.find(expected), expected.size(), found));
}

TEST(BestKnownSubcommandTest, KeepsTheBestPlanBesideTheExpertsAndTheBound) {
  const Workplace place;
  RunAgents(place, "results", "[human_expert, random]", "[0, 1]");
  const Ended ended = Merge(place, {"results"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("3 runs gave 1 new and 0 better plans, 0 stay as they were"));
  const nlohmann::json json =
      RunCommand({"results", "best-known", place.Path(""), "--json"}).Json();
  ASSERT_EQ(json.at("plans").size(), 1U);
  const nlohmann::json& plan = json.at("plans")[0];
  EXPECT_EQ(plan.at("graph"), "toy.graph.json");
  EXPECT_EQ(plan.at("hardware"), "machines/two.yaml");
  EXPECT_EQ(plan.at("tasks"), "placement,scheduling");
  // a 2 ms, then c 5 ms beside it, while b is copied to and run elsewhere: 1 + 3 ms.
  EXPECT_EQ(plan.at("makespan_s"), 0.007);
  EXPECT_EQ(plan.at("problem_bound_s"), 0.007);  // a and c, which no rule lets fuse
  // The first half of the work, a and b, on one device; c on the other: 2 + 1 + 5 ms.
  EXPECT_EQ(plan.at("expert_s"), 0.008);
  EXPECT_DOUBLE_EQ(plan.at("ratio").get<double>(), 8.0 / 7.0);
  EXPECT_EQ(plan.at("agent"), "random");
  EXPECT_EQ(plan.at("agents"), 2);
  EXPECT_EQ(json.at("head_room").size(), 2U);
  EXPECT_EQ(json.at("head_room")[1].at("tasks"), nullptr);
}

TEST(BestKnownSubcommandTest, ABetterPlanReplacesAWorseOneAndItsFile) {
  const Workplace place;
  RunAgents(place, "first", "[single_device]");
  RunAgents(place, "second", "[random]");
  ASSERT_EQ(Merge(place, {"first"}).status, 0);
  const BestKnownPlan before = OnlyPlan(place);
  EXPECT_EQ(before.best.makespan, SimTime{10'000'000'000});  // 2 + 3 + 5 ms
  EXPECT_THAT(Merge(place, {"second"}).out, HasSubstr("0 new and 1 better plans, 0 stay"));
  const BestKnownPlan after = OnlyPlan(place);
  EXPECT_EQ(after.best.makespan, SimTime{7'000'000'000});
  EXPECT_EQ(after.agent, "random");
  EXPECT_EQ(after.rules, (std::set<std::string>{"random", "single_device"}));
  EXPECT_NE(after.file, before.file);
  EXPECT_FALSE(fs::exists(place.Path(before.file)));
  EXPECT_TRUE(fs::exists(place.Path(after.file)));
}

TEST(BestKnownSubcommandTest, AWorsePlanChangesNothingButWhatWasAsked) {
  const Workplace place;
  RunAgents(place, "first", "[random]");
  RunAgents(place, "second", "[single_device]");
  ASSERT_EQ(Merge(place, {"first"}).status, 0);
  const BestKnownPlan before = OnlyPlan(place);
  EXPECT_THAT(Merge(place, {"second"}).out, HasSubstr("0 new and 0 better plans, 1 stay"));
  const BestKnownPlan after = OnlyPlan(place);
  EXPECT_EQ(after.best.makespan, before.best.makespan);
  EXPECT_EQ(after.file, before.file);
  EXPECT_EQ(after.rules, (std::set<std::string>{"random", "single_device"}));
  EXPECT_EQ(NumPlanFiles(place), 1U);
}

TEST(BestKnownSubcommandTest, OfEqualPlansTheOlderStays) {
  const Workplace place;
  RunAgents(place, "first", "[{name: random, label: older}]");
  RunAgents(place, "second", "[{name: random, label: newer}]", "[1]");
  ASSERT_EQ(Merge(place, {"first"}).status, 0);
  ASSERT_EQ(Merge(place, {"second"}).status, 0);
  EXPECT_EQ(OnlyPlan(place).agent, "older");
  EXPECT_EQ(OnlyPlan(place).seed, 0);
  // Among new ones the first: the order in which they are given.
  fs::remove(place.Path("best_known.csv"));
  ASSERT_EQ(Merge(place, {"second", "first"}).status, 0);
  EXPECT_EQ(OnlyPlan(place).agent, "newer");
}

TEST(BestKnownSubcommandTest, SearchesAddUpAndCountOnceHoweverOftenTheyAreAdded) {
  const Workplace place;
  RunAgents(place, "first", "[brkga, local_search, single_device]", "[0, 1]");
  RunAgents(place, "second", "[brkga]", "[1, 2]");
  ASSERT_EQ(Merge(place, {"first", "second"}).status, 0);
  ASSERT_EQ(Merge(place, {"second", "first"}).status, 0);
  const SearchEffort effort = EffortOf(OnlyPlan(place));
  EXPECT_EQ(effort.num_agents, 3U);
  EXPECT_EQ(effort.num_seeds, 2U);  // local_search's; brkga has three
  EXPECT_EQ(OnlyPlan(place).searches.size(), 5U);
}

TEST(BestKnownSubcommandTest, ProblemsDifferByTasksObjectiveAndDefaults) {
  const Workplace place;
  const std::vector<std::string> others = {"problem.tasks=[placement]",
                                           "problem.objective=peak_memory",
                                           "problem.objective={weighted: {makespan: 2}}",
                                           "problem.defaults.queue=priority",
                                           "problem.defaults.fusion=none"};
  std::vector<std::string> names;
  for (const std::string& other : others) {
    names.push_back("results" + std::to_string(names.size()));
    ASSERT_EQ(RunCommand({"run",
                          place.Path("experiment.yaml"),
                          "--out",
                          place.Path(names.back()),
                          "--quiet",
                          "--set",
                          other})
                  .status,
              0);
  }
  EXPECT_THAT(Merge(place, names).out, HasSubstr("15 runs gave 5 new"));
  EXPECT_EQ(RunCommand({"validate", place.Path("")}).out,
            "5 of 5 stored plans agree to the picosecond\n");
}

TEST(BestKnownSubcommandTest, APlanOfFewerTasksServesTheProblemWithMoreUntilThatHasABetterOne) {
  const Workplace place;
  RunAgents(place, "placement", "[human_expert]", "[0]", "[placement]");  // 8 ms
  RunAgents(place, "both", "[single_device]");                            // 10 ms
  RunAgents(place, "better", "[random]");                                 // 7 ms
  ASSERT_EQ(Merge(place, {"both", "placement"}).status, 0);
  const std::vector<BestKnownPlan> shared = ReadBestKnown(place.Path("best_known.csv"));
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[1].problem.tasks, "placement,scheduling");
  EXPECT_EQ(shared[1].best.makespan, SimTime{8'000'000'000});
  EXPECT_EQ(shared[1].agent, "human_expert");
  EXPECT_EQ(shared[1].file, shared[0].file);
  EXPECT_EQ(shared[1].rules, std::set<std::string>{"single_device"});  // that were asked for it
  EXPECT_EQ(NumPlanFiles(place), 1U);
  ASSERT_EQ(Merge(place, {"better"}).status, 0);
  const std::vector<BestKnownPlan> apart = ReadBestKnown(place.Path("best_known.csv"));
  EXPECT_EQ(apart[0].best.makespan, SimTime{8'000'000'000});  // what schedules is none of its plans
  EXPECT_EQ(apart[1].best.makespan, SimTime{7'000'000'000});
  EXPECT_EQ(NumPlanFiles(place), 2U);
  EXPECT_EQ(RunCommand({"validate", place.Path("")}).out,
            "2 of 2 stored plans agree to the picosecond\n");
}

TEST(BestKnownSubcommandTest, ResultsOfAnotherGraphAreRefused) {
  const Workplace place;
  RunAgents(place, "first", "[single_device]");
  ASSERT_EQ(Merge(place, {"first"}).status, 0);
  std::string graph = testing::kTinyGraph;
  place.Write("toy.graph.json", graph.replace(graph.find("0.003"), 5, "0.001"));
  RunAgents(place, "second", "[single_device]");
  const Ended ended = Merge(place, {"second"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("found another graph than that of the plan in"));
  EXPECT_EQ(OnlyPlan(place).best.makespan, SimTime{10'000'000'000});
}

TEST(BestKnownSubcommandTest, APlanThatIsNotWorthItsMakespanDoesNotGoIn) {
  const Workplace place;
  RunAgents(place, "results", "[single_device]");
  Execute(place, "results", "UPDATE runs SET makespan_ps = 1, score = 1e-12");
  const Ended ended = Merge(place, {"results"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("10000000000 ps), expected 1 ps"));
  EXPECT_FALSE(fs::exists(place.Path("best_known.csv")));
}

TEST(BestKnownSubcommandTest, DamagedResultsAreRefused) {
  const Workplace place;
  RunAgents(place, "results", "[single_device]");
  Execute(place, "results", "UPDATE runs SET settings = '{\"problem\": 3}'");
  const Ended ended = Merge(place, {"results"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("its settings do not say what was asked"));
}

TEST(BestKnownSubcommandTest, ResultsThatWouldSpoilTheTableAreRefusedBeforeItIsWritten) {
  const Workplace place;
  RunAgents(place, "first", "[single_device]");
  RunAgents(place, "second", "[random]");
  ASSERT_EQ(Merge(place, {"first"}).status, 0);
  Execute(place, "second", "UPDATE runs SET seed = -1");
  const Ended ended = Merge(place, {"second"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("seed: found \"-1\", expected a whole number from 0"));
  EXPECT_EQ(OnlyPlan(place).agent, "single_device");
  EXPECT_EQ(RunCommand({"validate", place.Path("")}).status, 0);
}

TEST(BestKnownSubcommandTest, ResultsWithoutTheirGraphsAreRefused) {
  const Workplace place;
  RunAgents(place, "results", "[single_device]");
  Execute(place, "results", "DELETE FROM inputs");  // as schema version 2 had none
  const Ended ended = Merge(place, {"results"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("found no graph or machine in the results"));
}

TEST(BestKnownSubcommandTest, AProblemThatNoPlanCompletesHasNoRow) {
  const Workplace place;
  RunAgents(place, "results", "[single_device]");
  Execute(place, "results", "UPDATE runs SET status = 'failed', score = NULL");
  const Ended ended = Merge(place, {"results"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(ReadBestKnown(place.Path("best_known.csv")).empty());
}

TEST(BestKnownSubcommandTest, WithoutOutOneFolderOfPlansIsExpected) {
  const Workplace place;
  RunAgents(place, "results", "[single_device]");
  const Ended store = RunCommand({"results", "best-known", place.Path("results")});
  EXPECT_EQ(store.status, 2);
  EXPECT_THAT(store.err, HasSubstr("found no best_known.csv, expected a folder that --out"));
  EXPECT_EQ(RunCommand({"results", "best-known", "a", "b"}).status, 2);
}

TEST(BestKnownSubcommandTest, ValidateReplaysThePlansAndNamesTheOnesThatDiffer) {
  const Workplace place;
  RunAgents(place, "results", "[random]");
  ASSERT_EQ(Merge(place, {"results"}).status, 0);
  EXPECT_EQ(RunCommand({"validate", place.Path("best_known.csv")}).out,
            "1 of 1 stored plans agree to the picosecond\n");
  ReplaceInTable(place, "0.007,0.007", "0.007000000001,0.007");
  const Ended ended = RunCommand({"validate", place.Path(""), "--json"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.Json().at("agreed"), 0);
  EXPECT_THAT(ended.Json().at("differences")[0].get<std::string>(),
              HasSubstr("toy.graph.json on machines/two.yaml, placement,scheduling: "
                        "stated makespan 7000000001 ps, simulated 7000000000 ps"));
  ReplaceInTable(place, "0.007000000001,0.007", "0.007,0.008");
  EXPECT_THAT(RunCommand({"validate", place.Path("")}).out,
              HasSubstr("stated score 0.008, simulated 0.007"));
}

TEST(BestKnownSubcommandTest, AChangedGraphIsADifference) {
  const Workplace place;
  RunAgents(place, "results", "[single_device]");
  ASSERT_EQ(Merge(place, {"results"}).status, 0);
  std::string graph = testing::kTinyGraph;
  place.Write("toy.graph.json", graph.replace(graph.find("0.003"), 5, "0.004"));
  const Ended ended = RunCommand({"validate", place.Path("")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("the graph has changed since the plan was found"));
}

TEST(BestKnownSubcommandTest, APackedPlanThatIsABombIsADifferenceOfItsRowAlone) {
  const Workplace place;
  RunAgents(place, "results", "[single_device]");
  ASSERT_EQ(Merge(place, {"results"}).status, 0);
  // 1 MiB of blanks packs to about 1 KiB; 513 members of it go one beyond 512 MiB.
  const std::string member = sim::Gzip(std::string(1U << 20U, ' '));
  std::string bomb;
  for (int i = 0; i < 513; ++i) {
    bomb += member;
  }
  place.Write(OnlyPlan(place).file, bomb);
  const Ended ended = RunCommand({"validate", place.Path("")});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("unpacks beyond 512 MiB"));
}

TEST(BestKnownSubcommandTest, SimulateReadsAPackedPlanAsItIs) {
  const Workplace place;
  RunAgents(place, "results", "[random]");
  ASSERT_EQ(Merge(place, {"results"}).status, 0);
  const Ended ended = RunCommand({"simulate",
                                  "--graph",
                                  place.Path("toy.graph.json"),
                                  "--hardware",
                                  place.Path("machines/two.yaml"),
                                  "--plan",
                                  place.Path(OnlyPlan(place).file),
                                  "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json().at("makespan_s"), 0.007);
}

}  // namespace
}  // namespace opyard::experiments
