// Ops whose element type a device gives no peak for, as people read it.
#pragma once

#include <string>

#include "env/problem.h"
#include "experiments/base/notice.h"

namespace opyard::experiments {

// A line for each device type and element type for which the cost model has neither that type's
// peak nor f32's, and so takes the fastest of another; "" for none. Counts the ops that may run
// there, have FLOPs and no measured time. `reference` names the graph.
[[nodiscard]] std::string PeaksWarning(const std::string& reference, const env::Problem& problem);

// Sends that warning to `notices`, if there is one.
void WarnOfPeaks(const std::string& reference,
                 const env::Problem& problem,
                 const NoticeListener& notices);

}  // namespace opyard::experiments
