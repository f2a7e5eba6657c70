// A step as a picture of characters.
#pragma once

#include <span>
#include <string>

#include "experiments/text/terminal.h"
#include "sim/analysis/critical_path.h"
#include "sim/analysis/timeline.h"

namespace opyard::experiments {

// One row per device and per channel (per pair of devices where transfers take no channel; the
// sixteen busiest), one column per equal slice of the makespan. The darker a cell, the more of its
// slice is taken; in colour it shows the phase that takes most. A last row shows what the critical
// path mostly does in each slice; it is absent if `path` is empty. Rows are as wide as the
// terminal, or a little wider than a very narrow one.
[[nodiscard]] std::string GanttText(const sim::SimulatedStep& step,
                                    const sim::Timeline& timeline,
                                    std::span<const sim::CriticalPart> path,
                                    const Terminal& terminal);

}  // namespace opyard::experiments
