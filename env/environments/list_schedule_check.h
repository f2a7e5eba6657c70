// Conditions under which ops can be chosen as time goes on.
#pragma once

#include <vector>

#include "env/environments/stages.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// Throws InputError if scheduling is no task, or fusion is one, or ops fuse while placement is one;
// if the queue is kProgram, or kOrder on a machine where no order repeats a run; and for another
// number of plans than none or that of the stages, or plans beside the task placement. PlanError
// for a plan that does not fit.
void CheckListSchedule(const Stages& stages, const std::vector<sim::Plan>& plans);

}  // namespace opyard::env
