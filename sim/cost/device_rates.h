// The rates that a device sustains: FLOPs of an element type, bytes from its memory and its cache.
#pragma once

#include <cstdint>
#include <map>

#include "sim/cost/wider_type.h"
#include "sim/graph/op.h"
#include "sim/hardware/device.h"

namespace opyard::sim {

// The element type whose peak ops of `dtype` run at on `device`: their own, else the next wider
// type that has a peak (wider_type.h), f32 the last of them. Without any, the type with the
// greatest peak, which may be far from true (docs/modelling.md, "The time of one op").
[[nodiscard]] DType PeakDTypeOf(const Device& device, DType dtype);
// False where it is the last of these.
[[nodiscard]] bool HasPeakFor(const Device& device, DType dtype);

// FLOP/s: the peak of `dtype` times what of it the device sustains.
[[nodiscard]] double SustainedPeak(const Device& device, DType dtype);

// The block of `dtype`, else of the nearest wider type that has one, else null.
template <class Block>
[[nodiscard]] const Block* FindBlock(const std::map<DType, Block>& blocks, DType dtype) {
  while (!blocks.contains(dtype) && dtype != DType::kF32) {
    dtype = WiderType(dtype);
  }
  const auto found = blocks.find(dtype);
  return found == blocks.end() ? nullptr : &found->second;
}

// Bytes per second that kernels of one block, or one class, move.
struct MemoryRates {
  double memory = 0.0;  // BW · e_bw
  double cache = 0.0;   // of the l2 tier; not less than `memory`
};
[[nodiscard]] MemoryRates RatesOf(const Device& device, const KernelTerms& kernel);
[[nodiscard]] MemoryRates RatesOf(const Device& device, FusionClass fusion_class);

// The share of `bytes` that the l2 tier serves: 1 / (1 + (bytes / size)^4), a smooth step; 0 on a
// device without one (docs/modelling.md, equation 5).
[[nodiscard]] double CacheShare(const Device& device, double bytes);

// Seconds of `streamed` bytes, which come from the memory, and of `recent` bytes, which the l2 tier
// may hold.
[[nodiscard]] double TrafficSeconds(const Device& device,
                                    const MemoryRates& rates,
                                    double streamed,
                                    double recent);

[[nodiscard]] inline double Real(std::int64_t value) {
  return static_cast<double>(value);
}

// Keeps absurd inputs finite; such times are refused later, when they do not fit SimTime.
[[nodiscard]] double Finite(double seconds);

}  // namespace opyard::sim
