#include "experiments/explain/perturbation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/cost/cost_models.h"
#include "sim/cost/cost_table.h"
#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/rules.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/hardware/routes.h"

namespace opyard::experiments {
namespace {

template <class Factors>
void CheckFactors(const Factors& factors, const std::string& what, Diagnostics& diagnostics) {
  for (const auto& [name, factor] : factors) {
    if (!(factor > 0.0 && std::isfinite(factor))) {
      diagnostics.AddError(what + "/" + name,
                           "found " + std::to_string(factor) + ", expected a factor above 0");
    }
  }
}

void Check(const Perturbation& perturbation) {
  Diagnostics diagnostics;
  CheckFactors(perturbation.op_factors, "op_factors", diagnostics);
  CheckFactors(perturbation.link_factors, "link_factors", diagnostics);
  if (!(perturbation.fusion_saving >= 0.0 && perturbation.fusion_saving <= 1.0)) {
    diagnostics.AddError(
        "fusion_saving",
        "found " + std::to_string(perturbation.fusion_saving) + ", expected 0 to 1");
  }
  diagnostics.ThrowIfAny();
}

void ScaleLinks(const Perturbation& perturbation, sim::HardwareProfile& machine) {
  for (const auto& [name, factor] : perturbation.link_factors) {
    const auto link = std::ranges::find(machine.links, name, &sim::Link::name);
    if (link == machine.links.end()) {
      throw InputError("link_factors: machine " + Quoted(machine.name) + " has no link " +
                       Quoted(name));
    }
    link->bandwidth_bytes_per_s *= factor;
  }
}

void SwapSharing(sim::HardwareProfile& machine) {
  const bool is_serial = machine.transfers.sharing == sim::Sharing::kSerial;
  sim::HardwareProfile swapped = machine;
  swapped.transfers.sharing = is_serial ? sim::Sharing::kFair : sim::Sharing::kSerial;
  const sim::FeatureSet features = sim::FeaturesOf(sim::RulesOf(swapped));
  if (!is_serial || features.Allows(sim::Question::kFairSharing)) {
    machine = std::move(swapped);
  }
}

}  // namespace

sim::HardwareProfile PerturbedMachine(const sim::HardwareProfile& hardware,
                                      const Perturbation& perturbation) {
  sim::HardwareProfile machine = hardware;
  ScaleLinks(perturbation, machine);
  if (perturbation.swaps_sharing) {
    SwapSharing(machine);
  }
  return machine;
}

std::vector<sim::SimResult> SimulatePerturbed(const std::shared_ptr<const sim::OpGraph>& graph,
                                              const sim::HardwareProfile& hardware,
                                              const std::vector<sim::Plan>& plans,
                                              const Perturbation& perturbation) {
  Check(perturbation);
  const auto machine =
      std::make_shared<const sim::HardwareProfile>(PerturbedMachine(hardware, perturbation));
  const auto model = sim::MakeCostModel(perturbation.cost_model);
  const auto costs = std::make_shared<const sim::CostTable>(
      *graph, *machine, sim::ScaledModel(*model, perturbation.op_factors));
  const sim::Simulator simulator(sim::LowerProblem(
      graph, machine, costs, sim::RouteTable(*machine), perturbation.fusion_saving));
  sim::Workspace workspace;
  std::vector<sim::SimResult> results;
  for (const sim::Plan& plan : plans) {
    results.push_back(simulator.Run(plan, workspace));
  }
  return results;
}

}  // namespace opyard::experiments
