// Lists of graphs and machines, and pairs of them.
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/config/read_experiment.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::kExperiment;
using testing::Read;
using testing::Workplace;

// kExperiment with `pairs` in place of graphs and hardware.
std::string WithPairs(const std::string& pairs) {
  std::istringstream lines(kExperiment);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const bool is_list = line.starts_with("graphs:") || line.starts_with("hardware:");
    result += is_list ? "" : line + "\n";
  }
  return result + pairs + "\n";
}

// "GRAPH HARDWARE" of each problem.
std::vector<std::string> ProblemsOf(const ExperimentConfig& config) {
  std::vector<std::string> problems;
  for (const PairConfig& pair : PairsOf(config)) {
    problems.push_back(pair.graph + " " + pair.hardware);
  }
  return problems;
}

TEST(ConfigInputsTest, ListsMakeAProblemOfEachGraphOnEachMachine) {
  const Workplace place;
  EXPECT_THAT(ProblemsOf(Read(place, {"graphs=[a, b]", "hardware=[x, y]"})),
              ElementsAre("a x", "a y", "b x", "b y"));
}

TEST(ConfigInputsTest, PairsMakeTheProblemsThatTheyList) {
  const Workplace place;
  place.Write("experiment.yaml",
              WithPairs("pairs:\n"
                        "  - {graph: b, hardware: x}\n"
                        "  - {graph: a, hardware: y}\n"
                        "  - {graph: b, hardware: y}"));
  const ExperimentConfig config = Read(place);
  EXPECT_THAT(ProblemsOf(config), ElementsAre("b x", "a y", "b y"));
  EXPECT_THAT(config.graphs, ElementsAre("b", "a"));  // each to be loaded once
  EXPECT_THAT(config.hardware, ElementsAre("x", "y"));
  EXPECT_EQ(config.pairs[1].place, place.Path("experiment.yaml") + ":8:13");
}

TEST(ConfigInputsTest, FaultyPairsAreAllReportedWhereTheyStand) {
  const Workplace place;
  place.Write("experiment.yaml",
              WithPairs("pairs:\n"
                        "  - {graph: a, hardware: x}\n"
                        "  - {graph: a, hardware: x}\n"
                        "  - {graph: a}\n"
                        "  - {graph: a, hardware: y, seeds: [1]}\n"
                        "  - a"));
  const std::string error = ErrorOf(place);
  EXPECT_THAT(error, HasSubstr("experiment.yaml:8:5: pairs: found \"a\" on \"x\" twice"));
  EXPECT_THAT(error, HasSubstr("experiment.yaml:9:5: "));
  EXPECT_THAT(error, HasSubstr("experiment.yaml:10:29: "));
  EXPECT_THAT(error, HasSubstr("experiment.yaml:11:5: "));
}

TEST(ConfigInputsTest, ALaterLayersPairsReplaceTheLists) {
  const Workplace place;
  EXPECT_THAT(ProblemsOf(Read(place, {"pairs=[{graph: g, hardware: h}]"})), ElementsAre("g h"));
}

TEST(ConfigInputsTest, ALaterLayersListsReplaceThePairs) {
  const Workplace place;
  place.Write("common.yaml", "pairs: [{graph: g, hardware: h}]\n");
  place.Write("experiment.yaml", std::string(kExperiment) + "include: [common.yaml]\n");
  EXPECT_THAT(ProblemsOf(Read(place)), ElementsAre("toy.graph.json machines/two.yaml"));
  EXPECT_THAT(
      ProblemsOf(Read(place, {"pairs=[{graph: g, hardware: h}]", "graphs=[a]", "hardware=[b]"})),
      ElementsAre("a b"));
  // One list alone leaves nothing of the pairs that it could be combined with.
  EXPECT_THAT(ErrorOf(place, {"pairs=[{graph: g, hardware: h}]", "graphs=[a]"}),
              HasSubstr("the key hardware is missing"));
}

}  // namespace
}  // namespace opyard::experiments
