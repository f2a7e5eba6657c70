// Why a stored run found no plan that completes.
#pragma once

#include <string>

#include "experiments/store/result_store.h"

namespace opyard::experiments {

// One line: what stopped the plan that ran longest, which is simulated again, or that no plan was
// tried. "" for a run that is done.
[[nodiscard]] std::string FailureOf(ResultStore& store, const StoredRun& run);

}  // namespace opyard::experiments
