// When a search must stop.
#pragma once

#include <cstdint>
#include <optional>

namespace opyard::env {

// Whichever ends first; no value means no limit. Seconds are wall time from the evaluator's
// creation.
struct Budget {
  std::optional<std::int64_t> evaluations;
  std::optional<double> seconds;
};

}  // namespace opyard::env
