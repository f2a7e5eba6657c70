#include "experiments/cli/command_line/parser.h"

#include <array>
#include <memory>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "experiments/base/version.h"
#include "experiments/cli/agents.h"
#include "experiments/cli/bench/bench.h"
#include "experiments/cli/command_line/completion.h"
#include "experiments/cli/command_line/plugin_option.h"
#include "experiments/cli/command_line/refusal.h"
#include "experiments/cli/compare.h"
#include "experiments/cli/completion.h"
#include "experiments/cli/doctor.h"
#include "experiments/cli/duel.h"
#include "experiments/cli/export.h"
#include "experiments/cli/graph/graph.h"
#include "experiments/cli/place.h"
#include "experiments/cli/plan/plan.h"
#include "experiments/cli/profile.h"
#include "experiments/cli/results/results.h"
#include "experiments/cli/run.h"
#include "experiments/cli/simulate.h"
#include "experiments/cli/task.h"
#include "experiments/cli/train.h"
#include "experiments/cli/tune.h"
#include "experiments/cli/validate.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

constexpr const char* kExamples =
    "  opyard graph info inception_v3\n"
    "  opyard place --graph inception_v3 --hardware p100x2-pcie --agent heft --out best.plan.json\n"
    "  opyard simulate --graph inception_v3 --hardware p100x2-pcie --plan best.plan.json "
    "--explain\n"
    "  opyard run quickstart --out results/mine\n"
    "  opyard place --help";

// The subcommands and groups of subcommands, in the order of the help.
constexpr auto kSubcommands = std::to_array<void (*)(CLI::App&, Command&)>(
    {AddRunArguments,      AddTrainArguments,    AddTuneArguments,    AddCompareArguments,
     AddDuelArguments,     AddValidateArguments, AddResultsArguments, AddPlaceArguments,
     AddSimulateArguments, AddPlanArguments,     AddGraphArguments,   AddProfileArguments,
     AddAgentsArguments,   AddExportArguments,   AddMeasureArguments, AddExecuteArguments,
     AddTaskArguments,     AddDoctorArguments,   AddBenchArguments,   AddCompletionArguments});

void AddSubcommands(CLI::App& app, Command& command) {
  app.require_subcommand(1);
  for (const auto add : kSubcommands) {
    add(app, command);
  }
  for (CLI::App* group : app.get_subcommands({})) {
    if (const std::vector<std::string> names = SubcommandNames(*group); !names.empty()) {
      group->description(group->get_description() + ": " + JoinNames(names));
    }
  }
}

Command Print(std::string text) {
  return [text = std::move(text)](const Console& console) {
    console.out << text;
    return kSuccess;
  };
}

// The result of parsing: the subcommand's call, and the values of its option --plugin.
struct Parsed {
  Command command;
  std::vector<std::string> plugins;
};

std::unique_ptr<CLI::App> MakeApp(Parsed& parsed) {
  auto app = std::make_unique<CLI::App>(
      "place, schedule and simulate training graphs on machines with several devices", "opyard");
  app->set_version_flag("--version", std::string("opyard ") + Version());
  app->footer(std::string("Examples:\n") + kExamples);
  AddSubcommands(*app, parsed.command);
  AddPluginOption(*app, parsed.plugins);
  return app;
}

// The subcommand behind the scripts of `opyard completion`. A plugin that cannot be loaded has no
// agents: nobody reads here what is wrong with it.
Command PrintCandidates(std::vector<std::string> words) {
  return [words = std::move(words)](const Console& console) {
    const Command print = [&words](const Console& known) {
      Parsed unused;
      for (const std::string& candidate : Candidates(*MakeApp(unused), words, known.agents)) {
        known.out << candidate << '\n';
      }
      return kSuccess;
    };
    Command with_plugins = WithPluginAgents(print, PluginsAmong(words));
    try {
      return with_plugins(console);
    } catch (const InputError&) {
      return print(console);
    }
  };
}

}  // namespace

Command ParseCommandLine(const std::vector<std::string>& args) {
  Parsed parsed;
  const std::unique_ptr<CLI::App> owner = MakeApp(parsed);
  CLI::App& app = *owner;
  if (!args.empty() && args.front() == kCompleteSubcommand) {
    return PrintCandidates({args.begin() + 1, args.end()});
  }
  CheckWords(app, args);
  // CLI11 takes the arguments from the back, and reports through exceptions of its own.
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    static_cast<void>(app.exit(success, text, text));
    return Print(text.str());
  } catch (const CLI::ParseError& error) {
    RefuseCommand(app, args, error.what());
  }
  return TakesPlugins(app) ? WithPluginAgents(std::move(parsed.command), std::move(parsed.plugins))
                           : std::move(parsed.command);
}

}  // namespace opyard::experiments
