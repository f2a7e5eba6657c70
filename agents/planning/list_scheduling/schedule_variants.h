// Plans from schedules by earliest start times.
#pragma once

#include <vector>

#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/list_scheduling/earliest_start_schedule.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// Appends the plan of the schedule: where scheduling is a task, first with the order in which ops
// were chosen as priorities, and always with the problem's default queue, unless they are there.
void AddScheduleVariants(const env::Problem& problem,
                         const TransferTimes& transfers,
                         const EarliestStartOptions& options,
                         std::vector<sim::Plan>& plans);

}  // namespace opyard::agents
