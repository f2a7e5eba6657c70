// Overhead of a search: its time beside the simulations that it asks for.
#pragma once

#include <cstddef>

#include "agents/base/search_run.h"

namespace opyard::experiments {

struct SearchOverhead {
  agents::SearchResult search;  // with the least wall time and the least processor time of all
  // Processor time of one thread for running, alone, every plan that the search evaluated, but with
  // the priorities of copies left to their readers.
  double runs_seconds = 0.0;
};

// Searches, and runs its plans, `repeats` times in turns; the least of each counts. Keeps all plans
// in memory. Fewer repeats once the request's interrupt is raised.
[[nodiscard]] SearchOverhead MeasureOverhead(const agents::SearchRequest& request,
                                             std::size_t repeats,
                                             const agents::AgentRegistry& registry);

}  // namespace opyard::experiments
