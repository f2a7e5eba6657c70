#include "experiments/runner/verbs/run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include <nlohmann/json.hpp>

#include "agents/registry.h"
#include "env/parallel/thread_pool.h"
#include "experiments/runner/comparison/comparison.h"
#include "experiments/runner/comparison/summary.h"
#include "experiments/runner/config/config.h"
#include "experiments/runner/graphs/import_text.h"
#include "experiments/runner/graphs/measured_text.h"
#include "experiments/runner/runs/reproduce.h"
#include "experiments/runner/runs/run_matrix.h"
#include "experiments/runner/runs/search.h"
#include "experiments/runner/store/folder_lock.h"
#include "sim/base/data_root.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The file itself, else the shipped experiment of that name or path.
fs::path FindExperiment(const std::string& reference) {
  std::error_code ignored;
  const fs::path file = reference;
  if (fs::exists(file, ignored)) {
    return file;
  }
  const fs::path configs = DataRoot() / "experiments" / "configs";
  for (const fs::path& shipped : {configs / (reference + ".yaml"), DataRoot() / reference}) {
    if (fs::is_regular_file(shipped, ignored)) {
      return shipped;
    }
  }
  return file;
}

// Throws InputError with everything that is wrong, missing graphs and machines included.
ExperimentConfig ReadWholeExperiment(const RunOptions& options,
                                     const agents::AgentRegistry& registry) {
  ProblemList problems;
  ExperimentConfig config =
      ReadExperiment(FindExperiment(options.experiment), options.overrides, registry, problems);
  if (!problems.empty()) {
    CheckReferences(config, problems);
  }
  problems.ThrowIfAny();
  return config;
}

// The mean of the matrix's own runs of the baseline, by label first, then by name.
std::optional<Baseline> BaselineInMatrix(const std::string& name,
                                         const PreparedProblem& problem,
                                         const std::vector<RunRecord>& runs) {
  for (const bool by_label : {true, false}) {
    std::vector<RunRecord> chosen;
    std::ranges::copy_if(runs, std::back_inserter(chosen), [&](const RunRecord& run) {
      return run.cell.graph == problem.graph && run.cell.hardware == problem.hardware &&
             (by_label ? run.cell.agent : run.agent_name) == name;
    });
    if (chosen.empty()) {
      continue;
    }
    const AgentSummary summary = Summarize(chosen).front();
    Baseline baseline{.agent = name, .step_s = std::nullopt, .reason = summary.failure};
    if (summary.step_s.has_value()) {
      baseline.step_s = summary.step_s->mean;
    }
    return baseline;
  }
  return std::nullopt;
}

// A baseline that is no agent of the matrix runs once, with the experiment's budget and seed 0.
Baseline BaselineOutside(const ExperimentConfig& config,
                         const PreparedProblem& problem,
                         const agents::AgentRegistry& registry,
                         const Console& console) {
  const SearchAnswer answer =
      RunSearch({.problem = problem.problem,
                 .agent = {.label = config.baseline, .name = config.baseline, .params = {}},
                 .seed = 0,
                 .budget = config.budget,
                 .num_threads = env::ThreadPool::DefaultNumThreads(),
                 .interrupt = &console.interrupt,
                 .on_progress = {}},
                registry);
  Baseline baseline{
      .agent = config.baseline, .step_s = std::nullopt, .reason = "no_plan", .is_in_matrix = false};
  if (answer.best.has_value()) {
    baseline.reason = sim::NameOf(answer.best->evaluation.result.outcome);
  }
  if (answer.is_feasible()) {
    baseline.step_s = answer.best->evaluation.result.makespan.seconds();
  }
  return baseline;
}

std::map<PairKey, Baseline> Baselines(const ExperimentConfig& config,
                                      const std::vector<PreparedProblem>& problems,
                                      const std::vector<RunRecord>& runs,
                                      const agents::AgentRegistry& registry,
                                      const Console& console) {
  std::map<PairKey, Baseline> baselines;
  for (const PreparedProblem& problem : problems) {
    const std::optional<Baseline> own = BaselineInMatrix(config.baseline, problem, runs);
    baselines[{problem.graph, problem.hardware}] =
        own.has_value() ? *own : BaselineOutside(config, problem, registry, console);
  }
  return baselines;
}

Json OrNull(const std::optional<double>& value) {
  return value.has_value() ? Json(*value) : Json(nullptr);
}

Json CellJson(const RunRecord& run) {
  const bool is_done = run.status == RunStatus::kDone;
  return {
      {"graph", run.cell.graph},
      {"hardware", run.cell.hardware},
      {"agent", run.cell.agent},
      {"seed", run.cell.seed},
      {"status", is_done ? "done" : "failed"},
      {"outcome", run.outcome},
      {"makespan_s", is_done ? OrNull(run.makespan.value_or(SimTime{}).seconds()) : Json(nullptr)},
      {"evaluations", run.evaluations},
      {"failures", run.failures},
      {"seconds", run.seconds}};
}

Json SummaryJson(const AgentSummary& summary) {
  const auto step = summary.step_s.value_or(MeanWithInterval{});
  return {{"graph", summary.graph},
          {"hardware", summary.hardware},
          {"agent", summary.agent},
          {"runs", summary.num_runs},
          {"failed", summary.num_failed},
          {"mean_s", summary.step_s.has_value() ? Json(step.mean) : Json(nullptr)},
          {"ci95_s", OrNull(step.half_width)},
          {"speed_up", OrNull(summary.speed_up)},
          {"evaluations", summary.mean_evaluations},
          {"seconds", summary.mean_seconds}};
}

std::string AnswerJson(const ExperimentConfig& config,
                       const MatrixAnswer& answer,
                       const std::vector<AgentSummary>& summaries) {
  Json json = {{"experiment", config.name},
               {"baseline", config.baseline},
               {"other_runs", answer.num_other_runs},
               {"cells", Json::array()},
               {"agents", Json::array()}};
  std::ranges::transform(answer.runs, std::back_inserter(json["cells"]), CellJson);
  std::ranges::transform(summaries, std::back_inserter(json["agents"]), SummaryJson);
  return json.dump();
}

int SayHowToGoOn(const RunOptions& options,
                 const fs::path& folder,
                 const MatrixAnswer& answer,
                 const Console& console) {
  std::string command = "opyard run " + ShellQuoted(options.experiment) + " --out " +
                        ShellQuoted(folder.string()) + " --resume";
  for (const std::string& text : options.overrides) {
    command += " --set " + ShellQuoted(text);
  }
  console.err << "interrupted: " << answer.runs.size() << " of " << answer.num_runs
              << " runs are finished and kept; go on with: " << command << '\n';
  return kInterrupted;
}

ProgressStyle StyleOf(const RunOptions& options, const Console& console) {
  if (options.quiet) {
    return ProgressStyle::kSilent;
  }
  return console.err_is_terminal ? ProgressStyle::kBar : ProgressStyle::kLines;
}

// Once for each graph, whose problems follow each other, and for each machine with it.
void WarnOfGraphs(const std::vector<PreparedProblem>& problems, const Console& console) {
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i == 0 || problems[i].graph != problems[i - 1].graph) {
      WarnOfImport(problems[i].graph, problems[i].import_summary, console);
    }
    WarnOfMeasured(problems[i].graph, *problems[i].problem, console);
  }
}

// The baseline may decide nothing: it is what the others are measured against.
void CheckTasks(const ExperimentConfig& config, const agents::AgentRegistry& registry) {
  ProblemList problems;
  for (std::size_t i = 0; i < config.agents.size(); ++i) {
    const AgentConfig& agent = config.agents[i];
    const auto problem =
        agents::FindTaskProblem(registry.Get(agent.name).info, config.problem.tasks);
    const bool is_baseline = agent.name == config.baseline || agent.label == config.baseline;
    if (problem.has_value() && !is_baseline) {
      problems.Add(config.agent_places[i], *problem);
    }
  }
  problems.ThrowIfAny();
}

}  // namespace

int RunExperiment(const RunOptions& options, const Console& console) {
  const agents::AgentRegistry& registry = console.agents;
  const ExperimentConfig config = ReadWholeExperiment(options, registry);
  CheckTasks(config, registry);
  const fs::path folder =
      options.out.empty() ? fs::path("results") / config.name : fs::path(options.out);
  const FolderLock lock(folder);
  if (!options.resume) {
    ResultStore::RefuseUnlessEmpty(folder);
  }
  const std::vector<PreparedProblem> problems = PrepareProblems(config);
  WarnOfGraphs(problems, console);
  const MatrixAnswer answer = RunMatrix(config,
                                        problems,
                                        registry,
                                        {.folder = folder,
                                         .num_jobs = options.jobs,
                                         .resume = options.resume,
                                         .progress = StyleOf(options, console)},
                                        console);
  if (answer.was_interrupted) {
    return SayHowToGoOn(options, folder, answer, console);
  }
  const auto baselines = Baselines(config, problems, answer.runs, registry, console);
  std::vector<AgentSummary> summaries = Summarize(answer.runs);
  Compare(summaries, baselines);
  if (options.json) {
    console.out << AnswerJson(config, answer, summaries) << '\n';
    return kSuccess;
  }
  console.out << ComparisonText(summaries, baselines) << '\n'
              << answer.runs.size() << " runs in " << (folder / ResultStore::kFileName).string()
              << "; step times: mean ± 95 % confidence interval over " << config.seeds.size()
              << " seeds; evaluations and seconds: mean of a run\n";
  if (answer.num_other_runs > 0) {
    console.out
        << "the store holds " << answer.num_other_runs
        << " more runs, of graphs, machines or agents that this experiment leaves out: they "
           "are not in the table\n";
  }
  return kSuccess;
}

}  // namespace opyard::experiments
