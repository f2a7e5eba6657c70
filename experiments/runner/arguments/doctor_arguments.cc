#include "experiments/runner/arguments/doctor_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/runner/arguments/verb_arguments.h"
#include "experiments/runner/verbs/doctor.h"

namespace opyard::experiments {

void AddDoctorArguments(CLI::App& app, Command& command) {
  CLI::App& verb = AddVerb(app,
                           {.name = "doctor",
                            .summary = "check this installation",
                            .examples = "  opyard doctor --json"});
  const auto options = std::make_shared<DoctorOptions>();
  AddJson(verb, options->json);
  Choose(verb, command, options, &Doctor);
}

}  // namespace opyard::experiments
