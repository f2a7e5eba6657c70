#include "experiments/runner/verbs/tune.h"

#include <chrono>
#include <filesystem>

#include "env/parallel/thread_pool.h"
#include "experiments/runner/answers/tune_answer.h"
#include "experiments/runner/runs/experiment_reading.h"
#include "experiments/runner/runs/reproduce.h"
#include "experiments/runner/tuning/tuning.h"
#include "experiments/runner/tuning/tuning_files.h"
#include "experiments/text/figures.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

// The agent that is meant: the one of that label, or the only one.
AgentConfig AgentOf(const ExperimentConfig& config, const std::string& label) {
  std::vector<std::string> labels;
  for (const AgentConfig& agent : config.agents) {
    labels.push_back(agent.label);
    if (agent.label == label || (label.empty() && config.agents.size() == 1)) {
      return agent;
    }
  }
  throw InputError("--agent: found " + (label.empty() ? "nothing" : "\"" + label + "\"") +
                   ", expected one of " + JoinNames(labels));
}

// Tells on standard error how far a tuning is, ten times a second at most on a terminal, and else
// every five seconds.
class TuningProgress {
 public:
  TuningProgress(const TuneOptions& options, const Console& console)
      : err_(console.err),
        is_silent_(options.quiet),
        is_terminal_(console.err_is_terminal),
        pause_(console.err_is_terminal ? 0.1 : 5.0) {}
  ~TuningProgress() {
    if (is_line_open_) {
      err_ << '\n';
    }
  }
  TuningProgress(const TuningProgress&) = delete;
  TuningProgress& operator=(const TuningProgress&) = delete;

  void Show(const TuningSoFar& so_far) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_last = so_far.num_runs == so_far.planned_runs;
    if (is_silent_ || (!is_last && std::chrono::duration<double>(now - last_).count() < pause_)) {
      return;
    }
    last_ = now;
    err_ << (is_terminal_ ? "\r\033[K" : "") << "round " << so_far.round << " of "
         << so_far.num_rounds << ", run " << so_far.num_runs << " of " << so_far.planned_runs
         << ", " << so_far.evaluations << " evaluations, " << Fixed(so_far.seconds, 0) << " s"
         << (is_terminal_ ? "" : "\n") << std::flush;
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

void SayHowToGoOn(const TuneOptions& options,
                  const fs::path& folder,
                  const TuningAnswer& answer,
                  const Console& console) {
  std::string command = "opyard tune " + ShellQuoted(options.experiment) + " --out " +
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
  console.err << "interrupted: " << answer.so_far.num_runs << " of " << answer.so_far.planned_runs
              << " runs are made and kept; go on with: " << command << '\n';
}

std::string TextOf(const Options& params) {
  std::string text;
  for (const auto& [name, value] : params.values()) {
    text += (text.empty() ? "" : ", ") + name + ": " + ToText(value);
  }
  return text;
}

}  // namespace

int Tune(const TuneOptions& options, const Console& console) {
  const ExperimentConfig config =
      ReadWholeExperiment(options.experiment, options.overrides, console.agents);
  const fs::path folder =
      options.out.empty() ? fs::path("results") / config.name : fs::path(options.out);
  TuningRequest request{
      .agent = AgentOf(config, options.agent),
      .seed = options.seed.value_or(config.seeds.front()),
      .folder = folder,
      .resume = options.resume,
      .num_threads = options.threads == 0 ? env::ThreadPool::DefaultNumThreads() : options.threads,
      .interrupt = &console.interrupt,
      .on_run = {}};
  TuningAnswer answer;
  {
    TuningProgress progress(options, console);
    request.on_run = [&](const TuningSoFar& so_far) { progress.Show(so_far); };
    answer = RunTuning(config, request, console.agents);
  }
  if (answer.was_interrupted) {
    SayHowToGoOn(options, folder, answer, console);
    return kInterrupted;
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
