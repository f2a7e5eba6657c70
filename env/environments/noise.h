// Noise of run times: an episode in which ops take longer or shorter than the cost model says.
#pragma once

#include <cstdint>
#include <memory>

#include "env/problem.h"
#include "sim/engine/simulator.h"

namespace opyard::env {

inline constexpr double kMostNoise = 1.0;

// The noise of one episode: each op takes exp(sigma z) times what the cost model says, on every
// device, with z normal and the median factor 1. The simulation is as exact as without.
struct Noise {
  double sigma = 0.0;      // in [0, kMostNoise]; 0: none
  std::uint64_t seed = 0;  // of the factors; 0 without noise
};

// Throws InputError "noise: …" for a sigma out of range.
void CheckNoise(double sigma);

// The simulator of an episode: the problem's own without noise. Kernels that fuse are made of the
// noisy costs of their ops. O(ops + edges) with noise.
[[nodiscard]] std::shared_ptr<const sim::Simulator> SimulatorWith(const Noise& noise,
                                                                  const Problem& problem);

}  // namespace opyard::env
