// Run times of ops out of a trace of PyTorch's profiler.
#pragma once

#include <string>
#include <string_view>

#include "experiments/runner/graphs/profiled_types.h"
#include "experiments/runner/graphs/timing.h"

namespace opyard::experiments {

// Reads Chrome's trace format as `torch.profiler` exports it: the complete events ("ph": "X") of
// `traceEvents`, by `ts`, with `dur` in microseconds. What an op of one of `types` calls on its
// thread is part of it, and not listed: aten::linear stands for the aten::addmm within. If the
// trace holds kernels of a GPU (`cat` kernel, gpu_memcpy, gpu_memset), such an op takes the time of
// the kernels that it and its parts launched ("External id" in `args`), any other event that of its
// own, and kernels are not listed: Measured::kKernel. Else `dur` counts, which holds all that the
// CPU did for the op: Measured::kWithLaunch. Throws InputError naming the place, `place`
// being the file's name: text that is no JSON, times that are negative, not finite or above 4.6e6
// s.
[[nodiscard]] Timings ReadProfilerTrace(std::string_view text,
                                        const std::string& place,
                                        const ProfiledTypes& types);

}  // namespace opyard::experiments
