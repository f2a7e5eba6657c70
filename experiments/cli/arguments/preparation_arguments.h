// The arguments that `opyard train` and `opyard tune` have in common.
#pragma once

#include <string>

#include "experiments/cli/subcommands/preparation.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// How the help calls things.
struct PreparationWords {
  std::string work;           // "training"
  std::string default_agent;  // "the only one"
  std::string override_key;   // "tuning.trials=9"
};

// Adds the arguments to a subcommand; they are read into `options`, which outlives it.
void AddPreparationArguments(CLI::App& subcommand,
                             const PreparationWords& words,
                             PreparationOptions& options);

}  // namespace opyard::experiments
