#include "experiments/cli/train.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "experiments/cli/executor_arguments.h"
#include "experiments/cli/preparation.h"
#include "experiments/cli/subcommand.h"
#include "experiments/cli/tracking_arguments.h"
#include "experiments/console/console.h"
#include "experiments/console/progress_line.h"
#include "experiments/matrix/experiment_reading.h"
#include "experiments/matrix/reproduce.h"
#include "experiments/text/number_format.h"
#include "experiments/tracking/tracked_training.h"
#include "experiments/training/training.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// Returns the exit code (console.h).
[[nodiscard]] int Train(const PreparationOptions& options, const Console& console);

// One line; what its keys mean stands in docs/formats.md, "Training".
[[nodiscard]] std::string TrainJson(const TrainingRequest& request,
                                    const std::string& weights,
                                    const TrainingAnswer& answer);

}  // namespace

void AddTrainArguments(CLI::App& app, Command& command) {
  CLI::App& subcommand = AddSubcommand(
      app,
      {.name = "train",
       .summary = "train an agent over the graphs of an experiment's split",
       .examples = "  opyard train train-small --out results/small\n"
                   "  opyard train train-small --out results/small --resume\n"
                   "  opyard place --graph gnmt2 --hardware p100x4-pcie --agent reinforce_lstm "
                   "--checkpoint results/small/weights.opyard"});
  const auto options = std::make_shared<PreparationOptions>();
  AddPreparationArguments(subcommand,
                          {.work = "training",
                           .default_agent = "the only one that can",
                           .override_key = "training.updates=10"},
                          *options);
  Choose(subcommand, command, options, &Train);
}

namespace {

namespace fs = std::filesystem;

// The agents that can be trained over many problems.
std::vector<AgentConfig> Trainable(const ExperimentConfig& config,
                                   const agents::AgentRegistry& registry) {
  std::vector<AgentConfig> trainable;
  for (const AgentConfig& agent : config.agents) {
    if (registry.Get(agent.name).make_trainer != nullptr) {
      trainable.push_back(agent);
    }
  }
  if (trainable.empty()) {
    throw InputError("experiment " + config.name +
                     ": found no agent that can be trained over many problems");
  }
  return trainable;
}

std::string TextOf(const TrainingSoFar& so_far, const agents::TrainingPoint& point) {
  const auto reward = point.values.find("mean_reward");
  return "update " + std::to_string(so_far.num_updates) + " of " +
         std::to_string(so_far.planned_updates) + ", " + std::to_string(so_far.evaluations) +
         " evaluations" +
         (reward == point.values.end() ? "" : ", mean reward " + Fixed(reward->second, 3)) + ", " +
         Fixed(so_far.seconds, 0) + " s";
}

TrainingAnswer RunOnConsole(const ExperimentConfig& config,
                            TrainingRequest request,
                            const PreparationOptions& options,
                            Tracker* tracker,
                            const Console& console) {
  ProgressLine progress(console, options.quiet);
  request.on_update = [&](const TrainingSoFar& so_far, const agents::TrainingPoint& point) {
    if (progress.IsDue() || so_far.num_updates == so_far.planned_updates) {
      progress.Show(TextOf(so_far, point));
    }
  };
  if (tracker != nullptr) {
    request = Tracked(std::move(request), *tracker);
  }
  return RunTraining(config, request, console.agents);
}

int Train(const PreparationOptions& options, const Console& all) {
  RefuseOtherExecutors(options.executor, "train");
  const Console console = ConsoleBeside(options.tracking, options.json, all);
  const ExperimentConfig config =
      ReadWholeExperiment(options.experiment, options.overrides, console.agents);
  const fs::path folder = FolderOf(options.out, config);
  const TrainingRequest request{
      .agent = ChosenAgent(Trainable(config, console.agents), options.agent),
      .seed = options.seed.value_or(config.seeds.front()),
      .folder = folder,
      .resume = options.resume,
      .num_threads = ThreadsOf(options),
      .interrupt = &console.interrupt,
      .on_update = {}};
  const std::unique_ptr<Tracker> tracker = MakeTracker(options.tracking, all);
  const TrainingAnswer answer = RunOnConsole(config, request, options, tracker.get(), console);
  WarnOfLoss(tracker.get(), console);
  if (answer.was_interrupted) {
    const std::string kept = std::to_string(answer.so_far.num_updates) + " of " +
                             std::to_string(answer.so_far.planned_updates) + " updates";
    return SayHowToGoOn("train", options, folder, kept, console);
  }
  const std::string weights = (folder / kWeightsFile).string();
  if (options.json) {
    console.out << TrainJson(request, weights, answer) << '\n';
  } else {
    console.out << request.agent.label << ": " << answer.so_far.num_updates << " updates, "
                << answer.so_far.evaluations << " evaluations in "
                << Fixed(answer.so_far.seconds, 1) << " s (" << Fixed(answer.so_far.cpu_seconds, 1)
                << " s of processor time); weights in " << weights << '\n';
  }
  return kSuccess;
}

std::string TrainJson(const TrainingRequest& request,
                      const std::string& weights,
                      const TrainingAnswer& answer) {
  return nlohmann::ordered_json{{"agent", request.agent.label},
                                {"seed", request.seed},
                                {"updates", answer.so_far.num_updates},
                                {"evaluations", answer.so_far.evaluations},
                                {"seconds", answer.so_far.seconds},
                                {"cpu_seconds", answer.so_far.cpu_seconds},
                                {"weights", weights}}
      .dump();
}

}  // namespace
}  // namespace opyard::experiments
