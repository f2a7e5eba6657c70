// `opyard graph info`.
#pragma once

#include <optional>
#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct GraphInfoOptions {
  std::string graph;
  std::optional<std::string> hardware;  // adds what depends on a machine
  bool json = false;
};

// What a graph is made of: counts by phase and by type, work, bytes, how deep and wide it is, and
// the least memory it needs. With a machine: the critical path, the work of all ops, and bounds,
// and a warning where measured and modelled times meet in them.
// Throws InputError, too, if some op may run on no device of the machine.
[[nodiscard]] int PrintGraphInfo(const GraphInfoOptions& options, const Console& console);

}  // namespace opyard::experiments
