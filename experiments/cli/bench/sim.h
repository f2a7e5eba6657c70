// `opyard bench sim`: how many ops the simulator executes per second.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/cli/command.h"
#include "experiments/console/console.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

struct BenchSimOptions {
  bool json = false;
  bool quick = false;  // shorter measurements: all cases within a minute
  // Sizes of the layered graphs; the default is what the speed figures are quoted for.
  std::vector<std::int64_t> op_counts = {1'000, 10'000, 80'000};
};

// Layered and training graphs on a star of 2, 4, 8 devices, serial sharing with channels pair and
// default, max-min fair sharing, 1 and 2 threads, priorities and memory on, a different random
// placement in every timed run. Making the placements is not timed. Of each case the fastest batch
// of runs counts: what else runs on the machine only slows. Long: about two minutes, --quick half a
// minute.
[[nodiscard]] int BenchSim(const BenchSimOptions& options, const Console& console);

// Adds the subcommand to `group`; if it is chosen, it sets `command` to its call.
void AddBenchSimArguments(CLI::App& group, Command& command);

}  // namespace opyard::experiments
