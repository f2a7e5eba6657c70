#include "experiments/cli/results/best.h"

#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/maintenance/store_overview.h"
#include "experiments/store/result_store.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

StoredRun RunOf(const std::string& agent, std::int64_t seed, std::optional<double> score) {
  StoredRun run{.id = seed};
  run.record.cell = {.graph = "g", .hardware = "m", .agent = agent, .seed = seed};
  run.record.status = score.has_value() ? RunStatus::kDone : RunStatus::kFailed;
  run.record.makespan = SimTime{5};
  run.record.score = score;
  return run;
}

TEST(BestRunsTest, AreChosenPerProblemAgentOrRunAndTheEarlierOfEqualOnes) {
  const std::vector<StoredRun> runs = {RunOf("a", 0, 3.0),
                                       RunOf("b", 1, 2.0),
                                       RunOf("b", 2, 2.0),
                                       RunOf("a", 3, 2.5),
                                       RunOf("c", 4, std::nullopt)};
  const auto seeds = [&](BestPer per) {
    std::vector<std::int64_t> all;
    for (const StoredRun& run : BestRuns(runs, per)) {
      all.push_back(run.record.cell.seed);
    }
    return all;
  };
  EXPECT_EQ(seeds(BestPer::kProblem), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(seeds(BestPer::kAgent), (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(seeds(BestPer::kRun), (std::vector<std::int64_t>{0, 3, 1, 2, 4}));
}

// The words of a command as a shell takes them, none of which is quoted here.
std::vector<std::string> WordsOf(const std::string& command) {
  std::istringstream text(command);
  std::vector<std::string> words;
  for (std::string word; text >> word;) {
    words.push_back(word);
  }
  return words;
}

TEST(ResultsBestTest, AnyStoredPlanBecomesAFileThatSimulatesToWhatWasStored) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const Ended best = RunCommand({"results",
                                 "best",
                                 place.Path("results"),
                                 "--per",
                                 "run",
                                 "--out",
                                 place.Path("plans"),
                                 "--json"});
  ASSERT_EQ(best.status, 0) << best.err;
  ASSERT_EQ(best.Json().size(), 3U);
  // Neither the graph nor the machine is needed any more: the store has both.
  std::filesystem::remove(place.Path("toy.graph.json"));
  std::filesystem::remove_all(place.Path("machines"));
  std::filesystem::remove_all(place.Path("devices"));
  for (const nlohmann::json& plan : best.Json()) {
    std::vector<std::string> words = WordsOf(plan.at("simulate").get<std::string>());
    ASSERT_EQ(words.front(), "opyard");
    words.erase(words.begin());
    words.emplace_back("--json");
    const Ended simulated = RunCommand(words);
    ASSERT_EQ(simulated.status, 0) << simulated.err;
    EXPECT_EQ(simulated.Json().at("makespan_s"), plan.at("makespan_s"));
  }
}

TEST(ResultsBestTest, NamesTheBestOfEachProblem) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "agents=[single_device]"}).status, 0);
  const Ended best = RunCommand({"results", "best", place.Path("results")});
  EXPECT_EQ(best.status, 0) << best.err;
  EXPECT_THAT(best.out, HasSubstr("single_device     0  10.000 ms"));  // 2 + 3 + 5 ms
  const Ended none = RunCommand({"results", "best", place.Path("results"), "--agent", "nobody"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("no run that is meant found a plan"));
}

TEST(ResultsBestTest, APlanMadeUnderAnotherMemoryRuleComesWithItsMachine) {
  const Workplace place;
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("1000000"), 7, "2000000000");  // 2 GB on devices of 1 GiB
  place.Write("toy.graph.json", graph);
  const std::vector<std::string> ignored = {"--set", "problem.memory=ignore"};
  ASSERT_EQ(place.RunExperiment(ignored).status, 0);
  EXPECT_EQ(RunCommand({"validate", place.Path("results")}).out,
            "3 of 3 stored plans agree to the picosecond\n");  // and no note of a changed machine
  const Ended best = RunCommand({"results",
                                 "best",
                                 place.Path("results"),
                                 "--agent",
                                 "single_device",
                                 "--out",
                                 place.Path("plans"),
                                 "--json"});
  ASSERT_EQ(best.status, 0) << best.err;
  std::vector<std::string> words = WordsOf(best.Json()[0].at("simulate").get<std::string>());
  words.erase(words.begin());
  EXPECT_EQ(RunCommand(words).status, 0);
}

TEST(MemoryRuleTest, ResultsUnderOneAreNoBestKnownPlans) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "problem.memory=wait"}).status, 0);
  const Ended best =
      RunCommand({"results", "best-known", place.Path("results"), "--out", place.Path("best")});
  EXPECT_EQ(best.status, 2);
  EXPECT_THAT(best.err, HasSubstr("found problem.memory, expected the machine's own rule"));
}

TEST(MemoryRuleTest, OfAnExperimentIsUsedInsteadOfTheMachines) {
  const Workplace place;
  std::string graph = testing::kTinyGraph;
  graph.replace(graph.find("1000000"), 7, "2000000000");
  place.Write("toy.graph.json", graph);
  ASSERT_EQ(place.RunExperiment({"--set", "problem.memory=ignore"}).status, 0);
  const std::vector<StoredRun> runs = ResultStore::OpenToRead(place.Path("results")).Runs();
  EXPECT_EQ(runs[0].record.outcome, "completed");
  EXPECT_THAT(runs[0].record.settings, HasSubstr(R"("memory":"ignore")"));
  EXPECT_THAT(runs[0].record.reproduce, HasSubstr(" --memory ignore "));
  const Ended other = place.RunExperiment({"--resume"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err,
              HasSubstr("problem.memory: the results were made with \"ignore\", the experiment "
                        "says none"));
}

}  // namespace
}  // namespace opyard::experiments
