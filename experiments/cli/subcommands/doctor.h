// `opyard doctor`: is everything there that opyard needs?
#pragma once

#include "experiments/console/console.h"

namespace opyard::experiments {

struct DoctorOptions {
  bool json = false;
};

// One line per check; kAnswerIsNo if one fails.
[[nodiscard]] int Doctor(const DoctorOptions& options, const Console& console);

}  // namespace opyard::experiments
