// What a reported run writes down and a fast run does not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/trace/sim_result.h"

namespace opyard::sim {

// What could not be allocated.
struct FailedAllocation {
  enum class What : std::uint8_t { kParams, kOp, kCopy };
  What what = What::kOp;
  std::int32_t subject = 0;  // kernel, or the tensor that is copied
  std::int32_t device = 0;
  std::int64_t time_ps = 0;
  std::int64_t bytes = 0;
};

// Spans by lowered index, filled as the run goes.
struct Recorder {
  std::vector<std::optional<OpSpan>> ops;    // [num_ops] by kernel
  std::vector<TransferSpan> transfers;       // [num slots]; tensor by lowered index
  std::vector<std::int32_t> transfer_order;  // slots in order of their start
  std::optional<FailedAllocation> failure;
};

}  // namespace opyard::sim
