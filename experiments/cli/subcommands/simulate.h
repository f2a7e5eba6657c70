// `opyard simulate`: one plan, executed, with the full report and on request its explanation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct SimulateOptions {
  std::string graph;
  std::string hardware;
  std::string plan;                   // a file
  bool ops = false;                   // adds start and finish of each op
  bool explain = false;               // adds why it takes so long and what would change that
  bool gantt = false;                 // adds a picture, not with `json`
  std::optional<std::int64_t> width;  // columns of the picture
  std::optional<std::string> trace;   // writes a trace-event file
  bool json = false;
};

// kAnswerIsNo if the plan does not complete, kInterrupted if Ctrl-C cut the explanation short.
[[nodiscard]] int Simulate(const SimulateOptions& options, const Console& console);

}  // namespace opyard::experiments
