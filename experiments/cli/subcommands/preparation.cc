#include "experiments/cli/subcommands/preparation.h"

#include "env/parallel/thread_pool.h"
#include "experiments/matrix/reproduce.h"
#include "experiments/text/number_format.h"
#include "sim/base/error.h"

namespace opyard::experiments {

namespace fs = std::filesystem;

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
  console.err << "interrupted: " << kept << " are made and kept; go on with: " << command << '\n';
  return kInterrupted;
}

}  // namespace opyard::experiments
