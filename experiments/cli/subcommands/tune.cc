#include "experiments/cli/subcommands/tune.h"

#include <filesystem>

#include "experiments/cli/json/tune_answer.h"
#include "experiments/console/progress_line.h"
#include "experiments/matrix/experiment_reading.h"
#include "experiments/matrix/reproduce.h"
#include "experiments/text/number_format.h"
#include "experiments/tuning/tuning.h"
#include "experiments/tuning/tuning_files.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const TuningSoFar& so_far) {
  return "round " + std::to_string(so_far.round) + " of " + std::to_string(so_far.num_rounds) +
         ", run " + std::to_string(so_far.num_runs) + " of " + std::to_string(so_far.planned_runs) +
         ", " + std::to_string(so_far.evaluations) + " evaluations, " + Fixed(so_far.seconds, 0) +
         " s";
}

std::string TextOf(const Options& params) {
  std::string text;
  for (const auto& [name, value] : params.values()) {
    text += (text.empty() ? "" : ", ") + name + ": " + ToText(value);
  }
  return text;
}

TuningAnswer RunOnConsole(const ExperimentConfig& config,
                          TuningRequest request,
                          const PreparationOptions& options,
                          const Console& console) {
  ProgressLine progress(console, options.quiet);
  request.on_run = [&](const TuningSoFar& so_far) {
    if (progress.IsDue() || so_far.num_runs == so_far.planned_runs) {
      progress.Show(TextOf(so_far));
    }
  };
  return RunTuning(config, request, console.agents);
}

}  // namespace

int Tune(const PreparationOptions& options, const Console& console) {
  const ExperimentConfig config =
      ReadWholeExperiment(options.experiment, options.overrides, console.agents);
  const fs::path folder = FolderOf(options.out, config);
  const TuningRequest request{.agent = ChosenAgent(config.agents, options.agent),
                              .seed = options.seed.value_or(config.seeds.front()),
                              .folder = folder,
                              .resume = options.resume,
                              .num_threads = ThreadsOf(options),
                              .interrupt = &console.interrupt,
                              .on_run = {}};
  const TuningAnswer answer = RunOnConsole(config, request, options, console);
  if (answer.was_interrupted) {
    const std::string kept = std::to_string(answer.so_far.num_runs) + " of " +
                             std::to_string(answer.so_far.planned_runs) + " runs";
    return SayHowToGoOn("tune", options, folder, kept, console);
  }
  const std::string tuned = (folder / kTunedFile).string();
  if (options.json) {
    console.out << TuneJson(request, tuned, answer) << '\n';
  } else {
    console.out << request.agent.label << ": {" << TextOf(answer.params) << "}, "
                << Fixed(100.0 * answer.improvement, 2) << " % better on " << answer.num_problems
                << " problems than as the experiment has it; " << answer.so_far.num_runs
                << " runs, " << answer.so_far.evaluations << " evaluations in "
                << Fixed(answer.so_far.seconds, 1) << " s; written to " << tuned << '\n';
  }
  return kSuccess;
}

}  // namespace opyard::experiments
