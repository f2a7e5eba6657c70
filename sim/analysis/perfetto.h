// A simulated step as a trace-event file, for ui.perfetto.dev and chrome://tracing.
#pragma once

#include <ostream>
#include <span>

#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"

namespace opyard::sim {

// Writes one JSON object in the Trace Event Format (Google, "Trace Event Format", JSON object form)
// as a stream: nothing is held but the event at hand. Times `ts` and `dur` are microseconds with up
// to three decimals, which viewers keep (sim/analysis/picture_span.h); args repeat them in whole
// picoseconds.
//
//   Process "devices": one track per device with its kernels, and one with those that take less
//     than a nanosecond ("gpu0 (no time)"). There, all of one instant make one event, unless there
//     is only one. Counters of the memory in use, of the limit where the machine enforces one, and
//     of the kernels that are ready.
//   Process "channels": one track per channel with its transfers (those of a fairly shared channel
//     overlap and take further tracks, "up> #2"); without channels one track per pair of devices. A
//     transfer shows on each channel that it occupies. A counter of the transfers that wait.
//   Process "critical path": the parts of `path` that take a nanosecond or more; none if it is
//     empty.
//   Flow arrows from the kernel that makes a tensor to its transfer, and on to each reader; the
//     last and the first nanosecond of the two spans.
//
// Spans of one track never overlap. Of a step that failed, what was under way ends with the step.
// Any text is legal as a name; bytes that are not UTF-8 become U+FFFD.
void WriteTraceEvents(const SimulatedStep& step,
                      const Timeline& timeline,
                      std::span<const CriticalPart> path,
                      std::ostream& out);

}  // namespace opyard::sim
