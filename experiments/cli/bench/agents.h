// `opyard bench agents`: how long agents that need no search take on a large graph, and what a
// genetic algorithm takes beside the runs of its plans.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/cli/command.h"
#include "experiments/console/console.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

struct BenchAgentsOptions {
  bool json = false;
  std::vector<std::string> agents = {"heft_aware", "metis"};
  std::int64_t num_ops = 80'000;  // what the figures are quoted for
  // Sizes for the genetic algorithm, which evaluates many plans.
  std::int64_t num_genetic_ops = 1'000;
  std::int64_t num_decodes = 5'000;
};

// The agents with their default parameters, on a layered training graph and a star of 8 devices
// whose memory never runs out; fusion none and framework, decisions per group (the default) and per
// op. One run of each on one thread, until nothing is left to try or 2,000 evaluations are made;
// loading the graph is not timed. Then `brkga` from random genes on a smaller graph of that kind,
// two devices and no fusion, a decision per op, with and without genes of copies, on one and two
// threads. Its figures are the least of three, in turns with whole runs of the plans that it
// evaluates. Long: some minutes.
[[nodiscard]] int BenchAgents(const BenchAgentsOptions& options, const Console& console);

// Adds the subcommand to `group`; if it is chosen, it sets `command` to its call.
void AddBenchAgentsArguments(CLI::App& group, Command& command);

}  // namespace opyard::experiments
