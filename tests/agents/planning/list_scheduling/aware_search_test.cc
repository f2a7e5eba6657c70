#include "agents/planning/list_scheduling/aware_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "env/group_placement.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;

// By the name of the published algorithm.
class AwareAgentTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(
    All,
    AwareAgentTest,
    ::testing::Values(
        "cpop", "critical_path", "dps", "heft", "m_etf", "m_sct", "m_topo", "mopnr", "peft", "spt"),
    [](const auto& agent) { return agent.param; });

TEST_P(AwareAgentTest, IsNeverSlowerThanOneDevice) {
  for (const env::TaskSet tasks : {testing::kPlacement, testing::kBoth, testing::kAll}) {
    for (const testing::NamedProblem& named : testing::ConformanceProblems(tasks)) {
      SCOPED_TRACE(named.name);
      const testing::Outcome single = RunAgent("single_device", named.problem, {});
      const testing::Outcome aware = RunAgent(GetParam() + "_aware", named.problem, {});
      if (single.best->evaluation.is_feasible()) {
        ASSERT_TRUE(aware.best->evaluation.is_feasible());
        EXPECT_LE(aware.best->evaluation.result.makespan, single.best->evaluation.result.makespan);
      }
    }
  }
}

TEST_P(AwareAgentTest, AsPublishedItAsksForNoSingleDevice) {
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[1].memory.count /= 2;  // or one would be asked for both
  const auto problem = MakeProblem(
      MakeGraph({TimedOp("a", 5), TimedOp("b", 5, {{0, 0}}), TimedOp("c", 5, {{1, 0}})}), machine);
  EXPECT_EQ(RunAgent(GetParam(), problem, {}).num_evaluations, 1);
  EXPECT_GE(RunAgent(GetParam() + "_aware", problem, {}).num_evaluations, 2);
}

std::vector<std::size_t> SizesOf(const std::vector<std::vector<DeviceId>>& sets) {
  std::vector<std::size_t> sizes;
  for (const std::vector<DeviceId>& devices : sets) {
    sizes.push_back(devices.size());
  }
  return sizes;
}

TEST(AwareSearchTest, DeviceSetsDoubleUpToAllMainDevices) {
  const auto graph = MakeGraph({TimedOp("a", 5)});
  EXPECT_THAT(SizesOf(DeviceSets(*MakeProblem(graph, MeshMachine(1)))), ElementsAre(1));
  EXPECT_THAT(SizesOf(DeviceSets(*MakeProblem(graph, MeshMachine(6)))), ElementsAre(2, 4, 6));
  EXPECT_THAT(SizesOf(DeviceSets(*MakeProblem(graph, testing::MeshWithCpu(4)))), ElementsAre(2, 4));
  EXPECT_THAT(SizesOf(DeviceSets(*MakeProblem(graph, MeshMachine(6), testing::kScheduling))),
              ElementsAre(0));
}

TEST(AwareSearchTest, AskingForOneDeviceDoesNotKeepThePlannersPlansFromBeingTried) {
  const auto problem =
      MakeProblem(MakeGraph({TimedOp("a", 5), TimedOp("b", 5), TimedOp("c", 5)}), MeshMachine(3));
  std::vector<std::optional<double>> shares;
  env::Evaluator evaluator(problem, {});
  EvaluateAndAskSingleDevices(
      MemoryRule::kOn, *problem, evaluator, [&](std::optional<double> memory_share) {
        shares.push_back(memory_share);
        const env::GroupPlacement apart{DeviceId(0), DeviceId(1), DeviceId(2)};
        return std::vector{
            ToPlan(*problem, {.device_of_group = apart}),
            ToPlan(*problem, {.device_of_group = env::GroupPlacement(3, DeviceId(0))})};
      });
  EXPECT_THAT(shares, ElementsAre(1.0));
  // One device alone, since the three are alike, and the plan that is none of them.
  EXPECT_EQ(evaluator.num_evaluations(), 2);
}

}  // namespace
}  // namespace opyard::agents
