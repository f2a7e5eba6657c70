// The words by which a command line states a problem: --tasks, --objective, --queue, …
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "env/problem.h"
#include "experiments/config/config.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// The words of the user; what is not given is as in an experiment that does not say it.
struct ProblemArguments {
  std::optional<std::string> tasks;
  std::optional<std::string> objective;
  std::optional<std::string> queue;
  std::optional<std::string> fusion;
  std::optional<std::string> decide_per;
  std::optional<std::string> memory;
  std::optional<std::string> devices;
  std::int32_t max_groups = env::kDefaultMaxGroups;
};

// Adds the options to a subcommand. `arguments` outlives it.
void AddProblem(CLI::App& subcommand, ProblemArguments& arguments);

// The problem that they stand for. Throws InputError with all that is wrong, each with its option.
[[nodiscard]] ProblemConfig ToProblem(const ProblemArguments& arguments);

}  // namespace opyard::experiments
