// Times of a report in whole microseconds, for schedules that can be redone by hand.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/result/sim_result.h"

namespace opyard::testing {

// Start of each op, by op index. REQUIRES: all ops ran.
[[nodiscard]] inline std::vector<std::int64_t> StartsInUs(const sim::SimReport& report) {
  std::vector<std::int64_t> starts;
  for (const auto& span : report.ops) {
    starts.push_back(span.value().start.picoseconds / 1'000'000);
  }
  return starts;
}

// Start and finish of each transfer, in order of their start.
[[nodiscard]] inline std::vector<std::pair<std::int64_t, std::int64_t>> TransfersInUs(
    const sim::SimReport& report) {
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const sim::TransferSpan& transfer : report.transfers) {
    spans.emplace_back(transfer.start.picoseconds / 1'000'000,
                       transfer.finish.picoseconds / 1'000'000);
  }
  return spans;
}

[[nodiscard]] inline std::pair<std::int64_t, std::int64_t> Span(std::int64_t start,
                                                                std::int64_t finish) {
  return {start, finish};
}

}  // namespace opyard::testing
