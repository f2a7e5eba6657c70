#include "experiments/config/config.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/config/read_experiment.h"
#include "tests/support/damaged_texts.h"

namespace opyard::experiments {
namespace {

using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using testing::kExperiment;
using testing::Read;
using testing::WithLine;
using testing::Workplace;

std::vector<std::string> LabelsOf(const ExperimentConfig& config) {
  std::vector<std::string> labels;
  std::ranges::transform(
      config.agents, std::back_inserter(labels), [](const AgentConfig& a) { return a.label; });
  return labels;
}

TEST(ConfigTest, AgentsThatAnOverrideReplacesMayBeUnknownHere) {
  const Workplace place;
  place.Write("experiment.yaml", WithLine(6, "agents: [heft, of_another_build]"));
  EXPECT_THAT(LabelsOf(Read(place, {"agents=[brkga, heft]"})),
              ::testing::ElementsAre("brkga", "heft"));
  EXPECT_THAT(
      ErrorOf(place, {"agents=[brkga, unheard_of]"}),
      ::testing::AllOf(HasSubstr("unheard_of"), ::testing::Not(HasSubstr("of_another_build"))));
}

// One line of the experiment is wrong: the message names the place and says what was expected.
struct Malformed {
  std::string name;
  std::size_t line = 0;
  std::string text;
  std::string place;    // LINE:COLUMN
  std::string message;  // part of it
};

class MalformedConfigTest : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedConfigTest, IsRefusedAtItsPlace) {
  const Malformed& malformed = GetParam();
  const Workplace place;
  place.Write("experiment.yaml", WithLine(malformed.line, malformed.text));
  const std::string error = ErrorOf(place);
  EXPECT_THAT(error, HasSubstr("experiment.yaml:" + malformed.place + ": "));
  EXPECT_THAT(error, HasSubstr(malformed.message));
}

// Columns count from 1, at the first character of the value (of the key, for a key that is unknown
// and for a parameter).
INSTANTIATE_TEST_SUITE_P(
    All,
    MalformedConfigTest,
    ::testing::Values(
        Malformed{"UnknownKey", 8, "budgte: {seconds: 3}", "8:1", "did you mean \"budget\""},
        Malformed{"DuplicateKey", 8, "name: again", "8:1", "name"},
        Malformed{"WrongSchemaVersion", 1, "schema_version: 2", "1:17", "expected"},
        Malformed{"NameIsNumber", 2, "name: 12", "2:7", "quotes"},
        Malformed{"NameWithSlash", 2, "name: a/b", "2:7", "without spaces"},
        Malformed{"EmptyGraphs", 3, "graphs: []", "3:9", "found 0 entries"},
        Malformed{"GraphsIsText", 3, "graphs: toy.graph.json", "3:9", "expected"},
        Malformed{"GraphTwice", 3, "graphs: [a.json, b.json, a.json]", "3:26", "twice"},
        Malformed{"EmptyHardware", 4, "hardware: []", "4:11", "found 0 entries"},
        Malformed{"NegativeEvaluations", 5, "budget: {evaluations: -1}", "5:23", "whole number"},
        Malformed{"ZeroSeconds", 5, "budget: {seconds: 0}", "5:19", "expected"},
        Malformed{"SecondsNotANumber", 5, "budget: {seconds: .nan}", "5:19", "expected"},
        Malformed{"SecondsInfinite", 5, "budget: {seconds: .inf}", "5:19", "expected"},
        Malformed{"UnknownBudgetKey", 5, "budget: {second: 1}", "5:10", "did you mean \"seconds\""},
        Malformed{"EmptyAgents", 6, "agents: []", "6:9", "found 0 entries"},
        Malformed{"UnknownAgent", 6, "agents: [heft, brgka]", "6:16", "did you mean \"brkga\""},
        Malformed{"AgentTwice", 6, "agents: [heft, heft]", "6:16", "another label"},
        Malformed{"AgentWithoutName", 6, "agents: [{label: x}]", "6:10", "name"},
        Malformed{"PairsBesideGraphs",
                  4,
                  "pairs: [{graph: toy.graph.json, hardware: m}]",
                  "4:8",
                  "pairs: found beside graphs, expected either pairs or the two lists"},
        Malformed{"UnknownBudgetKeyOfAnAgent",
                  6,
                  "agents: [{name: heft, budget: {second: 1}}]",
                  "6:32",
                  "did you mean \"seconds\""},
        Malformed{"NoLimitInTheBudgetOfAnAgent",
                  6,
                  "agents: [{name: heft, budget: {seconds: null}}]",
                  "6:31",
                  "found no limit"},
        Malformed{"UnknownParameter",
                  6,
                  "agents: [{name: simulated_annealing, params: {coolin: 0.9}}]",
                  "6:47",
                  "did you mean \"cooling\""},
        Malformed{"ParameterOutOfRange",
                  6,
                  "agents: [{name: simulated_annealing, params: {cooling: 2}}]",
                  "6:47",
                  "expected a number in"},
        Malformed{"GridParameterOutOfRange",
                  6,
                  "agents: [{name: brkga, grid: {population: [-1]}}]",
                  "6:31",
                  "found -1, expected a whole number in"},
        Malformed{"EmptyGrid",
                  6,
                  "agents: [{name: brkga, grid: {elite_share: []}}]",
                  "6:44",
                  "0 combinations"},
        Malformed{"GridIsNoMap", 6, "agents: [{name: brkga, grid: [1]}]", "6:30", "expected a map"},
        Malformed{"EmptySeeds", 7, "seeds: []", "7:8", "found 0 entries"},
        Malformed{"NegativeSeed", 7, "seeds: [0, -3]", "7:12", "whole number"},
        Malformed{"SeedTwice", 7, "seeds: [4, 4]", "7:12", "twice"},
        Malformed{"SeedBeyondInt64", 7, "seeds: [9223372036854775808]", "7:9", "whole number"},
        Malformed{"UnknownTask", 8, "problem: {tasks: [placemnt]}", "8:18", "\"placement\""},
        Malformed{"TaskTwice",
                  8,
                  "problem: {tasks: [fusion, fusion]}",
                  "8:18",
                  "tasks: found the task \"fusion\" twice"},
        Malformed{"TaskIsAList", 8, "problem: {tasks: [[fusion]]}", "8:19", "found a list"},
        Malformed{"NoTask", 8, "problem: {tasks: []}", "8:18", "found no task"},
        Malformed{"UnknownObjective", 8, "problem: {objective: speed}", "8:22", "makespan"},
        Malformed{"WeightsAllZero",
                  8,
                  "problem: {objective: {weighted: {makespan: 0}}}",
                  "8:33",
                  "no weight above 0"},
        Malformed{"UnknownWeight",
                  8,
                  "problem: {objective: {weighted: {speed: 1}}}",
                  "8:34",
                  "found the weight \"speed\", expected one of makespan, peak_memory"},
        Malformed{"HeavyWeight",
                  8,
                  "problem: {objective: {weighted: {makespan: 1, peak_memory: 2e9}}}",
                  "8:47",
                  "found 2e+09 as the weight of peak_memory"},
        Malformed{"WeightIsText",
                  8,
                  "problem: {objective: {weighted: {makespan: \"1\"}}}",
                  "8:34",
                  "found \"1\" as the weight of makespan"},
        Malformed{"NoWeights", 8, "problem: {objective: {weighted: }}", "8:33", "a map"},
        Malformed{"NoObjective", 8, "problem: {objective: }", "8:22", "found nothing"},
        Malformed{"UnknownFusion", 8, "problem: {defaults: {fusion: all}}", "8:30", "framework"},
        Malformed{"UnknownQueue", 8, "problem: {defaults: {queue: lifo}}", "8:29", "fifo"},
        Malformed{"UnknownBaseline", 8, "problem: {baseline: gut_feeling}", "8:21", "human_expert"},
        Malformed{"DecidePerLayer", 8, "decide_per: layer", "8:13", "group"},
        Malformed{"NoDepth", 8, "decide_per: module:0", "8:13", "module:1 to module:64"},
        Malformed{"ContiguousInWords", 8, "contiguous: maybe", "8:13", "true"},
        Malformed{"NoGroups", 8, "max_groups: -1", "8:13", "whole number"},
        Malformed{"IncludeMissing", 8, "include: [absent.yaml]", "8:11", "beside this one"},
        Malformed{"IncludeItself", 8, "include: [experiment.yaml]", "8:11", "includes this file"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(ConfigTest, ReadsEveryKey) {
  const Workplace place;
  place.Write("experiment.yaml", R"(schema_version: 1
name: all
graphs: [a.json]
hardware: [m]
problem:
  tasks: [scheduling, fusion]
  objective: {weighted: {makespan: 1, peak_memory: 0.5}}
  defaults: {queue: priority, fusion: none}
  baseline: heft
budget: {evaluations: 7, seconds: 2.5}
agents: [heft]
seeds: [3]
decide_per: op
max_groups: 9
)");
  const ExperimentConfig config = Read(place);
  EXPECT_EQ(config.problem.tasks,
            (env::TaskSet{.placement = false, .scheduling = true, .fusion = true}));
  EXPECT_EQ(
      SettingsJson(config, config.agents[0], Rewards::kNone),
      R"({"problem":{"tasks":["scheduling","fusion"],"objective":{"weighted":{"makespan":1.0,)"
      R"("peak_memory":0.5}},"defaults":{"queue":"priority","fusion":"none"}},)"
      R"("decide_per":"op","max_groups":9,"budget":{"evaluations":7,"seconds":2.5}})");
  EXPECT_EQ(config.problem.baseline, "heft");
  EXPECT_THAT(config.seeds, ElementsAre(3));
}

TEST(ConfigTest, ModulesAndTheirOrderAreKeptInTheSettings) {
  const Workplace place;
  place.Write("experiment.yaml", WithLine(8, "decide_per: module:2\ncontiguous: true"));
  const ExperimentConfig config = Read(place);
  EXPECT_EQ(config.problem.decide_per, env::DecidePer::kModule);
  EXPECT_EQ(config.problem.module_depth, 2);
  EXPECT_TRUE(config.problem.contiguous);
  EXPECT_THAT(SettingsJson(config, config.agents[0], Rewards::kNone),
              HasSubstr(R"("decide_per":"module:2","max_groups":0,"contiguous":true)"));
  EXPECT_FALSE(Read(place, {"contiguous=null"}).problem.contiguous);
}

TEST(ConfigTest, AnAgentsOwnBudgetStandsInPlaceOfTheExperiments) {
  const Workplace place;
  place.Write("experiment.yaml",
              WithLine(6,
                       "agents: [heft, {name: brkga, budget: {seconds: 3}}, {name: random, grid: "
                       "{levels: [2, 3]}, budget: {evaluations: 7}}]"));
  const ExperimentConfig config = Read(place, {"budget.evaluations=30"});
  const auto budget = [&](std::size_t agent) { return BudgetOf(config, config.agents[agent]); };
  EXPECT_EQ(budget(0).evaluations, 30);
  EXPECT_EQ(budget(1).evaluations, std::nullopt);  // all of it, not key by key
  EXPECT_EQ(budget(1).seconds, 3.0);
  EXPECT_EQ(budget(2).evaluations, 7);
  EXPECT_EQ(budget(3).evaluations, 7);
  EXPECT_THAT(SettingsJson(config, config.agents[0], Rewards::kNone),
              ::testing::EndsWith(R"("budget":{"evaluations":30}})"));
  EXPECT_THAT(SettingsJson(config, config.agents[1], Rewards::kNone),
              ::testing::EndsWith(R"("budget":{"seconds":3.0},"budget_of":"agent"})"));
}

TEST(ConfigTest, WithoutBudgetOnlyEvaluationsAreLimited) {
  const Workplace place;
  place.Write("experiment.yaml", WithLine(5, "# no budget"));
  const env::Budget budget = Read(place).budget;
  EXPECT_EQ(budget.evaluations, kDefaultEvaluations);
  EXPECT_EQ(budget.seconds, std::nullopt);
}

TEST(ConfigTest, AGridMakesOneAgentPerCombinationInOrder) {
  const Workplace place;
  place.Write("experiment.yaml",
              WithLine(6,
                       "agents: [{name: simulated_annealing, label: sa, params: {start: random}, "
                       "grid: {cooling: [0.9, 0.99], restarts: [0, 2]}}]"));
  const ExperimentConfig config = Read(place);
  EXPECT_THAT(LabelsOf(config),
              ElementsAre("sa[cooling=0.9,restarts=0]",
                          "sa[cooling=0.9,restarts=2]",
                          "sa[cooling=0.99,restarts=0]",
                          "sa[cooling=0.99,restarts=2]"));
  EXPECT_EQ(ParamsJson(config.agents[3].params),
            R"({"cooling":0.99,"restarts":2,"start":"random"})");
}

TEST(ConfigTest, AllProblemsOfAFileAreReportedAtOnce) {
  const Workplace place;
  place.Write("experiment.yaml", WithLine(7, "seeds: []\nagent: 1\nmax_groups: -1"));
  const std::string error = ErrorOf(place);
  EXPECT_THAT(error, HasSubstr("experiment.yaml:7:8: "));
  EXPECT_THAT(error, HasSubstr("experiment.yaml:8:1: "));
  EXPECT_THAT(error, HasSubstr("experiment.yaml:9:13: "));
}

// brkga itself stops at its first wrong value, and reports unknown names only without one.
TEST(ConfigTest, EveryWrongParameterOfAnAgentIsReportedWhereItStands) {
  const Workplace place;
  place.Write("experiment.yaml",
              WithLine(6,
                       "agents:\n"
                       "  - name: brkga\n"
                       "    params:\n"
                       "      populaton: 3\n"
                       "      start: nowhere\n"
                       "      elite_share: 7\n"
                       "      elite_bias: 0.7\n"));
  const std::string error = ErrorOf(place);
  EXPECT_THAT(error, HasSubstr("experiment.yaml:9:7: agent brkga: unknown option \"populaton\""));
  EXPECT_THAT(error, HasSubstr("experiment.yaml:10:7: option start: found nowhere"));
  EXPECT_THAT(error, HasSubstr("experiment.yaml:11:7: option elite_share: found 7"));
  EXPECT_EQ(std::ranges::count(error, '\n'), 2) << error;
}

TEST(ConfigTest, AWrongParameterOfAGridIsReportedOnce) {
  const Workplace place;
  place.Write("experiment.yaml",
              WithLine(6, "agents: [{name: brkga, grid: {populaton: [2, 3, 5]}}]"));
  EXPECT_THAT(ErrorOf(place), HasSubstr("experiment.yaml:6:31: agent brkga: unknown option"));
  EXPECT_EQ(ErrorOf(place).find('\n'), std::string::npos);
}

TEST(ConfigTest, PlacesOfGraphsMachinesAndAgentsAreKept) {
  const Workplace place;
  place.Write("common.yaml", "hardware: [a,\n  b]\n");
  place.Write("experiment.yaml", WithLine(4, "include: [common.yaml]"));
  const ExperimentConfig config = Read(place, {"agents=[heft, brkga]"});
  EXPECT_THAT(config.graph_places, ElementsAre(place.Path("experiment.yaml") + ":3:10"));
  EXPECT_THAT(config.hardware_places,
              ElementsAre(place.Path("common.yaml") + ":1:12", place.Path("common.yaml") + ":2:3"));
  EXPECT_THAT(config.agent_places,
              ElementsAre("--set agents=[heft, brkga]:1:2", "--set agents=[heft, brkga]:1:8"));
}

TEST(ConfigTest, MissingKeysAreNamed) {
  const Workplace place;
  place.Write("experiment.yaml", "schema_version: 1\nname: x\n");
  const std::string error = ErrorOf(place);
  for (const char* key : {"graphs", "hardware", "agents", "seeds"}) {
    EXPECT_THAT(error, HasSubstr(std::string("the key ") + key + " is missing"));
  }
}

TEST(ConfigTest, OverridesReplaceSingleKeysAndLeaveTheirNeighbours) {
  const Workplace place;
  const ExperimentConfig config =
      Read(place, {"budget.seconds=1.5", "seeds=[7, 9]", "problem.tasks=[placement]"});
  EXPECT_EQ(config.budget.evaluations, 20);
  EXPECT_EQ(config.budget.seconds, 1.5);
  EXPECT_THAT(config.seeds, ElementsAre(7, 9));
  EXPECT_FALSE(config.problem.tasks.scheduling);
}

TEST(ConfigTest, NullLiftsALimit) {
  const Workplace place;
  const env::Budget budget = Read(place, {"budget.evaluations=null", "budget.seconds=2"}).budget;
  EXPECT_EQ(budget.evaluations, std::nullopt);
  EXPECT_EQ(budget.seconds, 2.0);
}

TEST(ConfigTest, WrongOverridesAreRefusedByTheirText) {
  const Workplace place;
  EXPECT_THAT(ErrorOf(place, {"budget.secnds=1"}),
              AllOf(HasSubstr("--set budget.secnds=1"), HasSubstr("\"seconds\"")));
  EXPECT_THAT(ErrorOf(place, {"budget"}), HasSubstr("expected KEY=VALUE"));
  EXPECT_THAT(ErrorOf(place, {"seeds=[1"}), HasSubstr("--set seeds=[1"));
  EXPECT_THAT(ErrorOf(place, {"a..b=1"}), HasSubstr("--set a..b=1"));
}

TEST(ConfigTest, AnIncludingFileWinsOverItsIncludes) {
  const Workplace place;
  place.Write("common/base.yaml", "budget: {evaluations: 5, seconds: 4}\nseeds: [1, 2, 3]\n");
  place.Write("experiment.yaml", WithLine(7, "include: [common/base.yaml]"));
  const ExperimentConfig config = Read(place);
  EXPECT_EQ(config.budget.evaluations, 20);  // its own
  EXPECT_EQ(config.budget.seconds, 4.0);     // the include's
  EXPECT_THAT(config.seeds, ElementsAre(1, 2, 3));
}

TEST(ConfigTest, ProblemsInAnIncludeAreReportedThere) {
  const Workplace place;
  place.Write("common.yaml", "max_groups: many\n");
  place.Write("experiment.yaml", WithLine(8, "include: [common.yaml]"));
  EXPECT_THAT(ErrorOf(place), HasSubstr("common.yaml:1:13: "));
}

TEST(ConfigTest, IncludesInACircleAndTooDeepAreRefused) {
  const Workplace place;
  place.Write("a.yaml", "include: [b.yaml]\n");
  place.Write("b.yaml", "include: [a.yaml]\n");
  place.Write("experiment.yaml", WithLine(8, "include: [a.yaml]"));
  EXPECT_THAT(ErrorOf(place), HasSubstr("b.yaml:1:11: include: found \"a.yaml\""));
  for (int i = 0; i < 20; ++i) {
    place.Write("d" + std::to_string(i) + ".yaml",
                "include: [d" + std::to_string(i + 1) + ".yaml]\n");
  }
  place.Write("experiment.yaml", WithLine(8, "include: [d0.yaml]"));
  EXPECT_THAT(ErrorOf(place), HasSubstr("expected at most 8 levels"));
}

TEST(ConfigTest, AHugeMatrixIsRefused) {
  const Workplace place;
  std::string seeds = "seeds: [0";
  std::string graphs = "graphs: [g";
  for (int i = 1; i < 1200; ++i) {
    seeds += "," + std::to_string(i);
    graphs += ",g" + std::to_string(i);
  }
  place.Write("experiment.yaml", WithLine(7, seeds + "]"));
  EXPECT_THAT(ErrorOf(place, {graphs.replace(6, 2, "=") + "]"}), HasSubstr("expected at most"));
}

TEST(ConfigTest, BrokenYamlAndAFolderAreRefused) {
  const Workplace place;
  place.Write("experiment.yaml", "name: [a\n");
  EXPECT_THAT(ErrorOf(place), HasSubstr("experiment.yaml:"));
  EXPECT_THROW(
      static_cast<void>(ReadExperiment(place.Path("machines"), {}, agents::ClassicalAgents())),
      InputError);
}

TEST(ConfigTest, DamagedExperimentsAreAcceptedOrRefusedAsInput) {
  const opyard::testing::TemporaryFolder folder;
  const agents::AgentRegistry registry = agents::ClassicalAgents();
  const int num_refused = opyard::testing::CountRefused(kExperiment, [&](const std::string& text) {
    (void)ReadExperiment(folder.Write("experiment.yaml", text), {}, registry);
  });
  EXPECT_GT(num_refused, opyard::testing::kDamagedFiles / 2);
  EXPECT_LT(num_refused, opyard::testing::kDamagedFiles);
}

}  // namespace
}  // namespace opyard::experiments
