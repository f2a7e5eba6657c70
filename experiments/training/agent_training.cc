#include "experiments/training/agent_training.h"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "experiments/base/version.h"
#include "experiments/matrix/reproduce.h"
#include "experiments/store/folder_name.h"
#include "experiments/store/sha256.h"
#include "experiments/training/training.h"
#include "sim/base/error.h"
#include "sim/base/input_file.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestWeights = std::size_t{4} << 30;

StoredTraining RecordOf(const ExperimentConfig& config,
                        const AgentConfig& agent,
                        const TrainingSoFar& so_far,
                        const fs::path& weights) {
  const nlohmann::json settings =
      nlohmann::json::parse(SettingsJson(config, agent, Rewards::kNone));
  return {.agent = agent.label,
          .agent_name = agent.name,
          .params = ParamsJson(agent.params),
          .settings = settings.at("training").dump(),
          .num_updates = so_far.num_updates,
          .evaluations = so_far.evaluations,
          .seconds = so_far.seconds,
          .cpu_seconds = so_far.cpu_seconds,
          .weights = weights.generic_string(),
          .version = Version(),
          .reproduce = "opyard train " + ShellQuoted(config.name) + " --agent " +
                       ShellQuoted(agent.label) + " --seed " +
                       std::to_string(config.seeds.front()) + " --out " +
                       ShellQuoted(weights.parent_path().generic_string())};
}

}  // namespace

TrainedAgent TrainForRuns(const ExperimentConfig& config,
                          const AgentConfig& agent,
                          const AgentTrainingOptions& options,
                          const agents::AgentRegistry& registry,
                          RunListener& listener) {
  const fs::path place = fs::path("training") / FolderName(agent.label);
  const auto report = [&](const TrainingSoFar& so_far, const agents::TrainingPoint& point) {
    listener.TrainingWentOn(agent.label,
                            {.seed = config.seeds.front(),
                             .num_updates = so_far.num_updates,
                             .planned_updates = so_far.planned_updates,
                             .evaluations = so_far.evaluations,
                             .seconds = so_far.seconds,
                             .values = point.values});
  };
  const TrainingAnswer answer = RunTraining(config,
                                            {.agent = agent,
                                             .seed = config.seeds.front(),
                                             .folder = options.folder / place,
                                             .resume = true,
                                             .num_threads = options.num_threads,
                                             .interrupt = options.interrupt,
                                             .on_update = report},
                                            registry);
  TrainedAgent trained{.weights = options.folder / place / kWeightsFile,
                       .record = RecordOf(config, agent, answer.so_far, place / kWeightsFile),
                       .was_interrupted = answer.was_interrupted};
  if (!trained.was_interrupted) {
    trained.record.weights_sha256 = WeightsDigest(trained.weights);
  }
  return trained;
}

std::string WeightsDigest(const fs::path& file) {
  const InputBytes read = ReadInputFile(file, kLargestWeights);
  if (!read.problem.empty()) {
    throw InputError(InputName(file) + ": " + read.problem);
  }
  const std::string_view bytes = read.bytes;
  std::string kept;
  std::size_t at = 0;
  while (at < bytes.size()) {  // the lines of the header, up to the one that says "end"
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size() - 1) + 1;
    const std::string_view line = bytes.substr(at, end - at);
    at = end;
    if (!line.starts_with("record ")) {
      kept += line;
    }
    if (line == "end\n") {
      break;
    }
  }
  return Sha256(kept.append(bytes.substr(at)));
}

}  // namespace opyard::experiments
