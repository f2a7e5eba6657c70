// The options by which a command line states a problem: --tasks, --objective, --queue, …
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "env/problem_settings.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// The values of the user by their options; what is not given is as in an experiment that does not
// say it.
struct ProblemArguments {
  std::map<std::string, std::optional<std::string>> texts;
  std::map<std::string, std::int64_t> counts;
  std::map<std::string, bool> flags;
};

// Adds the options of the table (env/problem_fields.h) to a subcommand. `arguments` outlives it.
void AddProblem(CLI::App& subcommand, ProblemArguments& arguments);

// The problem that they stand for. Throws InputError with all that is wrong, each with its option.
[[nodiscard]] env::ProblemSettings ToProblem(const ProblemArguments& arguments);

}  // namespace opyard::experiments
