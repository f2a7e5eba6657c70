// Differences between the streams of a neighbouring plan and those of a remembered run.
#pragma once

#include <cstdint>

#include "sim/engine/incremental/run_history.h"
#include "sim/plan/streams.h"

namespace opyard::sim {

// The first instant at which a run with `streams` reads what differs from those of `history`; never
// if nothing does. A place in a stream matters once the op before it starts: then the op in it
// becomes the head. O(ops).
[[nodiscard]] std::int64_t FirstEffectOfStreams(const RunHistory& history, const Streams& streams);

}  // namespace opyard::sim
