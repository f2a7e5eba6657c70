#include "sim/io/machine/plausibility.h"

#include <algorithm>
#include <array>
#include <string>

namespace opyard::sim {
namespace {

// A range of plausible values. The largest accelerators of 2025 have 288 GB at 8 TB/s, about 160
// TFLOP/s of f32 and 20 PFLOP/s of f4; a wafer has 125 PFLOP/s of f16. The smallest graphics
// processors that networks are run on reach about 200 GFLOP/s at 10 GB/s and more.
struct Range {
  double least = 0.0;
  double most = 0.0;
  const char* text = "";

  [[nodiscard]] bool Holds(double value) const { return value >= least && value <= most; }
};

constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kTiB = kMiB * kMiB;

constexpr Range kHostMemory{64 * kMiB, 64 * kTiB, "64 MiB to 64 TiB"};
constexpr Range kGpuMemory{512 * kMiB, 2 * kTiB, "512 MiB to 2 TiB"};
constexpr Range kOtherMemory{4 * kMiB, 2 * kTiB, "4 MiB to 2 TiB"};

constexpr Range kHostBandwidth{1e9, 1e13, "1 GB/s to 10 TB/s"};
constexpr Range kAcceleratorBandwidth{1e10, 1e14, "10 GB/s to 100 TB/s"};

constexpr Range kHostPeak{2e9, 1e14, "2 GFLOP/s to 100 TFLOP/s"};
constexpr Range kNarrowHostPeak{2e9, 1e15, "2 GFLOP/s to 1 PFLOP/s"};
constexpr Range kWidePeak{1e11, 1e15, "100 GFLOP/s to 1 PFLOP/s"};
constexpr Range kNarrowPeak{1e11, 1.5e17, "100 GFLOP/s to 150 PFLOP/s"};
// Double precision is left out of many chips, which then do a 64th of their f32 peak.
constexpr Range kDoublePeak{2e9, 1e15, "2 GFLOP/s to 1 PFLOP/s"};

constexpr Range kBalance{0.05, 1e4, "0.05 to 10,000 FLOP per byte"};
constexpr Range kReading{5e-6, 1e3, "5 us to 1000 s"};

void WarnOutside(YamlReader& reader,
                 const YamlNode& node,
                 const std::string& what,
                 const std::string& of,
                 const Range& range) {
  reader.Warn(node, what + " is implausible" + of + " (outside " + range.text + ")");
}

std::string OfKind(DeviceKind kind) {
  return " for a " + std::string(NameOf(kind));
}

const Range& PeakRange(DeviceKind kind, DType dtype) {
  constexpr std::array kWide = {DType::kF32, DType::kI64, DType::kI32};
  const bool is_wide = std::ranges::find(kWide, dtype) != kWide.end();
  if (kind == DeviceKind::kCpu) {
    return is_wide || dtype == DType::kF64 ? kHostPeak : kNarrowHostPeak;
  }
  if (dtype == DType::kF64) {
    return kDoublePeak;
  }
  return is_wide ? kWidePeak : kNarrowPeak;
}

}  // namespace

void WarnAboutMemory(YamlReader& reader, const YamlNode& node, DeviceKind kind, Bytes memory) {
  const Range& range = kind == DeviceKind::kCpu   ? kHostMemory
                       : kind == DeviceKind::kGpu ? kGpuMemory
                                                  : kOtherMemory;
  if (!range.Holds(static_cast<double>(memory.count))) {
    WarnOutside(reader, node, "memory of " + node.text, OfKind(kind), range);
  }
}

void WarnAboutMemoryBandwidth(YamlReader& reader,
                              const YamlNode& node,
                              DeviceKind kind,
                              double bytes_per_s) {
  const Range& range = kind == DeviceKind::kCpu ? kHostBandwidth : kAcceleratorBandwidth;
  if (!range.Holds(bytes_per_s)) {
    WarnOutside(reader, node, "a memory bandwidth of " + node.text, OfKind(kind), range);
  }
}

void WarnAboutPeak(
    YamlReader& reader, const YamlNode& node, DeviceKind kind, DType dtype, double flops_per_s) {
  const Range& range = PeakRange(kind, dtype);
  if (!range.Holds(flops_per_s)) {
    WarnOutside(reader,
                node,
                "a peak of " + node.text + " for " + std::string(NameOf(dtype)),
                OfKind(kind),
                range);
  }
}

void WarnAboutLaunchOverhead(YamlReader& reader, const YamlNode& node, double seconds) {
  if (seconds > 1e-3) {
    reader.Warn(node, "a launch overhead of " + node.text + " is implausible (above 1 ms)");
  }
}

void WarnAboutBalance(YamlReader& reader, const YamlNode& node, const Device& device) {
  if (device.peak_flops_per_s.empty() || device.memory_bandwidth_bytes_per_s <= 0.0) {
    return;  // refused elsewhere
  }
  double peak = 0.0;
  for (const auto& [dtype, rate] : device.peak_flops_per_s) {
    peak = std::max(peak, rate);
  }
  if (!kBalance.Holds(peak / device.memory_bandwidth_bytes_per_s)) {
    WarnOutside(reader, node, "the greatest peak beside this memory bandwidth", "", kBalance);
  }
  const double reading_s =
      static_cast<double>(device.memory.count) / device.memory_bandwidth_bytes_per_s;
  if (!kReading.Holds(reading_s)) {
    WarnOutside(reader, node, "the time to read the whole memory at this bandwidth", "", kReading);
  }
}

}  // namespace opyard::sim
