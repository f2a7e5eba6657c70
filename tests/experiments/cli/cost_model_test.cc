// Problems under another cost model: from the command line, in experiments and in what they store.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/result_store.h"
#include "sim/cost/cost_models.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunCommand;
using testing::Workplace;

// A graph of two matrix products, whose times nobody measured.
constexpr const char* kGraph = R"({"format": "opyard-graph/1", "name": "toy", "ops": [
 {"name": "a", "type": "MatMul", "outputs": [{"bytes": 4000000}],
  "gemm": {"m": 1000, "n": 1000, "k": 100}},
 {"name": "b", "type": "MatMul", "inputs": [[0, 0]], "outputs": [{"bytes": 4000000}],
  "gemm": {"m": 1000, "n": 1000, "k": 100}}]})";

double MakespanUnder(const std::string& model) {
  const Workplace place;
  place.Write("toy.graph.json", kGraph);
  const Ended ended = RunCommand({"place",
                                  "--graph",
                                  place.Path("toy.graph.json"),
                                  "--hardware",
                                  "p100x2-pcie",
                                  "--agent",
                                  "single_device",
                                  "--cost-model",
                                  model,
                                  "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return ended.Json().at("makespan_s").get<double>();
}

TEST(CostModelTest, TheDataSheetIsFasterThanTheDevice) {
  EXPECT_LT(MakespanUnder("peak_roofline"), MakespanUnder("roofline"));
}

TEST(CostModelTest, AnExperimentIsStoredValidatedAndRepeatedWithItsModel) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "problem.cost_model=peak_roofline"}).status, 0);
  for (const StoredRun& run : ResultStore::OpenToRead(place.Path("results")).Runs()) {
    EXPECT_EQ(run.record.cost_model, "peak_roofline");
    EXPECT_THAT(run.record.settings, HasSubstr(R"("cost_model":"peak_roofline")"));
    EXPECT_THAT(run.record.reproduce, HasSubstr(" --cost-model peak_roofline "));
  }
  EXPECT_EQ(RunCommand({"validate", place.Path("results")}).status, 0);
}

TEST(CostModelTest, SettingsDoNotNameTheDefault) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "problem.cost_model=roofline"}).status, 0);
  for (const StoredRun& run : ResultStore::OpenToRead(place.Path("results")).Runs()) {
    EXPECT_EQ(run.record.cost_model, sim::kDefaultCostModel);
    EXPECT_THAT(run.record.settings, Not(HasSubstr("cost_model")));
    EXPECT_THAT(run.record.reproduce, Not(HasSubstr("--cost-model")));
  }
}

TEST(CostModelTest, ResumingUnderAnotherIsRefused) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "problem.cost_model=peak_roofline"}).status, 0);
  const Ended other = place.RunExperiment({"--resume"});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("problem.cost_model: the results were made with"));
}

TEST(CostModelTest, ResultsUnderAnotherAreNoBestKnownPlans) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "problem.cost_model=peak_roofline"}).status, 0);
  const Ended best =
      RunCommand({"results", "best-known", place.Path("results"), "--out", place.Path("best")});
  EXPECT_EQ(best.status, 2);
  EXPECT_THAT(best.err, HasSubstr("found problem.cost_model, expected roofline"));
}

TEST(CostModelTest, AnExportedPlanIsSimulatedUnderItsModel) {
  const Workplace place;
  ASSERT_EQ(place.RunExperiment({"--set", "problem.cost_model=peak_roofline"}).status, 0);
  const Ended best = RunCommand(
      {"results", "best", place.Path("results"), "--out", place.Path("plans"), "--json"});
  ASSERT_EQ(best.status, 0) << best.err;
  EXPECT_THAT(best.Json()[0].at("simulate").get<std::string>(),
              HasSubstr(" --cost-model peak_roofline"));
}

TEST(CostModelTest, SimulateRefusesAnUnknownOne) {
  const Ended ended = RunCommand(
      {"simulate", "--graph", "g", "--hardware", "m", "--plan", "p", "--cost-model", "rooflin"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("--cost-model: found \"rooflin\", expected one of roofline, "
                        "peak_roofline; did you mean \"roofline\"?"));
}

}  // namespace
}  // namespace opyard::experiments
