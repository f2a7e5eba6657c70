// A span as pictures of a step show it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/analysis/timeline.h"

namespace opyard::sim {

// Whole nanoseconds from the start of the step, [start, finish).
struct PictureSpan {
  std::int64_t start_ns = 0;
  std::int64_t finish_ns = 0;

  [[nodiscard]] bool is_instant() const { return start_ns == finish_ns; }
};

[[nodiscard]] constexpr std::int64_t WholeNanoseconds(SimTime time) {
  return time.picoseconds / 1000;
}

// Viewers of trace events round a start and a duration to nanoseconds each by itself, so that spans
// which touch to the picosecond may overlap, and one of them is dropped. Here both ends are rounded
// down: spans that do not overlap still do not. `end` is that of the step: a span that was under
// way then is cut there.
[[nodiscard]] inline PictureSpan PictureSpanOf(const Run& run, SimTime end) {
  return {.start_ns = WholeNanoseconds(run.start),
          .finish_ns = WholeNanoseconds(std::min(run.finish, end))};
}

}  // namespace opyard::sim
