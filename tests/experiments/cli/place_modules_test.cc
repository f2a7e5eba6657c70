// opyard place: modules, the network's order, and what an eager runtime makes of a placement.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/problem.h"
#include "graphs/graph_sources.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/plan/plan_json.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

std::vector<std::string> PlaceArgs(const Workplace& place, const std::string& agent) {
  return {"place",
          "--graph",
          place.Path("toy.graph.json"),
          "--hardware",
          place.Path("machines/two.yaml"),
          "--agent",
          agent,
          "--evaluations",
          "20"};
}

std::vector<std::string> operator+(std::vector<std::string> args,
                                   const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

std::string TextOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PlaceModulesTest, PrintsWhatAnEagerRuntimeMakesOfThePlacement) {
  const Workplace place;
  const auto ask = [&](const std::vector<std::string>& more) {
    return RunCommand(PlaceArgs(place, "single_device") + more);
  };
  EXPECT_THAT(ask({}).out,
              HasSubstr("as an eager runtime runs it (queue program, fusion none): step time "
                        "10.000 ms"));  // 2 + 3 + 5 ms on one device
  const std::vector<std::string> eager = {"--queue", "program", "--fusion", "none"};
  EXPECT_THAT(ask(eager).out, ::testing::Not(HasSubstr("eager")));
  const std::string json_out = "--json";
  std::vector<std::string> args = PlaceArgs(place, "single_device");
  EXPECT_EQ(RunCommand(args + std::vector<std::string>{json_out}).Json().at("eager_makespan_s"),
            0.010);
  EXPECT_EQ(RunCommand(args + std::vector<std::string>{json_out}).Json().at("eager_outcome"),
            "completed");
  EXPECT_EQ(
      RunCommand(args + eager + std::vector<std::string>{json_out}).Json().at("eager_makespan_s"),
      nullptr);
}

TEST(PlaceModulesTest, ContiguousPlansHaveOneRunPerDevice) {
  const Workplace place;
  const Ended ended = RunCommand({"place",
                                  "--graph",
                                  "zoo:gpt?scale=tiny",
                                  "--hardware",
                                  "p100x2-pcie",
                                  "--agent",
                                  "random",
                                  "--evaluations",
                                  "30",
                                  "--decide-per",
                                  "module:1",
                                  "--contiguous",
                                  "--queue",
                                  "program",
                                  "--fusion",
                                  "none",
                                  "--out",
                                  place.Path("stages.plan.json")});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const auto graph = graphs::LoadGraph("zoo:gpt?scale=tiny");
  const auto machine = sim::LoadMachine("p100x2-pcie");
  const env::Problem problem(
      {.graph = graph,
       .hardware = machine,
       .settings = {.decide_per = env::DecidePer::kModule, .module_depth = 1, .contiguous = true}});
  const sim::Plan plan = sim::ReadPlanFile(place.Path("stages.plan.json"), *graph, *machine);
  EXPECT_TRUE(problem.contiguity()->Holds(plan.placement));
  EXPECT_EQ(plan.queue, sim::QueueDiscipline::kProgram);
}

TEST(PlaceModulesTest, PlansOfKernelsInsideOfModulesAreWorthTheSameElsewhere) {
  const Workplace place;
  const std::vector<std::string> args = {"place",
                                         "--graph",
                                         "zoo:gpt?scale=tiny",
                                         "--hardware",
                                         "p100x2-pcie",
                                         "--agent",
                                         "random",
                                         "--evaluations",
                                         "10"};
  const std::string out = place.Path("regions.plan.json");
  const Ended placed =
      RunCommand(args + std::vector<std::string>{"--fusion", "module", "--out", out, "--json"});
  ASSERT_EQ(placed.status, 0) << placed.err;
  EXPECT_THAT(TextOf(out), HasSubstr("fusion_region"));
  const Ended simulated = RunCommand({"simulate",
                                      "--graph",
                                      "zoo:gpt?scale=tiny",
                                      "--hardware",
                                      "p100x2-pcie",
                                      "--plan",
                                      out,
                                      "--json"});
  EXPECT_EQ(simulated.Json().at("makespan_s"), placed.Json().at("makespan_s"));
}

}  // namespace
}  // namespace opyard::experiments
