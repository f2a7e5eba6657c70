// The right shift of a schedule: each op as late as its successors and its device let it.
#pragma once

#include <vector>

#include "agents/planning/estimates/op_times.h"
#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/list_scheduling/list_schedule.h"
#include "env/problem.h"

namespace opyard::agents {

// The picoseconds from each op's start to the end of the step, [num_ops], in the right shift of
// `schedule`: ops by falling finish, each on its device, into the last idle gap before its
// successors and the transfers to them, each transfer alone on its route. They never increase along
// an edge, so that they are a key of ListScheduler::Build, whose schedule is then the left shift.
// The two together are the double justification of Valls, Ballestín and Quintanilla, "Justification
// and RCPSP: A technique that pays" (European Journal of Operational Research 165, 2005).
// Deviation: there every task may use any unit of a resource; here ops keep their devices in the
// right shift. O(edges + ops · log ops), more on devices with many gaps.
[[nodiscard]] std::vector<double> TimesToEnd(const env::Problem& problem,
                                             const ListSchedule& schedule,
                                             const TransferTimes& transfers,
                                             const OpTimes& times);

}  // namespace opyard::agents
