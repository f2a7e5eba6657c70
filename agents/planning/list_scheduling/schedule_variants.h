// Plans from schedules by earliest start times.
#pragma once

#include <functional>
#include <vector>

#include "agents/planning/estimates/transfer_times.h"
#include "agents/planning/list_scheduling/aware_search.h"
#include "agents/planning/list_scheduling/earliest_start_schedule.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// Appends the plan of the schedule: where scheduling is a task, first with the order in which ops
// were chosen as priorities, and always with the problem's default queue, unless they are there.
void AddScheduleVariants(const env::Problem& problem,
                         const TransferTimes& transfers,
                         const EarliestStartOptions& options,
                         std::vector<sim::Plan>& plans);

// Options but for memory, transfers and devices; called before each schedule is made.
using MakeEarliestStartOptions = std::function<EarliestStartOptions()>;

// Evaluates the variants of schedules within the devices' memory. As published: of one, which may
// fail. Aware: of EvaluateSchedules (aware_search.h) with MemoryRule::kOn, then, if none completed,
// EvaluateBySize (memory_placement.h).
void EvaluateEarliestStarts(Awareness awareness,
                            const env::Problem& problem,
                            env::Evaluator& evaluator,
                            const TransferTimes& transfers,
                            const MakeEarliestStartOptions& make_options);

}  // namespace opyard::agents
