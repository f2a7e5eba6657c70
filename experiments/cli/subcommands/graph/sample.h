// `opyard graph sample`.
#pragma once

#include <cstdint>
#include <string>

#include "experiments/console/console.h"

namespace opyard::experiments {

struct GraphSampleOptions {
  std::string family;    // a reference without a seed: "random:regal?n=100"
  std::string hardware;  // what the graphs are hard for
  std::string out;       // a folder, made if it is not there
  std::string objective = "makespan";
  std::int64_t count = 0;
  std::int64_t seed = 0;         // of the first graph that is tried; then one more each
  std::int64_t few = 200;        // evaluations
  std::int64_t many = 5000;      // the same
  std::int64_t most_tried = 20;  // graphs per graph that is asked for
};

// Writes `count` hard graphs (hardness.h) of a random family, as OUT/SEED.graph.json.gz: a training
// set. No two of them have one topology (topology_digest.h). Decides placement and scheduling, on
// all cores. kAnswerIsNo if too few of those that it tries are hard.
[[nodiscard]] int SampleGraphs(const GraphSampleOptions& options, const Console& console);

}  // namespace opyard::experiments
