#include "sim/analysis/one_device_memory.h"

#include <gtest/gtest.h>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/graph/op_graph_parts.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::sim {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::TimedOp;
using opyard::testing::VariableOp;

TEST(OneDeviceMemoryTest, TensorsLiveFromTheirProducerToTheirLastReader) {
  // a makes 300, b reads it and makes 200, c reads b's and makes 500, d reads a's and c's.
  //   a: 300; b: 300 + 200; c: 300 + 200 + 500; d: 300 + 500 + 50
  const auto graph = MakeGraph({TimedOp("a", 2, {}, {300}),
                                TimedOp("b", 3, {{0, 0}}, {200}),
                                TimedOp("c", 5, {{1, 0}}, {500}),
                                TimedOp("d", 7, {{0, 0}, {2, 0}}, {50})});

  EXPECT_EQ(MemoryOnOneDevice(*graph).peak, Bytes{1000});
  EXPECT_EQ(MemoryOnOneDevice(*graph).parameters, Bytes{0});
}

TEST(OneDeviceMemoryTest, ParametersAndWorkspaceCount) {
  // 4000 of parameters; a: 300 + 20 of workspace; b: 300 + 10; weights' output aliases them.
  std::vector<OpSpec> ops = {VariableOp("weights", 4000),
                             TimedOp("a", 2, {{0, 0}}, {300}),
                             TimedOp("b", 3, {{1, 0}}, {10})};
  ops[1].workspace_bytes = Bytes{20};
  const OneDeviceMemory memory = MemoryOnOneDevice(*MakeGraph(std::move(ops)));

  EXPECT_EQ(memory.parameters, Bytes{4000});
  EXPECT_EQ(memory.peak, Bytes{4320});
}

// The graph for any kind of device: what a GPU would not run runs there, too.
std::shared_ptr<const OpGraph> OnAnyKind(const OpGraph& graph) {
  std::vector<OpSpec> ops = SpecsOf(graph);
  for (OpSpec& op : ops) {
    op.device_kinds = DeviceKindSet::All();
  }
  return MakeGraph(std::move(ops));
}

// The simulator, made to run ops in topological order, is the second opinion.
Bytes SimulatedPeak(const std::shared_ptr<const OpGraph>& graph) {
  auto machine = std::make_shared<HardwareProfile>(opyard::testing::MeshMachine(1));
  machine->memory.on_exceed = OnExceed::kIgnore;
  Plan plan = opyard::testing::PlacedOn(std::vector<std::int32_t>(graph->num_ops(), 0));
  plan.queue = QueueDiscipline::kPriority;
  for (std::size_t i = 0; i < graph->num_ops(); ++i) {
    plan.op_priority.push_back(-graph->topological_index(OpId(i)));
  }
  const Simulator simulator(LowerProblem(
      graph, machine, opyard::testing::CostsOf(*graph, *machine), RouteTable(*machine)));
  Workspace workspace;
  return simulator.Run(plan, workspace).peak_memory;
}

TEST(OneDeviceMemoryTest, IsThePeakOfASimulationInThatOrder) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const opyard::testing::RandomCase random =
        opyard::testing::MakeRandomCase(seed, opyard::testing::Values::kContinuous, {});
    const auto graph = OnAnyKind(*random.graph);
    EXPECT_EQ(MemoryOnOneDevice(*graph).peak, SimulatedPeak(graph)) << seed;
  }
}

}  // namespace
}  // namespace opyard::sim
