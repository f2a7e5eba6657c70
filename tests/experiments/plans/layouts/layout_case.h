// A network of blocks on a machine, and exports of its plans.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/problem.h"
#include "experiments/plans/layouts/export_layout.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/graph/modules.h"
#include "tests/support/block_network.h"
#include "tests/support/small_graphs.h"

namespace opyard::experiments::testing {

// GPUs d0, d1, … and at last one CPU, "cpu".
[[nodiscard]] inline sim::HardwareProfile MachineWithCpu(std::size_t num_gpus) {
  sim::HardwareProfile machine = opyard::testing::MeshMachine(num_gpus + 1);
  machine.devices.back().name = "cpu";
  machine.devices.back().kind = sim::DeviceKind::kCpu;
  return machine;
}

class LayoutCase {
 public:
  explicit LayoutCase(std::shared_ptr<const sim::OpGraph> graph, std::size_t num_gpus = 2)
      : problem_(env::ProblemSpec{
            .graph = std::move(graph),
            .hardware = std::make_shared<const sim::HardwareProfile>(MachineWithCpu(num_gpus)),
            .settings = {.decide_per = env::DecidePer::kOp}}),
        tree_(sim::ModuleTreeOf(problem_.graph())),
        roles_(RolesOf(problem_.graph(), tree_)) {}
  explicit LayoutCase(const opyard::testing::BlockNetwork& network, std::size_t num_gpus = 2)
      : LayoutCase(opyard::testing::MakeBlockNetwork(network), num_gpus) {}

  // The program, on the devices of modules; that of the CPU is the last one.
  [[nodiscard]] sim::Plan ProgramOn(const std::map<std::string, std::int32_t>& devices) const {
    return {.placement = opyard::testing::PlacedByModule(problem_.graph(), devices),
            .queue = sim::QueueDiscipline::kProgram};
  }

  [[nodiscard]] LayoutExport Export(const sim::Plan& plan,
                                    const std::string& target,
                                    const LayoutOptions& options = {}) const {
    return ExportLayout(problem_, plan, LayoutTargetOf(target), options);
  }

  // The text of the only file, or of the one with that name; the reasons where there is none.
  [[nodiscard]] std::string TextOf(const sim::Plan& plan,
                                   const std::string& target,
                                   const LayoutOptions& options = {},
                                   const std::string& name = "") const {
    const LayoutExport result = Export(plan, target, options);
    for (const LayoutFile& file : result.layout.files) {
      if (name.empty() || file.name == name) {
        return file.text;
      }
    }
    return "reasons:\n" + ReasonsText(result.inexpressible);
  }

  // `use` of the plan with its run.
  template <class Use>
  auto With(const sim::Plan& plan, const Use& use, const LayoutOptions& options = {}) const {
    sim::Workspace workspace;
    const sim::SimReport run = problem_.simulator().RunReport(plan, workspace);
    return use(LayoutInput{.problem = problem_,
                           .tree = tree_,
                           .roles = roles_,
                           .plan = plan,
                           .run = run,
                           .options = options});
  }

  [[nodiscard]] const env::Problem& problem() const { return problem_; }
  [[nodiscard]] const sim::OpGraph& graph() const { return problem_.graph(); }
  [[nodiscard]] const sim::ModuleTree& tree() const { return tree_; }
  [[nodiscard]] const std::vector<OpRole>& roles() const { return roles_; }

 private:
  env::Problem problem_;
  sim::ModuleTree tree_;
  std::vector<OpRole> roles_;
};

}  // namespace opyard::experiments::testing
