// `opyard graph annotate`.
#pragma once

#include <optional>
#include <string>

#include "experiments/console/console.h"
#include "sim/graph/op.h"

namespace opyard::experiments {

struct GraphAnnotateOptions {
  std::string graph;
  std::string times;     // a table or a trace (op_timings.h)
  std::string device;    // what the times hold for: a device name, type or kind, or *
  std::string hardware;  // the machine that `device` is of; "" for any of the shipped
  std::optional<sim::Measured> measured;  // what the times hold; by default as the file says
  std::string out;                        // a graph file
  bool json = false;
};

// Writes the graph with the measured times of its ops. Says how many ops were matched by name, by
// order and by neighbours, which ops that take time have none, and which timings match nothing,
// with their share of the time. Returns kAnswerIsNo, and writes nothing, if no timing matches.
// Throws InputError for a device that no machine has.
[[nodiscard]] int AnnotateGraph(const GraphAnnotateOptions& options, const Console& console);

}  // namespace opyard::experiments
