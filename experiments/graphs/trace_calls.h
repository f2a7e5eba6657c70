// Which event of a trace called which.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "experiments/graphs/trace_events.h"

namespace opyard::experiments {

inline constexpr std::size_t kNoEvent = static_cast<std::size_t>(-1);

// For each of `events`, sorted as ReadTraceEvents does, the op or annotation on its thread within
// which it began, the innermost; kNoEvent for none, and for what a device ran.
[[nodiscard]] std::vector<std::size_t> CallersOf(std::span<const TraceEvent> events);

// For each of `events` the op or annotation that launched it if a device ran it: by its external
// id, else by the runtime's call of the same correlation. kNoEvent for all others.
[[nodiscard]] std::vector<std::size_t> LaunchersOf(std::span<const TraceEvent> events,
                                                   std::span<const std::size_t> callers);

}  // namespace opyard::experiments
