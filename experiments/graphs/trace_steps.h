// Which repetition of a step each event of a trace belongs to.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/graphs/trace_events.h"
#include "sim/graph/op.h"

namespace opyard::experiments {

// For each of `events`, sorted by start, the number of its step, from 0; −1 for all if nothing
// separates steps, and for what began outside of all ProfilerStep annotations if there are any.
// Without these, a step ends where an optimizer's does; without those, where an op of the forward
// pass follows one of the backward pass. `passes` says of which pass an event is, or kUnknown.
[[nodiscard]] std::vector<std::int64_t> StepsOf(std::span<const TraceEvent> events,
                                                std::span<const sim::Phase> passes);

}  // namespace opyard::experiments
