// Validation of the plans of a store.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/base/interrupt.h"

namespace opyard::experiments {

struct Validation {
  std::size_t runs = 0;
  std::size_t plans = 0;
  std::size_t agreed = 0;
  std::vector<std::string> differences;  // a line each, which names the run
  std::vector<std::string> notes;        // of what has changed since, but is no difference
};

// Simulates every stored plan of `results`, a folder or its file, again. Outcomes and makespans
// have to be what the runs recorded, to the picosecond, on the graphs and machines that the store
// holds. A store without them needs those of the runs unchanged. Stops early, with what it has seen
// until then, when interrupted. Throws InputError for a file that is no store, or damaged as a
// whole.
[[nodiscard]] Validation ValidateStore(const std::string& results, const InterruptFlag& interrupt);

}  // namespace opyard::experiments
