#include "experiments/cli/arguments/profile_arguments.h"

#include <memory>

#include <CLI/CLI.hpp>

#include "experiments/cli/arguments/subcommand_arguments.h"
#include "experiments/cli/subcommands/profile.h"

namespace opyard::experiments {
namespace {

void AddProfileSubcommand(CLI::App& group,
                          Command& command,
                          const SubcommandHelp& help,
                          int (*run)(const ProfileOptions&, const Console&)) {
  CLI::App& subcommand = AddSubcommand(group, help);
  const auto options = std::make_shared<ProfileOptions>();
  subcommand.add_option("profile", options->profile, "device or machine: file or name")
      ->required()
      ->type_name("PROFILE");
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, run);
}

}  // namespace

void AddProfileArguments(CLI::App& app, Command& command) {
  CLI::App& group = AddSubcommandGroup(app,
                                       {.name = "profile",
                                        .summary = "hardware profiles",
                                        .examples = "  opyard profile show p100x2-pcie"});
  CLI::App& list = AddSubcommand(group,
                                 {.name = "list",
                                  .summary = "the shipped devices and machines",
                                  .examples = "  opyard profile list"});
  const auto options = std::make_shared<ProfileListOptions>();
  AddJson(list, options->json);
  Choose(list, command, options, &PrintProfileList);
  AddProfileSubcommand(group,
                       command,
                       {.name = "validate",
                        .summary = "check a device or machine file",
                        .examples = "  opyard profile validate machines/mine.yaml"},
                       &ValidateProfile);
  AddProfileSubcommand(group,
                       command,
                       {.name = "show",
                        .summary = "devices, routes, sources of a profile",
                        .examples = "  opyard profile show p100x2-pcie --json"},
                       &ShowProfile);
}

}  // namespace opyard::experiments
