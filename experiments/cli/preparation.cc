#include "experiments/cli/preparation.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "env/parallel/thread_pool.h"
#include "experiments/cli/subcommand.h"
#include "experiments/cli/value_checks.h"
#include "experiments/matrix/reproduce.h"
#include "experiments/text/number_format.h"
#include "sim/base/error.h"

namespace opyard::experiments {

namespace fs = std::filesystem;

void AddPreparationArguments(CLI::App& subcommand,
                             const PreparationWords& words,
                             PreparationOptions& options) {
  subcommand
      .add_option("experiment", options.experiment, "experiment file, or a shipped one's name")
      ->required()
      ->type_name("EXPERIMENT");
  subcommand
      .add_option("--out", options.out, "folder of the " + words.work + " (default: results/NAME)")
      ->type_name("DIR");
  subcommand
      .add_option(
          "--agent", options.agent, "label of the agent (default: " + words.default_agent + ")")
      ->type_name("LABEL");
  subcommand.add_option("--seed", options.seed, "seed (default: the experiment's first)")
      ->check(WholeNumber(0, std::numeric_limits<std::int64_t>::max()));
  subcommand
      .add_option("--threads", options.threads, "threads that evaluate plans (default: all cores)")
      ->check(WholeNumber(1, 1024));
  subcommand.add_flag(
      "--resume", options.resume, "go on with the " + words.work + " in the folder");
  subcommand.add_option("--set", options.overrides, "override one key, e.g. " + words.override_key)
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  AddExecutorArguments(subcommand, options.executor);
  subcommand.add_flag("--quiet", options.quiet, "no progress");
  AddTracking(subcommand, options.tracking);
  AddJson(subcommand, options.json);
}

AgentConfig ChosenAgent(const std::vector<AgentConfig>& agents, const std::string& label) {
  std::vector<std::string> labels;
  for (const AgentConfig& agent : agents) {
    labels.push_back(agent.label);
    if (agent.label == label || (label.empty() && agents.size() == 1)) {
      return agent;
    }
  }
  throw InputError("--agent: found " + (label.empty() ? "nothing" : "\"" + label + "\"") +
                   ", expected one of " + JoinNames(labels));
}

std::size_t ThreadsOf(const PreparationOptions& options) {
  return options.threads == 0 ? env::ThreadPool::DefaultNumThreads() : options.threads;
}

int SayHowToGoOn(const std::string& subcommand,
                 const PreparationOptions& options,
                 const fs::path& folder,
                 const std::string& kept,
                 const Console& console) {
  std::string command = ResumeCommand(subcommand, options.experiment, folder);
  command += PluginOptions(console.agents);
  if (!options.agent.empty()) {
    command += " --agent " + ShellQuoted(options.agent);
  }
  if (options.seed.has_value()) {
    command += " --seed " + std::to_string(*options.seed);
  }
  for (const std::string& text : options.overrides) {
    command += " --set " + ShellQuoted(text);
  }
  command += TrackingWords(options.tracking);
  console.err << "interrupted: " << kept << " are made and kept; go on with: " << command << '\n';
  return kInterrupted;
}

}  // namespace opyard::experiments
