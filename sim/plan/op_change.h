// A small step from one plan to another.
#pragma once

#include <cstdint>
#include <span>

#include "sim/base/ids.h"
#include "sim/plan/plan.h"

namespace opyard::sim {

// Another device and priority for one op. The priority is ignored by plans without op priorities.
struct OpChange {
  OpId op;
  DeviceId device;
  std::int64_t priority = 0;
  friend bool operator==(const OpChange&, const OpChange&) = default;
};

// `plan` with `changes` made in order. REQUIRES: their ops are the plan's.
inline void Apply(std::span<const OpChange> changes, Plan& plan) {
  for (const OpChange& change : changes) {
    plan.placement[change.op.index()] = change.device;
    if (!plan.op_priority.empty()) {
      plan.op_priority[change.op.index()] = change.priority;
    }
  }
}

}  // namespace opyard::sim
