#include "env/environments/noise.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/rng.h"
#include "sim/cost/cost_models.h"
#include "sim/cost/scaled_model.h"

namespace opyard::env {

void CheckNoise(double sigma) {
  if (!(sigma >= 0.0 && sigma <= kMostNoise)) {
    throw InputError("noise: found " + std::to_string(sigma) +
                     ", expected the standard deviation of the logarithm of a factor, 0 to 1");
  }
}

std::shared_ptr<const sim::Simulator> SimulatorWith(const Noise& noise, const Problem& problem) {
  if (noise.sigma == 0.0) {
    return problem.shared_simulator();
  }
  Rng rng(noise.seed);
  std::vector<double> factors(problem.graph().num_ops());
  for (double& factor : factors) {
    factor = std::exp(noise.sigma * rng.Normal());
  }
  const auto model = sim::MakeCostModel(problem.settings().cost_model);
  const auto hardware = problem.shared_marked_hardware();
  auto costs = std::make_shared<const sim::CostTable>(
      problem.graph(), *hardware, sim::NoisyModel(*model, std::move(factors)));
  return std::make_shared<const sim::Simulator>(
      sim::LowerProblem(problem.shared_graph(), hardware, std::move(costs), problem.routes()));
}

}  // namespace opyard::env
