#include "experiments/cli/run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "env/parallel/thread_pool.h"
#include "experiments/cli/checkpoint.h"
#include "experiments/cli/dry_run.h"
#include "experiments/cli/executor_arguments.h"
#include "experiments/cli/run_json.h"
#include "experiments/cli/subcommand.h"
#include "experiments/cli/tracking_arguments.h"
#include "experiments/cli/value_checks.h"
#include "experiments/console/console.h"
#include "experiments/console/console_listener.h"
#include "experiments/maintenance/run_failure.h"
#include "experiments/matrix/experiment_reading.h"
#include "experiments/matrix/experiment_run.h"
#include "experiments/matrix/matrix_cells.h"
#include "experiments/matrix/reproduce.h"
#include "experiments/matrix/run_listeners.h"
#include "experiments/statistics/comparison.h"
#include "experiments/statistics/starts.h"
#include "experiments/store/result_store.h"
#include "experiments/store/shard.h"
#include "experiments/text/number_format.h"
#include "experiments/text/terminal.h"
#include "experiments/tracking/tracking_listener.h"
#include "experiments/training/agent_training.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

struct RunOptions {
  std::string experiment;   // a file, or the name of a shipped experiment
  std::string out;          // the results folder; "" for results/NAME
  std::size_t jobs = 1;     // runs at once
  std::size_t threads = 0;  // of all of them; 0: all cores
  bool resume = false;
  bool is_dry = false;                 // nothing is run
  std::vector<std::string> overrides;  // "budget.seconds=10"
  std::string checkpoint;     // of every agent that takes one; empty: as the experiment says
  bool is_untrained = false;  // agents that a split would train begin as they are made
  std::string shard;          // "2/4": that piece of the matrix; "" for all of it
  ExecutorWords executor;
  bool json = false;
  bool quiet = false;
  TrackingOptions tracking;
};

// Prints the table, and that of gaps to known optima, on `out`, progress on `err`. Returns kSuccess
// when every run has ended, with or without a feasible plan (the table counts failures), and
// kAnswerIsNo if one is shorter than a proven optimum. Returns kInterrupted when it was stopped,
// and then says how to go on.
[[nodiscard]] int RunExperiment(const RunOptions& options, const Console& console);

}  // namespace

void AddRunArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "run",
       .summary = "run an experiment: graphs x machines x agents x seeds",
       .examples = "  opyard run quickstart --out results/mine --set budget.evaluations=100\n"
                   "  opyard run quickstart --out results/mine --resume\n"
                   "  opyard run quickstart --out results/piece1 --shard 1/2\n"
                   "  opyard run quickstart --dry-run --json"});
  subcommand.alias("sweep");
  const auto options = std::make_shared<RunOptions>();
  subcommand
      .add_option("experiment", options->experiment, "experiment file, or a shipped one's name")
      ->required()
      ->type_name("EXPERIMENT");
  subcommand.add_option("--out", options->out, "results folder (default: results/NAME)")
      ->type_name("DIR");
  subcommand
      .add_option(
          "--jobs", options->jobs, "runs at once; the cores are shared among them (default: 1)")
      ->check(WholeNumber(1, 1024));
  subcommand.add_option("--threads", options->threads, "cores that it uses (default: all)")
      ->check(WholeNumber(1, 1024));
  subcommand.add_flag("--resume", options->resume, "go on with the results in the folder");
  subcommand.add_flag("--dry-run", options->is_dry, "say what would run, and run nothing");
  subcommand.add_option("--set", options->overrides, "override one key, e.g. budget.seconds=10")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  subcommand
      .add_option("--checkpoint",
                  options->checkpoint,
                  "weights that every agent that takes some begins with")
      ->type_name("FILE");
  subcommand.add_flag("--no-training",
                      options->is_untrained,
                      "agents that the experiment's split would train begin untrained");
  subcommand
      .add_option("--shard",
                  options->shard,
                  "run one piece of the matrix, e.g. 2/4; join them with opyard results merge")
      ->type_name("I/N");
  AddExecutorArguments(subcommand, options->executor);
  AddPieceArguments(subcommand, options->executor);
  subcommand.add_flag("--quiet", options->quiet, "no progress");
  AddTracking(subcommand, options->tracking);
  AddJson(subcommand, options->json);
  Choose(subcommand, command, options, &RunExperiment);
}

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
  command += TrackingWords(options.tracking);
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
    if (TakesCheckpoint(agent.name, registry)) {
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

std::size_t ThreadsOf(const RunOptions& options) {
  return options.threads == 0 ? env::ThreadPool::DefaultNumThreads() : options.threads;
}

Shard ShardOf(const RunOptions& options) {
  return options.shard.empty() ? Shard{} : ReadShard(options.shard, "--shard");
}

// Runs with progress on the console, whose line is ended when this returns.
ExperimentAnswer RunOnConsole(const ExperimentConfig& config,
                              const fs::path& folder,
                              const RunOptions& options,
                              Tracker* tracker,
                              const Console& console) {
  ConsoleListener shown(
      console.err, StyleOf(options, console), DescribeTerminal(console.err_is_terminal).columns);
  std::vector<RunListener*> listeners = {&shown};
  std::optional<TrackingListener> tracking;
  if (tracker != nullptr) {
    listeners.push_back(&tracking.emplace(*tracker));
  }
  RunListeners listener(listeners);
  const auto train = [&](const AgentConfig& agent) {
    return TrainForRuns(
        config,
        agent,
        {.folder = folder, .num_threads = ThreadsOf(options), .interrupt = &console.interrupt},
        console.agents,
        listener);
  };
  return RunWholeExperiment(config,
                            console.agents,
                            {.folder = folder,
                             .num_jobs = options.jobs,
                             .num_threads = ThreadsOf(options),
                             .resume = options.resume,
                             .interrupt = &console.interrupt,
                             .shard = ShardOf(options),
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
      << "; step times: mean ± 95 % confidence interval over "
      << Counted(static_cast<std::int64_t>(config.seeds.size()), "seed")
      << "; evaluations, seconds and CPU seconds: mean of a run\n";
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

// The experiment with what the options change of it.
ExperimentConfig ChangedExperiment(const RunOptions& options, const Console& console) {
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
  return config;
}

int RunExperiment(const RunOptions& options, const Console& all) {
  RefuseOtherExecutors(options.executor, "run");
  const Console console = ConsoleBeside(options.tracking, options.json, all);
  const ExperimentConfig config = ChangedExperiment(options, console);
  const fs::path folder = FolderOf(options.out, config);
  if (options.is_dry) {
    return PrintDryRun(
        config, {.folder = folder, .shard = ShardOf(options), .json = options.json}, console);
  }
  const std::unique_ptr<Tracker> tracker = MakeTracker(options.tracking, all);
  const ExperimentAnswer answer = RunOnConsole(config, folder, options, tracker.get(), console);
  WarnOfLoss(tracker.get(), console);
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

}  // namespace
}  // namespace opyard::experiments
