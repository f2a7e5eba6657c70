#include "agents/learned/go/row_order.h"

#include <cmath>

namespace opyard::agents::go {
namespace {

// Independent samples of −ln −ln u, double [num_samples, num_rows], on the CPU.
torch::Tensor GumbelNoise(std::int64_t num_samples, std::int64_t num_rows, Rng& rng) {
  const torch::Tensor noise = torch::empty({num_samples, num_rows}, torch::kDouble);
  auto* value = noise.data_ptr<double>();
  for (std::int64_t i = 0; i < noise.numel(); ++i) {
    const double uniform = 1.0 - rng.Uniform();  // in (0, 1]
    *value++ = -std::log(-std::log(uniform) + 1e-300);
  }
  return noise;
}

// ln Σ over j ≥ i of exp values(j), [K, R].
torch::Tensor LogSumOfRest(const torch::Tensor& values) {
  return values.flip(1).logcumsumexp(1).flip(1);
}

}  // namespace

torch::Tensor PlacesByKey(const torch::Tensor& keys) {
  const torch::Tensor order =
      keys.argsort(/*stable=*/true, /*dim=*/-1, /*descending=*/false);  // [K, R]: rows
  return order.argsort(std::int64_t{-1});
}

torch::Tensor SampleOrders(const torch::Tensor& scores, std::int64_t num_samples, Rng& rng) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor keys =  // [num_samples, R]
      scores.to(torch::kCPU, torch::kDouble) + GumbelNoise(num_samples, scores.size(1), rng);
  return PlacesByKey(-keys).to(scores.device());
}

torch::Tensor LikeliestOrders(const torch::Tensor& scores) {
  const torch::NoGradGuard no_grad;
  return PlacesByKey(-scores);
}

OrderLogProbs EvaluateOrders(const torch::Tensor& scores, const torch::Tensor& places) {
  const torch::Tensor rows = places.argsort(std::int64_t{-1});  // [K, R]: the row at each place
  const torch::Tensor in_order =                                // [K, R]
      scores.to(torch::kDouble).expand({places.size(0), -1}).gather(1, rows);
  // Below −1, so that the logarithm of −z has no pole; a shift of all scores changes nothing.
  const torch::Tensor shifted = in_order - in_order.detach().amax(1, true) - 1.0;
  const torch::Tensor log_sum = LogSumOfRest(shifted);
  // H = ln Σ exp z − Σ p z, with Σ p (−z) as exp(ln Σ exp(z + ln −z) − ln Σ exp z).
  const torch::Tensor minus_mean = (LogSumOfRest(shifted + shifted.neg().log()) - log_sum).exp();
  return {.log_probs = (shifted - log_sum).to(scores.scalar_type()),
          .entropy = (log_sum + minus_mean).to(scores.scalar_type())};
}

torch::Tensor LevelsOfPlaces(const torch::Tensor& places, std::int64_t num_levels) {
  const std::int64_t num_rows = places.size(-1);
  return ((num_rows - 1 - places) * num_levels).div(num_rows, "floor");
}

}  // namespace opyard::agents::go
