// The earliest starts of ops, under every plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/analysis/problem_bound/dependencies.h"
#include "sim/analysis/problem_bound/op_times.h"
#include "sim/analysis/problem_bound/work_windows.h"

namespace opyard::sim {

// In a graph read backwards the start of an op is the time from its end to the end of the step.
struct HeadRules {
  bool is_reversed = false;
  bool one_op_at_a_time = true;        // on a device; else only paths count
  std::vector<std::int64_t> ready_ps;  // [num_ops]: no op starts earlier
  std::vector<std::int32_t> label;     // [num_ops]: ops of one label share a device; -1: none
  std::vector<std::int64_t> weights;   // [num_classes]: of a device of each class
};

// [num_ops, num_classes] row-major, in picoseconds; kNoTime where an op is not allowed
// (docs/modelling.md, section 5, "Heads and tails").
[[nodiscard]] std::vector<std::int64_t> EarliestStarts(const Dependencies& dependencies,
                                                       const OpTimes& times,
                                                       const TransferTimes& transfers,
                                                       const HeadRules& rules);

// The weights of classes, for each of their devices.
[[nodiscard]] std::vector<std::int64_t> EachDevice(const OpTimes& times,
                                                   const std::vector<std::int64_t>& weights);

// Picoseconds · weight of a device that an op takes at least.
[[nodiscard]] Wide LeastWork(const OpTimes& times,
                             const std::vector<std::int64_t>& weights,
                             std::size_t op);

}  // namespace opyard::sim
