#include "experiments/cli/tune.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/executor_arguments.h"
#include "experiments/cli/preparation.h"
#include "experiments/cli/subcommand.h"
#include "experiments/cli/tracking_arguments.h"
#include "experiments/cli/value_checks.h"
#include "experiments/console/console.h"
#include "experiments/console/progress_line.h"
#include "experiments/matrix/experiment_reading.h"
#include "experiments/matrix/reproduce.h"
#include "experiments/text/number_format.h"
#include "experiments/tracking/tracked_tuning.h"
#include "experiments/tuning/tuning.h"
#include "experiments/tuning/tuning_files.h"

namespace opyard::experiments {
namespace {

struct TuneOptions {
  PreparationOptions preparation;
  std::size_t jobs = 1;  // runs at once
};

// Returns the exit code (console.h).
[[nodiscard]] int Tune(const TuneOptions& options, const Console& console);

// One line; what its keys mean stands in docs/formats.md, "Tuning".
[[nodiscard]] std::string TuneJson(const TuningRequest& request,
                                   const std::string& tuned,
                                   const TuningAnswer& answer);

}  // namespace

void AddTuneArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "tune",
       .summary = "search the parameters of an agent over the graphs of an experiment's split",
       .examples = "  opyard tune tune-brkga-makespan --out results/tuned\n"
                   "  opyard tune tune-brkga-makespan --out results/tuned --jobs 4 --resume\n"
                   "  opyard place --graph gnmt2 --hardware p100x4-pcie --agent brkga_tuned "
                   "--param settings=results/tuned/tuned.json"});
  const auto options = std::make_shared<TuneOptions>();
  AddPreparationArguments(
      subcommand,
      {.work = "tuning", .default_agent = "the only one", .override_key = "tuning.trials=9"},
      options->preparation);
  subcommand
      .add_option(
          "--jobs", options->jobs, "runs at once; the threads are shared among them (default: 1)")
      ->check(WholeNumber(1, 1024));
  Choose(subcommand, command, options, &Tune);
}

namespace {

namespace fs = std::filesystem;

std::string ProgressText(const TuningSoFar& so_far) {
  return "round " + std::to_string(so_far.round) + " of " + std::to_string(so_far.num_rounds) +
         ", run " + std::to_string(so_far.num_runs) + " of " + std::to_string(so_far.planned_runs) +
         ", " + std::to_string(so_far.evaluations) + " evaluations, " + Fixed(so_far.seconds, 0) +
         " s";
}

std::string ParamsText(const Options& params) {
  std::string text;
  for (const auto& [name, value] : params.values()) {
    text += (text.empty() ? "" : ", ") + name + ": " + ToText(value);
  }
  return text;
}

TuningAnswer RunOnConsole(const ExperimentConfig& config,
                          TuningRequest request,
                          const PreparationOptions& options,
                          Tracker* tracker,
                          const Console& console) {
  ProgressLine progress(console, options.quiet);
  request.on_run = [&](const TuningSoFar& so_far) {
    if (progress.IsDue() || so_far.num_runs == so_far.planned_runs) {
      progress.Show(ProgressText(so_far));
    }
  };
  if (tracker != nullptr) {
    request = Tracked(std::move(request), *tracker);
  }
  return RunTuning(config, request, console.agents);
}

int Tune(const TuneOptions& asked, const Console& all) {
  const PreparationOptions& options = asked.preparation;
  RefuseOtherExecutors(options.executor, "tune");
  const Console console = ConsoleBeside(options.tracking, options.json, all);
  const ExperimentConfig config =
      ReadWholeExperiment(options.experiment, options.overrides, console.agents);
  const fs::path folder = FolderOf(options.out, config);
  const TuningRequest request{.agent = ChosenAgent(config.agents, options.agent),
                              .seed = options.seed.value_or(config.seeds.front()),
                              .folder = folder,
                              .resume = options.resume,
                              .num_jobs = asked.jobs,
                              .num_threads = ThreadsOf(options),
                              .interrupt = &console.interrupt,
                              .on_run = {},
                              .on_score = {},
                              .on_round = {}};
  const std::unique_ptr<Tracker> tracker = MakeTracker(options.tracking, all);
  const TuningAnswer answer = RunOnConsole(config, request, options, tracker.get(), console);
  WarnOfLoss(tracker.get(), console);
  if (answer.was_interrupted) {
    const std::string kept = std::to_string(answer.so_far.num_runs) + " of " +
                             std::to_string(answer.so_far.planned_runs) + " runs";
    return SayHowToGoOn("tune", options, folder, kept, console);
  }
  const std::string tuned = (folder / kTunedFile).string();
  if (options.json) {
    console.out << TuneJson(request, tuned, answer) << '\n';
  } else {
    console.out << request.agent.label << ": {" << ParamsText(answer.params) << "}, "
                << Fixed(100.0 * answer.improvement, 2) << " % better on " << answer.num_problems
                << " problems than as the experiment has it; " << answer.so_far.num_runs
                << " runs, " << answer.so_far.evaluations << " evaluations in "
                << Fixed(answer.so_far.seconds, 1) << " s; written to " << tuned << '\n';
  }
  return kSuccess;
}

std::string TuneJson(const TuningRequest& request,
                     const std::string& tuned,
                     const TuningAnswer& answer) {
  return nlohmann::ordered_json{{"agent", request.agent.label},
                                {"seed", request.seed},
                                {"params", nlohmann::json::parse(ParamsJson(answer.params))},
                                {"improvement", answer.improvement},
                                {"problems", answer.num_problems},
                                {"runs", answer.so_far.num_runs},
                                {"evaluations", answer.so_far.evaluations},
                                {"seconds", answer.so_far.seconds},
                                {"tuned", tuned}}
      .dump();
}

}  // namespace
}  // namespace opyard::experiments
