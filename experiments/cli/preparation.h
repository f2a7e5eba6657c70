// The common part of `opyard train` and `opyard tune`: one agent of an experiment is made ready
// over many problems, in a folder, and may be interrupted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/cli/executor_arguments.h"
#include "experiments/cli/tracking_arguments.h"
#include "experiments/config/config.h"
#include "experiments/console/console.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

struct PreparationOptions {
  std::string experiment;              // a file, or a shipped one's name
  std::vector<std::string> overrides;  // "training.updates=10"
  std::string out;                     // folder; empty: results/NAME
  std::string agent;                   // label; empty: the only one that there is to prepare
  std::optional<std::int64_t> seed;    // nothing: the experiment's first
  std::size_t threads = 0;             // that evaluate plans; 0: all cores
  bool resume = false;
  ExecutorWords executor;
  bool json = false;
  bool quiet = false;  // no progress
  TrackingOptions tracking;
};

// Words of the help.
struct PreparationWords {
  std::string work;           // "training"
  std::string default_agent;  // "the only one"
  std::string override_key;   // "tuning.trials=9"
};

// Adds the arguments to a subcommand; they are read into `options`, which outlives it.
void AddPreparationArguments(CLI::App& subcommand,
                             const PreparationWords& words,
                             PreparationOptions& options);

// The agent with the label, or the only one of `agents`. Throws InputError that names all.
[[nodiscard]] AgentConfig ChosenAgent(const std::vector<AgentConfig>& agents,
                                      const std::string& label);

[[nodiscard]] std::size_t ThreadsOf(const PreparationOptions& options);

// Says what an interrupted `opyard SUBCOMMAND` has kept, such as "3 of 9 runs", and how to go on.
// Returns the exit code.
[[nodiscard]] int SayHowToGoOn(const std::string& subcommand,
                               const PreparationOptions& options,
                               const std::filesystem::path& folder,
                               const std::string& kept,
                               const Console& console);

}  // namespace opyard::experiments
