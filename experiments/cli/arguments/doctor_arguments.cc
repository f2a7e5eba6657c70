#include "experiments/cli/arguments/doctor_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/subcommands/doctor.h"

namespace opyard::experiments {

void AddDoctorArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(app,
                                       {.name = "doctor",
                                        .summary = "check this installation",
                                        .examples = "  opyard doctor --json"});
  const auto options = std::make_shared<DoctorOptions>();
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &Doctor);
}

}  // namespace opyard::experiments
