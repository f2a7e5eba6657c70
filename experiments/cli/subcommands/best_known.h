// `opyard results best-known`.
#pragma once

#include <string>
#include <vector>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct BestKnownOptions {
  std::vector<std::string> results;  // with `out` results of `opyard run`, else one folder of plans
  std::string out;                   // folder of plans that keeps the best of them; "" for none
  bool json = false;
};

// Prints the table of best known plans, after the best of `results` went into `out` if that is
// given. kInterrupted if they did so in part. Throws InputError for what cannot be read or written.
[[nodiscard]] int ShowBestKnown(const BestKnownOptions& options, const Console& console);

}  // namespace opyard::experiments
