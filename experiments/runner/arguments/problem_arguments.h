// The words by which a command line states a problem: --tasks, --objective, --queue, …
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experiments/runner/config/config.h"

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// As they are written.
struct ProblemArguments {
  std::optional<std::string> tasks;
  std::string objective = "makespan";
  std::string queue = "fifo";
  std::string fusion = "framework";
  std::string decide_per = "group";
  std::int32_t max_groups = ProblemConfig().max_groups;
};

// Adds the options to `verb`. `arguments` outlives it.
void AddProblem(CLI::App& verb, ProblemArguments& arguments);

// What they stand for. Throws InputError with every word that is wrong.
[[nodiscard]] ProblemConfig ToProblem(const ProblemArguments& arguments);

}  // namespace opyard::experiments
