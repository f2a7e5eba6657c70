// Warnings about ops whose times on a machine are not measured but modelled, as people read them.
#pragma once

#include <string>

#include "env/problem.h"
#include "experiments/base/notice.h"
#include "experiments/text/measured_coverage.h"

namespace opyard::experiments {

// The extent to which the times of the problem's graph are measured on its machine.
[[nodiscard]] MeasuredCoverage MeasuredCoverageOn(const env::Problem& problem);

// The times that a bound of the problem mixes, as the other MixedTimesText says.
[[nodiscard]] std::string MixedTimesText(const env::Problem& problem);

// "" where no op is measured on a device that may run it, or all are on all of them; ops that only
// name data do not count. Else how many are not on some device where others are, and the devices
// where none is: measured and modelled times do not compare. Before it how many times that are said
// to hold a launch are shorter than one: fusing would save what was never there. `reference` names
// the graph.
[[nodiscard]] std::string MeasuredWarning(const std::string& reference,
                                          const env::Problem& problem);

// Sends that warning to `notices`, if there is one.
void WarnOfMeasured(const std::string& reference,
                    const env::Problem& problem,
                    const NoticeListener& notices);

}  // namespace opyard::experiments
