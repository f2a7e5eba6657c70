#include "experiments/config/resolved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/config/read_experiment.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::Read;
using testing::WithLine;
using testing::Workplace;

constexpr const char* kEverything = R"(schema_version: 1
name: everything
include: [common.yaml]
graphs: ["set/*.stg"]
agents:
  - {name: simulated_annealing, label: s, grid: {cooling: [0.9, 0.99]}}
  - {name: random, budget: {seconds: 2}}
problem:
  tasks: [placement]
  objective: {weighted: {makespan: 1, peak_memory: 0.1}}
  baseline: random
  memory: ignore
split: {train: [{graph: "random:layered?n=9&seed={i}", count: 3, weight: 2}]}
training: {updates: 5, save_seconds: 1, tasks: [[placement], [placement, fusion]]}
tuning: {space: {population: {low: 2, high: 8, scale: log}}, trials: 4}
)";

// The experiment above, with what it names, in `place`.
ExperimentConfig ReadEverything(const Workplace& place) {
  place.Write("set/a.stg", "");
  place.Write("set/b.stg", "");
  place.Write("common.yaml", "hardware: [machines/two.yaml]\nseeds: [3, 4]\noptima: o.csv\n");
  place.Write("experiment.yaml", kEverything);
  return Read(place, {"budget.evaluations=7"});
}

TEST(ResolvedTest, ReadsAsTheSameExperiment) {
  const Workplace place;
  const std::string resolved = ResolvedText(ReadEverything(place));
  place.Write("experiment.yaml", resolved);
  const ExperimentConfig again = Read(place);
  EXPECT_EQ(ResolvedText(again), resolved);
  EXPECT_THAT(again.graphs, ElementsAre("set/a.stg", "set/b.stg"));
  ASSERT_EQ(again.agents.size(), 3U);  // two of the grid
  EXPECT_EQ(again.agents[1].label, "s[cooling=0.99]");
  EXPECT_EQ(again.agents[2].budget->seconds, 2.0);
  EXPECT_EQ(again.agents[2].budget->evaluations, std::nullopt);
  EXPECT_EQ(again.budget.evaluations, 7);
  EXPECT_EQ(again.problem.memory, sim::OnExceed::kIgnore);
  EXPECT_EQ(again.training.graphs[0].count, 3);
  EXPECT_EQ(again.training.tasks.size(), 2U);
  EXPECT_EQ(again.tuning.trials, 4);
  EXPECT_EQ(again.tuning.space.at(0).name, "population");
  EXPECT_EQ(again.optima, "o.csv");
}

TEST(ResolvedTest, KeepsPairsAndDefaults) {
  const Workplace place;
  place.Write("experiment.yaml",
              "schema_version: 1\nname: p\npairs: [{graph: g, hardware: h}]\n"
              "agents: [random]\nseeds: [0]\n");
  const std::string resolved = ResolvedText(Read(place));
  EXPECT_THAT(resolved, HasSubstr(R"("pairs":[{"graph":"g","hardware":"h"}])"));
  EXPECT_THAT(resolved, HasSubstr(R"("budget":{"evaluations":2000,"seconds":null})"));
  EXPECT_THAT(resolved, HasSubstr(R"("baseline":"single_device")"));
  EXPECT_EQ(resolved.find("memory"), std::string::npos);  // the machine's own rule
}

TEST(MemoryTest, IsOneOfThreeWordsAndNullLiftsIt) {
  const Workplace place;
  place.Write("experiment.yaml", WithLine(8, "problem: {memory: wait}"));
  EXPECT_EQ(Read(place).problem.memory, sim::OnExceed::kWait);
  EXPECT_EQ(Read(place, {"problem.memory=null"}).problem.memory, std::nullopt);
  EXPECT_THAT(ErrorOf(place, {"problem.memory=ignor"}),
              HasSubstr("--set problem.memory=ignor:1:1: found \"ignor\", expected one of fail, "
                        "wait, ignore; did you mean \"ignore\"?"));
}

}  // namespace
}  // namespace opyard::experiments
