// Decisions of the shipped network before it has seen a single step time.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "env/action_codec.h"
#include "graphs/graph_sources.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/agents/problems.h"

namespace opyard::agents::go {
namespace {

struct Workload {
  std::string graph;
  std::string machine;
};

std::shared_ptr<const env::Problem> ProblemOf(const Workload& workload) {
  return std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = graphs::LoadGraph(workload.graph),
                       .hardware = sim::LoadMachine(workload.machine),
                       .settings = {.tasks = testing::kPlacement}});
}

Options Weights(const std::string& checkpoint) {
  Options options;
  options.Set("checkpoint", checkpoint);
  return options;
}

SimTime FirstPlan(const std::shared_ptr<const env::Problem>& problem,
                  const std::string& checkpoint) {
  const testing::Outcome outcome =
      testing::RunAgent("go-zeroshot", problem, {.evaluations = 1, .options = Weights(checkpoint)});
  return outcome.best->evaluation.result.makespan;
}

SimTime OnOneDevice(const std::shared_ptr<const env::Problem>& problem) {
  sim::Workspace workspace;
  return problem->simulator().Run(env::DefaultPlan(*problem), workspace).makespan;
}

// GO's 14 workloads at the small scale, on the GPUs that its table gives them.
std::vector<Workload> SmallWorkloads() {
  std::vector<Workload> workloads;
  for (const std::string family : {"rnnlm", "gnmt", "transformer_xl"}) {
    for (const std::string count : {"2", "4", "8"}) {
      workloads.push_back(
          {"zoo:" + family + "?layers=" + count + "&scale=small", "p100x" + count + "-pcie"});
    }
  }
  workloads.push_back({"zoo:inception_v3?batch=32&scale=small", "p100x2-pcie"});
  workloads.push_back({"zoo:inception_v3?batch=64&scale=small", "p100x2-pcie"});
  workloads.push_back({"zoo:amoebanet?scale=small", "p100x4-pcie"});
  workloads.push_back({"zoo:wavenet?stacks=2&layers=18&scale=small", "p100x2-pcie"});
  workloads.push_back({"zoo:wavenet?stacks=4&layers=36&scale=small", "p100x4-pcie"});
  return workloads;
}

TEST(GoShippedWeightsTest, TheFirstPlanBeatsOneDeviceOnEightOfFourteenWorkloads) {
  int num_better = 0;
  int num_better_untrained = 0;
  for (const Workload& workload : SmallWorkloads()) {
    const auto problem = ProblemOf(workload);
    const SimTime on_one = OnOneDevice(problem);
    num_better += FirstPlan(problem, "weights/go.opyard") < on_one ? 1 : 0;
    num_better_untrained += FirstPlan(problem, "none") < on_one ? 1 : 0;
  }
  EXPECT_GE(num_better, 8);
  EXPECT_LE(num_better_untrained, 1);
}

// Two GPUs of the four could not hold them.
TEST(GoShippedWeightsTest, APlanThatFitsIsFoundWithinEightSamplesWhereMemoryIsTight) {
  for (const char* graph : {"zoo:transformer_xl?layers=4", "zoo:wavenet?stacks=4&layers=36"}) {
    const testing::Outcome outcome =
        testing::RunAgent("go-zeroshot",
                          ProblemOf({graph, "p100x4-pcie"}),
                          {.evaluations = 8, .options = Weights("weights/go.opyard")});
    ASSERT_TRUE(outcome.best.has_value()) << graph;
    EXPECT_TRUE(outcome.best->evaluation.is_feasible()) << graph;
  }
}

}  // namespace
}  // namespace opyard::agents::go
