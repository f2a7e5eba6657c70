#include "experiments/matrix/prepared_experiment.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/matrix/experiment_reading.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::Workplace;

TEST(PreparedExperimentTest, PairsShareTheGraphsAndMachinesThatTheyName) {
  const Workplace place;
  place.Write("machines/three.yaml", testing::kTwoDevices);
  const PreparedExperiment experiment =
      PrepareExperiment(ReadWholeExperiment(place.Path("experiment.yaml"),
                                            {"pairs=[{graph: toy.graph.json, hardware: "
                                             "machines/three.yaml}, {graph: toy.graph.json, "
                                             "hardware: machines/two.yaml}]"},
                                            agents::ClassicalAgents()),
                        [](const Notice&) {});
  ASSERT_EQ(experiment.problems.size(), 2U);
  EXPECT_EQ(experiment.problems[0].hardware, "machines/three.yaml");
  EXPECT_EQ(experiment.problems[0].problem->shared_graph(),
            experiment.problems[1].problem->shared_graph());
}

TEST(PreparedExperimentTest, PairsAreRunInTheirOrderAndNothingElse) {
  const Workplace place;
  place.Write("b.graph.json", testing::kTinyGraph);
  place.Write("machines/three.yaml", testing::kTwoDevices);
  const Ended ended = place.RunExperiment({"--json",
                                           "--set",
                                           "pairs=[{graph: b.graph.json, hardware: "
                                           "machines/three.yaml}, {graph: toy.graph.json, "
                                           "hardware: machines/two.yaml}]",
                                           "--set",
                                           "agents=[single_device]",
                                           "--set",
                                           "seeds=[0]"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json json = ended.Json();
  const nlohmann::json& cells = json.at("cells");
  ASSERT_EQ(cells.size(), 2U);  // of four combinations
  EXPECT_EQ(cells[0].at("graph"), "b.graph.json");
  EXPECT_EQ(cells[0].at("hardware"), "machines/three.yaml");
  EXPECT_EQ(cells[1].at("graph"), "toy.graph.json");
  EXPECT_EQ(cells[1].at("hardware"), "machines/two.yaml");
  EXPECT_EQ(json.at("agents")[1].at("speed_up"), 1.0);
}

TEST(PreparedExperimentTest, AGraphOfAPairThatIsMissingIsReportedOnceWhereItStands) {
  const Workplace place;
  const Ended ended = place.RunExperiment(
      {"--set",
       "pairs=[{graph: absent.json, hardware: machines/two.yaml}, {graph: absent.json, hardware: "
       "p100x2-pcie}]"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr(":1:10: absent.json"));
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
}

}  // namespace
}  // namespace opyard::experiments
