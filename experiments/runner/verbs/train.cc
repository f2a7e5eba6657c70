#include "experiments/runner/verbs/train.h"

#include <chrono>
#include <filesystem>

#include "env/parallel/thread_pool.h"
#include "experiments/runner/answers/train_answer.h"
#include "experiments/runner/runs/experiment_reading.h"
#include "experiments/runner/runs/reproduce.h"
#include "experiments/runner/training/training.h"
#include "experiments/text/figures.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// The agent that is meant: the one of that label, or the only one that can be trained.
AgentConfig AgentOf(const ExperimentConfig& config,
                    const std::string& label,
                    const agents::AgentRegistry& registry) {
  std::vector<AgentConfig> trainable;
  std::vector<std::string> labels;
  for (const AgentConfig& agent : config.agents) {
    if (registry.Get(agent.name).make_trainer != nullptr) {
      trainable.push_back(agent);
      labels.push_back(agent.label);
    }
  }
  for (const AgentConfig& agent : trainable) {
    if (agent.label == label || (label.empty() && trainable.size() == 1)) {
      return agent;
    }
  }
  if (trainable.empty()) {
    throw InputError("experiment " + config.name +
                     ": found no agent that can be trained over many problems");
  }
  throw InputError("--agent: found " + (label.empty() ? "nothing" : "\"" + label + "\"") +
                   ", expected one of " + JoinNames(labels));
}

// Tells on standard error how far a training is, ten times a second at most on a terminal, and else
// every five seconds.
class Progress {
 public:
  Progress(const TrainOptions& options, const Console& console)
      : err_(console.err),
        is_silent_(options.quiet),
        is_terminal_(console.err_is_terminal),
        pause_(console.err_is_terminal ? 0.1 : 5.0) {}
  ~Progress() {
    if (is_line_open_) {
      err_ << '\n';
    }
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Show(const TrainingSoFar& so_far, const agents::TrainingPoint& point) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_last = so_far.num_updates == so_far.planned_updates;
    if (is_silent_ || (!is_last && std::chrono::duration<double>(now - last_).count() < pause_)) {
      return;
    }
    last_ = now;
    const auto reward = point.values.find("mean_reward");
    err_ << (is_terminal_ ? "\r\033[K" : "") << "update " << so_far.num_updates << " of "
         << so_far.planned_updates << ", " << so_far.evaluations << " evaluations";
    if (reward != point.values.end()) {
      err_ << ", mean reward " << Fixed(reward->second, 3);
    }
    err_ << ", " << Fixed(so_far.seconds, 0) << " s" << (is_terminal_ ? "" : "\n") << std::flush;
    is_line_open_ = is_terminal_;
  }

 private:
  std::ostream& err_;
  bool is_silent_;
  bool is_terminal_;
  double pause_;
  bool is_line_open_ = false;
  std::chrono::steady_clock::time_point last_;
};

void SayHowToGoOn(const TrainOptions& options,
                  const fs::path& folder,
                  const TrainingAnswer& answer,
                  const Console& console) {
  std::string command = "opyard train " + ShellQuoted(options.experiment) + " --out " +
                        ShellQuoted(folder.string()) + " --resume";
  if (!options.agent.empty()) {
    command += " --agent " + ShellQuoted(options.agent);
  }
  if (options.seed.has_value()) {
    command += " --seed " + std::to_string(*options.seed);
  }
  for (const std::string& text : options.overrides) {
    command += " --set " + ShellQuoted(text);
  }
  console.err << "interrupted: " << answer.so_far.num_updates << " of "
              << answer.so_far.planned_updates
              << " updates are made and kept; go on with: " << command << '\n';
}

}  // namespace

int Train(const TrainOptions& options, const Console& console) {
  const ExperimentConfig config =
      ReadWholeExperiment(options.experiment, options.overrides, console.agents);
  const fs::path folder =
      options.out.empty() ? fs::path("results") / config.name : fs::path(options.out);
  TrainingRequest request{
      .agent = AgentOf(config, options.agent, console.agents),
      .seed = options.seed.value_or(config.seeds.front()),
      .folder = folder,
      .resume = options.resume,
      .num_threads = options.threads == 0 ? env::ThreadPool::DefaultNumThreads() : options.threads,
      .interrupt = &console.interrupt,
      .on_update = {}};
  TrainingAnswer answer;
  {
    Progress progress(options, console);
    request.on_update = [&](const TrainingSoFar& so_far, const agents::TrainingPoint& point) {
      progress.Show(so_far, point);
    };
    answer = RunTraining(config, request, console.agents);
  }
  if (answer.was_interrupted) {
    SayHowToGoOn(options, folder, answer, console);
    return kInterrupted;
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

}  // namespace opyard::experiments
