// `opyard results merge`.
#pragma once

#include <string>
#include <vector>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct ResultsMergeOptions {
  std::vector<std::string> results;  // folders or files
  std::string out;                   // folder of the joined store
  bool json = false;
};

// Joins the stores and says what came of it. kInterrupted if it was stopped: the same call goes on.
[[nodiscard]] int MergeResults(const ResultsMergeOptions& options, const Console& console);

}  // namespace opyard::experiments
