// An explanation as data: "explanation" of `opyard simulate --explain --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/explain/explanation.h"
#include "sim/analysis/timeline.h"

namespace opyard::experiments {

// docs/formats.md, "Answers", says what stands in it. Times on the path are whole picoseconds, so
// that its parts add up; all others are seconds that read back exactly.
[[nodiscard]] nlohmann::ordered_json ExplanationJson(const sim::SimulatedStep& step,
                                                     const Explanation& explanation);

}  // namespace opyard::experiments
