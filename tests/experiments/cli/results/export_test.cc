#include "experiments/cli/results/export.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/result_store.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

std::vector<std::string> LinesOf(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(ResultsExportTest, WritesEveryRunHistoryAndCurveAsCsv) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "agents=[single_device]", "--set", "seeds=[7]"}).status,
            0);
  {
    ResultStore store = ResultStore::Resume(place.Path("results"), {});
    RunRecord learned;
    learned.cell = {.graph = "g", .hardware = "h", .agent = "a[x=1,y=2]", .seed = 3};
    learned.outcome = "completed";
    learned.cpu_seconds = 1.5;
    learned.reference = {
        .score = 0.25, .makespan = SimTime{3}, .seconds = 2.5, .cpu_seconds = std::nullopt};
    learned.training_id = 7;
    learned.failure = "it gave up";
    learned.agent_bound = 2.25;
    learned.training = {{1, 4, 0.5, {{"entropy", 0.25}, {"loss", -2.0}}}};
    store.Add(learned);
    static_cast<void>(store.Keep(StoredTraining{.agent = "a[x=1,y=2]", .cpu_seconds = 0.5}));
  }
  const Ended ended =
      RunCommand({"results", "export", place.Path("results"), "--out", place.Path("tables/csv")});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("training.csv: 2 rows"));
  const std::string cell = "1,toy.graph.json,machines/two.yaml,single_device,7,";
  const auto runs = LinesOf(place.Path("tables/csv/runs.csv"));
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_TRUE(runs[1].starts_with(cell)) << runs[1];
  EXPECT_THAT(runs[1], HasSubstr(",done,completed,10000000000,"));  // 2 + 3 + 5 ms in picoseconds
  EXPECT_TRUE(
      runs[0].ends_with(",reproduce,cpu_seconds,reference_score,reference_makespan_ps,"
                        "reference_seconds,reference_cpu_seconds,training_id,failure,start,"
                        "cost_model,agent_bound"));
  EXPECT_TRUE(runs[1].ends_with(",,,,,,,roofline,")) << runs[1];  // no rewards, no training
  EXPECT_TRUE(runs[2].ends_with(",1.5,0.25,3,2.5,,7,it gave up,,roofline,2.25")) << runs[2];
  const auto history = LinesOf(place.Path("tables/csv/history.csv"));
  ASSERT_EQ(history.size(), 2U);
  EXPECT_TRUE(history[1].starts_with(cell + "1,")) << history[1];
  EXPECT_EQ(LinesOf(place.Path("tables/csv/training.csv")),
            (std::vector<std::string>{
                "run,graph,hardware,agent,seed,name,num_updates,evaluations,seconds,value",
                "2,g,h,\"a[x=1,y=2]\",3,entropy,1,4,0.5,0.25",
                "2,g,h,\"a[x=1,y=2]\",3,loss,1,4,0.5,-2"}));
  EXPECT_EQ(LinesOf(place.Path("tables/csv/trainings.csv")).at(1),
            "1,\"a[x=1,y=2]\",,,,0,0,0,0.5,,,,");
  const auto bounds = LinesOf(place.Path("tables/csv/bounds.csv"));
  ASSERT_EQ(bounds.size(), 2U);
  EXPECT_TRUE(bounds[1].starts_with("toy.graph.json,machines/two.yaml,lower_bound,")) << bounds[1];
}

TEST(ResultsExportTest, AFileInPlaceOfTheFolderIsBadInput) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment().status, 0);
  const Ended ended = RunCommand(
      {"results", "export", place.Path("results"), "--out", place.Path("experiment.yaml")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("cannot make this folder"));
  EXPECT_EQ(
      RunCommand({"results", "export", place.Path("absent"), "--out", place.Path("t")}).status, 2);
}

}  // namespace
}  // namespace opyard::experiments
