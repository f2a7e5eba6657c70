// Memory needs of plans that ran out of memory.
#pragma once

#include <string>
#include <vector>

#include "env/problem.h"
#include "sim/base/units.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

struct MemoryNeed {
  std::string device;  // or memory pool, in place of its devices
  Bytes peak;          // what the plan holds there at most, if memory has no end
  Bytes parameters;    // of these, from the beginning to the end
  Bytes capacity;
};

// The devices on which `plan` needs more than there is, those that lack most first: its peaks in a
// simulation without limits. REQUIRES: the plan is legal.
[[nodiscard]] std::vector<MemoryNeed> NeedsBeyondCapacity(const env::Problem& problem,
                                                          const sim::Plan& plan);

// "needs 68.40 GiB on gpu0 (62.00 GiB of parameters and up to 6.40 GiB of other tensors), which has
// 24.00 GiB; …": at most three devices.
[[nodiscard]] std::string NeedsText(const std::vector<MemoryNeed>& needs);

// "needs 68.40 GiB on one device (62.00 GiB of parameters and up to 6.40 GiB of other tensors)":
// the whole graph (sim/analysis/one_device_memory.h).
[[nodiscard]] std::string OneDeviceText(const sim::OpGraph& graph);

}  // namespace opyard::experiments
