// The answer of `opyard place --json`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/problem.h"
#include "experiments/explain/memory_needs.h"
#include "experiments/matrix/search.h"

namespace opyard::experiments {

// What was asked, as it was written.
struct PlaceQuestion {
  std::string graph;
  std::string hardware;
  std::string agent;
  std::int64_t seed = 0;
};

// What the best plan of `answer` is worth, and where it lacks memory. REQUIRES: some plan was
// tried.
[[nodiscard]] std::string PlaceJson(const PlaceQuestion& question,
                                    const SearchAnswer& answer,
                                    const env::Problem& problem,
                                    const std::vector<MemoryNeed>& needs);

}  // namespace opyard::experiments
