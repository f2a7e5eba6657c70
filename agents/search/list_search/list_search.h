// Local search over the lists that list schedulers go by.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// The state is a key per op: list scheduling (planning/list_scheduling/list_schedule.h) takes the
// ops in the order of their keys, as far as they depend on none that is still to come, and finds a
// device for each; the schedule is justified while that makes it shorter (right_shift.h). A move
// gives some ops random keys, or changes how devices are chosen (list_plans.h); one that makes the
// plan no worse is taken. It begins at the keys of heft and of critical_path, each way of choosing
// devices once, and after each device alone.
//
// The literature knows it from project scheduling, where lists are searched rather than start times
// because any list is a schedule: Kolisch and Hartmann, "Heuristic algorithms for the resource-
// constrained project scheduling problem" (1999), section 4. Deviations: what a list is worth, the
// simulator says; lists that tie may follow each other without end, as plateaus are wide.
//
// Decides no fusion: where fusion is a task, that of the start it is given, else the default.
// Sequential. Where only one plan exists, it is evaluated once.
[[nodiscard]] AgentEntry ListSearchEntry();

}  // namespace opyard::agents
