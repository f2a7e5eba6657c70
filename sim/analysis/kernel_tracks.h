// Tracks of kernels in a picture of a step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/analysis/timeline.h"

namespace opyard::sim {

// A track per device (per stream of a device whose streams run side by side: "gpu0", "gpu0 stream
// 1"), and one more, "gpu0 (no time)", where kernels of it take less than a
// nanosecond: variables, constants and the like, of which hundreds may run at one instant. Viewers
// would stack them on top of each other.
struct KernelTracks {
  // Kernels of one device at one instant, in order of their index.
  struct Instant {
    std::int32_t track = 0;
    std::int64_t time_ns = 0;
    std::vector<std::int32_t> kernels;
  };

  std::vector<std::string> names;       // of the tracks, by device and stream
  std::vector<std::int32_t> of_kernel;  // its track; that of its device or stream if it never ran
  std::vector<Instant> instants;        // by track, then time
};

// O(kernels · log kernels).
[[nodiscard]] KernelTracks LayOutKernels(const SimulatedStep& step, const Timeline& timeline);

}  // namespace opyard::sim
