// HEFT: heterogeneous earliest finish time.
#pragma once

#include "agents/registry.h"

namespace opyard::agents {

// Topcuoglu, Hariri and Wu (IEEE TPDS 2002), section 4: ops by falling upward rank, each to the
// device where it ends first, in an idle gap if one is long enough. Deviations:
//  - A group of several ops goes to one device as a whole (GroupDeviceRule): whole_group, first_op,
//  or
//    both (default) as two plans. For groups of one op the two are the paper's rule.
//  - Means of costs and transfers are over all devices (the paper), over those of the main kind, or
//    both (default) as separate plans: a slow host processor distorts the means of a machine of
//    accelerators.
//  - Where scheduling is a task, each placement is judged twice: with the problem's default queue,
//    and with the ranks as priorities. Where placement is no task, the ranks are all that is new.
//  - The paper has no memory; capacity_test (memory_rule.h) adds it: off (the paper), on, or auto
//    (default).
// Uses at most 32 evaluations (usually 2 to 8) and no random numbers.
// Options: group_rule (both), means (both), capacity_test (auto).
[[nodiscard]] AgentEntry HeftEntry();

}  // namespace opyard::agents
