// Simulation of plans on a perturbed machine or under a perturbed cost model.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/cost/cost_models.h"
#include "sim/cost/scaled_model.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"
#include "sim/result/sim_result.h"

namespace opyard::experiments {

// The changes of a perturbed problem. All else, memory and latencies included, stays as it is.
struct Perturbation {
  std::string cost_model = sim::kDefaultCostModel;  // whose costs are perturbed: the problem's
  sim::FactorOfType op_factors;                     // of the time of ops, by their types
  // Factors of the bandwidth, by the names of links.
  std::map<std::string, double, std::less<>> link_factors;
  // serial becomes fair, fair and none become serial; where that is not simulated, it stays.
  bool swaps_sharing = false;
  double fusion_saving = 1.0;  // share of what fusing saves that is left, 0 to 1
};

// The machine as `perturbation` leaves it; default routes are those of the new bandwidths. Throws
// InputError for the name of a link that it lacks.
[[nodiscard]] sim::HardwareProfile PerturbedMachine(const sim::HardwareProfile& hardware,
                                                    const Perturbation& perturbation);

// One result per plan, in order. Throws InputError for a factor that is not above 0, a saving
// outside of 0 to 1, an unknown link or cost model, PlanError for a plan that does not fit.
[[nodiscard]] std::vector<sim::SimResult> SimulatePerturbed(
    const std::shared_ptr<const sim::OpGraph>& graph,
    const sim::HardwareProfile& hardware,
    const std::vector<sim::Plan>& plans,
    const Perturbation& perturbation);

}  // namespace opyard::experiments
