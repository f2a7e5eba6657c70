// Run times of ops out of a trace of PyTorch's profiler.
#pragma once

#include <string>

#include "experiments/graphs/profiled_types.h"
#include "experiments/graphs/timing.h"

namespace opyard::experiments {

// Reads `text` as ReadTraceEvents does. What an op of one of `types` calls on its thread is part of
// it and not listed: aten::linear stands for the aten::addmm within. All that an optimizer's step,
// the clearing of gradients or their accumulation calls is part of that.
//
// If the trace holds runs of kernels or copies of a device, a timing holds those that it and its
// parts launched, each once: Measured::kKernel. A kernel belongs to the op whose "External id" it
// carries, else to the one within which the runtime's call of the same `correlation` was made; to
// nobody (CUDA graphs), it is a timing of its own name. A record without a duration was lost by the
// profiler: the op that launched it is not measured, nor is one that launched nothing.
// Else a timing holds what the CPU did for it and its parts, or for itself alone if what it calls
// is listed: Measured::kWithLaunch. So the timings add up to what the trace holds.
//
// Repetitions are separated by ProfilerStep annotations, else by the ends of optimizers' steps,
// else by the return from the backward to the forward pass.
[[nodiscard]] Timings ReadProfilerTrace(std::string text,
                                        const std::string& place,
                                        const ProfiledTypes& types);

}  // namespace opyard::experiments
