// Groups that would save a transfer on the critical path if they stood elsewhere.
#pragma once

#include <cstddef>
#include <vector>

#include "agents/planning/estimates/critical_step.h"
#include "env/problem.h"
#include "sim/base/ids.h"

namespace opyard::agents {

struct Reassignment {
  std::size_t group = 0;
  DeviceId device;       // the group may stand there, and does not
  double seconds = 0.0;  // of the critical path that go into transfers which this saves
  friend bool operator==(const Reassignment&, const Reassignment&) = default;
};

// For each transfer on the critical path and each wait of one for a channel: the group that makes
// the tensor may go to the device of the kernel that the path leads on to, and the groups that read
// the tensor there may go where it is made. Equal reassignments add up; in order of groups, then
// devices. Nothing where placement is no task.
[[nodiscard]] std::vector<Reassignment> CriticalReassignments(const env::Problem& problem,
                                                              const CriticalStep& step);

}  // namespace opyard::agents
