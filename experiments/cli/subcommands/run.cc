#include "experiments/cli/subcommands/run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "env/parallel/thread_pool.h"
#include "experiments/cli/json/run_answer.h"
#include "experiments/console/console_listener.h"
#include "experiments/maintenance/run_failure.h"
#include "experiments/matrix/experiment_reading.h"
#include "experiments/matrix/experiment_run.h"
#include "experiments/matrix/matrix_cells.h"
#include "experiments/matrix/reproduce.h"
#include "experiments/statistics/comparison.h"
#include "experiments/statistics/starts.h"
#include "experiments/store/result_store.h"
#include "experiments/store/shard.h"
#include "experiments/text/number_format.h"
#include "experiments/text/terminal.h"
#include "experiments/training/agent_training.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

int SayHowToGoOn(const RunOptions& options,
                 const fs::path& folder,
                 const MatrixAnswer& answer,
                 const Console& console) {
  std::string command = ResumeCommand("run", options.experiment, folder);
  command += PluginOptions(console.agents);
  for (const std::string& text : options.overrides) {
    command += " --set " + ShellQuoted(text);
  }
  if (!options.checkpoint.empty()) {
    command += " --checkpoint " + ShellQuoted(options.checkpoint);
  }
  if (options.is_untrained) {
    command += " --no-training";
  }
  if (!options.shard.empty()) {
    command += " --shard " + options.shard;
  }
  console.err << "interrupted: " << answer.runs.size() << " of " << answer.num_runs
              << " runs are finished and kept; go on with: " << command << '\n';
  return kInterrupted;
}

// Gives `file` to every agent that has the parameter `checkpoint`.
void SetCheckpoint(const std::string& file,
                   const agents::AgentRegistry& registry,
                   ExperimentConfig& config) {
  bool is_taken = false;
  for (AgentConfig& agent : config.agents) {
    const std::vector<agents::OptionInfo>& options = registry.Get(agent.name).info.options;
    if (std::ranges::find(options, "checkpoint", &agents::OptionInfo::name) != options.end()) {
      agent.params.Set("checkpoint", file);
      agent.is_trained = false;
      is_taken = true;
    }
  }
  if (!is_taken) {
    throw InputError("--checkpoint: found no agent in experiment " + config.name +
                     " that begins with weights");
  }
}

ProgressStyle StyleOf(const RunOptions& options, const Console& console) {
  if (options.quiet) {
    return ProgressStyle::kSilent;
  }
  return console.err_is_terminal ? ProgressStyle::kBar : ProgressStyle::kLines;
}

// The agents of the experiment that sample nothing, where there are several seeds.
std::vector<std::string> AgentsThatRunOnce(const ExperimentConfig& config,
                                           const agents::AgentRegistry& registry) {
  std::vector<std::string> labels;
  for (const AgentConfig& agent : config.agents) {
    if (config.seeds.size() > 1 && RunsOnce(agent, registry)) {
      labels.push_back(agent.label);
    }
  }
  return labels;
}

// With progress on the console, whose line is ended when this returns.
ExperimentAnswer RunOnConsole(const ExperimentConfig& config,
                              const fs::path& folder,
                              const RunOptions& options,
                              const Console& console) {
  ConsoleListener listener(
      console.err, StyleOf(options, console), DescribeTerminal(console.err_is_terminal).columns);
  const auto train = [&](const AgentConfig& agent) {
    return TrainForRuns(config,
                        agent,
                        {.folder = folder,
                         .num_threads = env::ThreadPool::DefaultNumThreads(),
                         .interrupt = &console.interrupt},
                        console.agents,
                        listener);
  };
  return RunWholeExperiment(
      config,
      console.agents,
      {.folder = folder,
       .num_jobs = options.jobs,
       .resume = options.resume,
       .interrupt = &console.interrupt,
       .shard = options.shard.empty() ? Shard{} : ReadShard(options.shard, "--shard"),
       .train = train},
      listener);
}

void PrintTable(const ExperimentConfig& config,
                const fs::path& folder,
                const ExperimentAnswer& answer,
                const Console& console) {
  std::ostream& out = console.out;
  out << ComparisonText(answer.agents, answer.baselines) << '\n'
      << answer.matrix.runs.size() << " runs in " << (folder / ResultStore::kFileName).string()
      << "; step times: mean ± 95 % confidence interval over " << config.seeds.size()
      << " seeds; evaluations, seconds and CPU seconds: mean of a run\n";
  const std::vector<std::string> once = AgentsThatRunOnce(config, console.agents);
  if (!once.empty()) {
    out << "run once, because they sample nothing: " << JoinNames(once) << '\n';
  }
  for (const StoredTraining& training : answer.matrix.trainings) {
    out << "trained before its runs: " << training.agent << ", " << training.num_updates
        << " updates, " << training.evaluations << " evaluations, "
        << Fixed(training.cpu_seconds, 1) << " CPU seconds, which no run's figures hold\n";
  }
  const std::string starts = UnequalStartsText(StartGroupsOf(answer.matrix.runs));
  if (!starts.empty()) {
    out << "warning: " << starts << '\n';
  }
  if (answer.matrix.num_other_runs > 0) {
    out << "the store holds " << answer.matrix.num_other_runs
        << " more runs, of graphs, machines or agents that this experiment leaves out: they "
           "are not in the table\n";
  }
  if (answer.optima.has_value()) {
    out << '\n' << GapsText(*answer.optima);
  }
}

// Why runs failed: on each graph and machine the first that did, since the others mostly failed
// alike.
void PrintFailures(const fs::path& folder, const MatrixAnswer& answer, std::ostream& out) {
  std::map<std::pair<std::string, std::string>, CellKey> first;
  for (const RunRecord& run : answer.runs) {
    if (run.status != RunStatus::kDone) {
      first.try_emplace({run.cell.graph, run.cell.hardware}, run.cell);
    }
  }
  if (first.empty()) {
    return;
  }
  ResultStore store = ResultStore::OpenToRead(folder);
  for (const StoredRun& run : store.Runs()) {
    const CellKey& cell = run.record.cell;
    const auto found = first.find({cell.graph, cell.hardware});
    if (found != first.end() && found->second == cell) {
      out << "failed: " << OneLine(cell.graph) << " on " << OneLine(cell.hardware) << ": "
          << OneLine(cell.agent) << ": " << FailureOf(store, run) << '\n';
    }
  }
}

// No plan is better than a proven optimum: then nothing of the answer is to be trusted.
int StatusOf(const ExperimentAnswer& answer, const Console& console) {
  const std::string contradiction =
      answer.optima.has_value() ? ContradictionText(*answer.optima) : "";
  console.err << contradiction;
  return contradiction.empty() ? kSuccess : kAnswerIsNo;
}

}  // namespace

int RunExperiment(const RunOptions& options, const Console& console) {
  ExperimentConfig config =
      ReadWholeExperiment(options.experiment, options.overrides, console.agents);
  if (!options.checkpoint.empty()) {
    SetCheckpoint(options.checkpoint, console.agents, config);
  }
  if (options.is_untrained) {
    for (AgentConfig& agent : config.agents) {
      agent.is_trained = false;
    }
  }
  const fs::path folder = FolderOf(options.out, config);
  const ExperimentAnswer answer = RunOnConsole(config, folder, options, console);
  if (answer.matrix.was_interrupted) {
    return SayHowToGoOn(options, folder, answer.matrix, console);
  }
  if (options.json) {
    console.out << RunJson(config, answer) << '\n';
  } else {
    PrintTable(config, folder, answer, console);
    PrintFailures(folder, answer.matrix, console.out);
  }
  return StatusOf(answer, console);
}

}  // namespace opyard::experiments
