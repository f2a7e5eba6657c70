// A makespan that plans of a problem are measured against, as the result store keeps it.
#pragma once

#include <string>

#include "sim/base/units.h"

namespace opyard::experiments {

struct StoredBound {
  std::string graph;  // references, as the experiment writes them
  std::string hardware;
  std::string kind;  // lower_bound: no plan is faster; or, of the experiment's table of optima,
                     // proven_optimum or best_known
  SimTime makespan;
  std::string source;  // who says so: "opyard 0.1.0", or the table
  friend bool operator==(const StoredBound&, const StoredBound&) = default;
};

}  // namespace opyard::experiments
