// Memory of the zoo's translation models: against the 16 GiB of one P100, and of placements by
// layer on several.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/cost/roofline.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/simulator.h"
#include "sim/hardware/routes.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/plan/plan.h"

namespace opyard::graphs {
namespace {

using sim::OpGraph;

struct Trial {
  Trial(const std::string& graph_name, const std::string& machine_name)
      : graph(LoadGraph(graph_name)), machine(sim::LoadMachine(machine_name)) {
    const auto costs =
        std::make_shared<const sim::CostTable>(*graph, *machine, sim::RooflineModel());
    simulator.emplace(sim::LowerProblem(graph, machine, costs, sim::RouteTable(*machine)));
    for (std::size_t i = 0; i < machine->devices.size(); ++i) {
      if (machine->devices[i].kind == sim::DeviceKind::kGpu) {
        gpus.emplace_back(i);
      }
    }
  }

  [[nodiscard]] sim::Outcome OutcomeOf(const sim::Plan& plan) const {
    sim::Workspace workspace;
    return simulator->Run(plan, workspace).outcome;
  }

  // Layers below `first` on the first GPU, the others on the second.
  [[nodiscard]] sim::Plan SplitBefore(std::int32_t first) const {
    sim::Plan plan;
    for (const sim::Op& op : graph->ops()) {
      plan.placement.push_back(gpus[*op.layer < first ? 0 : 1]);
    }
    return plan;
  }

  std::shared_ptr<const OpGraph> graph;
  std::shared_ptr<const sim::HardwareProfile> machine;
  std::optional<sim::Simulator> simulator;
  std::vector<DeviceId> gpus;
};

TEST(ZooMemoryTest, GnmtOfFourAndEightLayersDoesNotFitOneP100) {
  for (const char* name : {"zoo:gnmt?layers=4", "zoo:gnmt?layers=8"}) {
    const Trial trial(name, "p100x2-pcie");
    EXPECT_EQ(trial.OutcomeOf(sim::SingleDevicePlan(trial.graph->num_ops(), trial.gpus[0])),
              sim::Outcome::kOutOfMemory)
        << name;
  }
}

TEST(ZooMemoryTest, GnmtOfTwoLayersFitsTwoP100sSplitByLayer) {
  const Trial trial("zoo:gnmt?layers=2", "p100x2-pcie");
  EXPECT_EQ(trial.OutcomeOf(trial.SplitBefore(2)), sim::Outcome::kCompleted);
}

TEST(ZooMemoryTest, WavenetOfTwoStacksFitsTwoP100sSplitByLayer) {
  const Trial trial("zoo:wavenet?stacks=2&layers=18", "p100x2-pcie");
  EXPECT_EQ(trial.OutcomeOf(trial.SplitBefore(11)), sim::Outcome::kCompleted);
}

}  // namespace
}  // namespace opyard::graphs
