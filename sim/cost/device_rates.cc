#include "sim/cost/device_rates.h"

#include <algorithm>
#include <limits>

#include "sim/base/check.h"

namespace opyard::sim {
namespace {

// The element type whose peak ops of `dtype` run at, and that peak.
struct Peak {
  DType dtype = DType::kF32;
  double flops_per_s = 0.0;
};

// The type of those that may stand in for `dtype` that has a peak, or f32.
DType StandInFor(const Device& device, DType dtype) {
  while (!device.peak_flops_per_s.contains(dtype) && dtype != DType::kF32) {
    dtype = WiderType(dtype);
  }
  return dtype;
}

// By the order of PeakDTypeOf.
Peak FindPeak(const Device& device, DType dtype) {
  const std::map<DType, double>& peaks = device.peak_flops_per_s;
  if (const auto found = peaks.find(StandInFor(device, dtype)); found != peaks.end()) {
    return {.dtype = found->first, .flops_per_s = found->second};
  }
  Peak best;
  for (const auto& [other, rate] : peaks) {
    if (rate > best.flops_per_s) {
      best = {.dtype = other, .flops_per_s = rate};
    }
  }
  OPYARD_CHECK(best.flops_per_s > 0.0, "device " + device.name + " has no peak_flops");
  return best;
}

MemoryRates Rates(const Device& device,
                  std::optional<double> memory_efficiency,
                  std::optional<double> cache) {
  const double memory = device.memory_bandwidth_bytes_per_s *
                        memory_efficiency.value_or(device.cost.memory_efficiency);
  const double tier = device.cost.l2 ? device.cost.l2->bandwidth_bytes_per_s : 0.0;
  return {.memory = memory, .cache = std::max(memory, cache.value_or(tier))};
}

}  // namespace

double Finite(double seconds) {
  return std::min(seconds, std::numeric_limits<double>::max());
}

DType PeakDTypeOf(const Device& device, DType dtype) {
  return FindPeak(device, dtype).dtype;
}

bool HasPeakFor(const Device& device, DType dtype) {
  return device.peak_flops_per_s.contains(StandInFor(device, dtype));
}

double SustainedPeak(const Device& device, DType dtype) {
  const Peak peak = FindPeak(device, dtype);
  const auto fraction = device.cost.sustained_fraction.find(peak.dtype);
  return peak.flops_per_s * (fraction == device.cost.sustained_fraction.end()
                                 ? device.cost.default_sustained_fraction
                                 : fraction->second);
}

MemoryRates RatesOf(const Device& device, const KernelTerms& kernel) {
  return Rates(device, kernel.memory_efficiency, kernel.l2_bandwidth_bytes_per_s);
}

MemoryRates RatesOf(const Device& device, FusionClass fusion_class) {
  const ClassEfficiency& block = device.cost.classes[static_cast<std::size_t>(fusion_class)];
  return Rates(device, block.memory_efficiency, std::nullopt);
}

double CacheShare(const Device& device, double bytes) {
  if (!device.cost.l2) {
    return 0.0;
  }
  const double filled = bytes / static_cast<double>(device.cost.l2->size.count);
  return 1.0 / (1.0 + filled * filled * filled * filled);
}

double TrafficSeconds(const Device& device,
                      const MemoryRates& rates,
                      double streamed,
                      double recent) {
  const double share = CacheShare(device, recent);
  return Finite((streamed + (1.0 - share) * recent) / rates.memory + share * recent / rates.cache);
}

}  // namespace opyard::sim
