#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::TimedOp;
using testing::MakeProblem;
using testing::Outcome;
using testing::RunAgent;

// 20 ops of equal work in a chain, of which the first ten hold `bytes` each.
std::shared_ptr<const env::Problem> HeavyBeginning(std::int64_t bytes) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 20; ++i) {
    const auto inputs =
        i == 0 ? std::vector<sim::InputRef>{} : std::vector<sim::InputRef>{{i - 1, 0}};
    ops.push_back(TimedOp("op" + std::to_string(i), 2, inputs, {8}));
    ops.back().param_bytes = Bytes{i < 10 ? bytes : 0};
  }
  return MakeProblem(MakeGraph(ops), MeshMachine(2));
}

Outcome RunOnce(const std::string& agent, const std::shared_ptr<const env::Problem>& problem) {
  Options once;
  once.Set("tries", std::int64_t{1});
  return RunAgent(agent, problem, {.options = once});
}

std::ptrdiff_t HeavyOpsOnFirst(const Outcome& outcome) {
  return std::ranges::count(std::span(outcome.best->plan.placement).first(10),
                            DeviceId(std::int32_t{0}));
}

TEST(MetisMemoryTest, SharesMemoryWhereOneDeviceCannotHoldAPart) {
  // Halves of the chain have the least cut, but one of them holds 1.5 MB, and a device 1 MB.
  const auto problem = HeavyBeginning(150'000);
  EXPECT_FALSE(RunOnce("metis", problem).best->evaluation.is_feasible());
  const Outcome outcome = RunOnce("metis_memory", problem);
  EXPECT_TRUE(outcome.best->evaluation.is_feasible());
  EXPECT_GE(HeavyOpsOnFirst(outcome), 4);  // 6 on the other would hold 0.9 MB
  EXPECT_LE(HeavyOpsOnFirst(outcome), 6);
}

TEST(MetisMemoryTest, CutsNoMoreWhereThereIsRoom) {
  // 10 · 50 kB fit on either device: one edge of the chain is cut, as without memory.
  const Outcome outcome = RunOnce("metis_memory", HeavyBeginning(50'000));
  const auto& placement = outcome.best->plan.placement;
  std::set<std::size_t> cuts;
  for (std::size_t i = 1; i < placement.size(); ++i) {
    if (placement[i] != placement[i - 1]) {
      cuts.insert(i);
    }
  }
  EXPECT_EQ(cuts, std::set<std::size_t>{10});
}

TEST(MetisMemoryTest, MemoryFollowsTheCapacitiesOfTheDevices) {
  // There are 40 ops of equal work, of which 20 hold 100 kB. Devices of 3 MB and 0.3 MB, equally
  // fast: the second may take half of the work, but no more than two of those that hold something.
  std::vector<sim::OpSpec> ops;
  for (std::int64_t i = 0; i < 40; ++i) {
    ops.push_back(TimedOp("op" + std::to_string(i), 2, {}, {8}));
    ops.back().param_bytes = Bytes{i % 2 == 0 ? 100'000 : 0};
  }
  sim::HardwareProfile machine = MeshMachine(2);
  machine.devices[0].memory = Bytes{3'000'000};
  machine.devices[1].memory = Bytes{300'000};
  const Outcome outcome = RunAgent("metis_memory", MakeProblem(MakeGraph(ops), machine), {});
  EXPECT_TRUE(outcome.best->evaluation.is_feasible());
}

TEST(MetisMemoryTest, FitsWhereMetisDoesNot) {
  const auto problem = std::make_shared<const env::Problem>(
      env::ProblemSpec{.graph = graphs::LoadGraph("zoo:transformer_xl?layers=4"),
                       .hardware = sim::LoadMachine("p100x4-pcie")});
  EXPECT_FALSE(RunAgent("metis", problem, {}).best->evaluation.is_feasible());
  EXPECT_TRUE(RunAgent("metis_memory", problem, {}).best->evaluation.is_feasible());
}

}  // namespace
}  // namespace opyard::agents
