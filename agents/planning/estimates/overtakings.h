// Ops that could run before others which delay them on the critical path.
#pragma once

#include <vector>

#include "agents/planning/estimates/critical_step.h"
#include "sim/base/ids.h"

namespace opyard::agents {

struct Overtaking {
  OpId op;
  OpId ahead;            // runs before `op` on the same device
  double seconds = 0.0;  // for which `op` is ready and waits behind it
  friend bool operator==(const Overtaking&, const Overtaking&) = default;
};

// One for each wait of a kernel behind another of its device or stream on the critical path: the
// pairs that neighbourhoods of job shops swap (Nowicki and Smutnicki, Management Science 1996; van
// Laarhoven, Aarts and Lenstra, Operations Research 1992). Kernels go by their first ops. In order
// of the path.
[[nodiscard]] std::vector<Overtaking> CriticalOvertakings(const CriticalStep& step);

}  // namespace opyard::agents
