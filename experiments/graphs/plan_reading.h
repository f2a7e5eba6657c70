// Plans as the subcommands read them.
#pragma once

#include <string>

#include "experiments/base/notice.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

// sim::ReadPlanFile; sends `notices` a warning if the plan was written for a graph of another name.
[[nodiscard]] sim::Plan LoadPlan(const std::string& path,
                                 const sim::OpGraph& graph,
                                 const sim::HardwareProfile& hardware,
                                 const NoticeListener& notices);

}  // namespace opyard::experiments
