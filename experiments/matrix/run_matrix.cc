#include "experiments/matrix/run_matrix.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "agents/base/search_run.h"
#include "agents/base/search_start.h"
#include "env/parallel/thread_pool.h"
#include "experiments/base/version.h"
#include "experiments/config/error_lines.h"
#include "experiments/config/resolved.h"
#include "experiments/graphs/measured_text.h"
#include "experiments/matrix/matrix_cells.h"
#include "experiments/matrix/matrix_references.h"
#include "experiments/matrix/matrix_trainings.h"
#include "experiments/matrix/references.h"
#include "experiments/matrix/reproduce.h"
#include "experiments/matrix/resume_check.h"
#include "experiments/store/stored_inputs.h"
#include "sim/io/plan/plan_json.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

const char* OutcomeName(const agents::SearchResult& answer) {
  if (!answer.failure.empty()) {
    return "agent_failed";
  }
  return answer.best.has_value() ? sim::NameOf(answer.best->evaluation.result.outcome) : "no_plan";
}

// The record of a cell before its search begins.
RunRecord BlankRecord(const ExperimentConfig& config,
                      const Cell& cell,
                      const agents::AgentRegistry& registry) {
  RunRecord record;
  record.cell = cell.key;
  record.graph_sha256 = cell.problem->graph_sha256;
  record.hardware_sha256 = cell.problem->hardware_sha256;
  record.agent_name = cell.agent->name;
  record.params = ParamsJson(cell.agent->params);
  record.start = StartOf(registry.Get(cell.agent->name), cell.agent->params);
  record.cost_model = config.problem.cost_model;
  if (cell.reference != nullptr) {
    record.reference = cell.reference->record;
  }
  record.settings = SettingsJson(
      config, *cell.agent, record.reference.has_value() ? Rewards::kGiven : Rewards::kNone);
  record.version = Version();
  if (cell.training != nullptr) {
    record.training_id = cell.training->record.id;
  }
  record.reproduce = ReproduceCommand(config, cell.key, *cell.agent, record.reference);
  if (cell.training != nullptr) {
    record.reproduce += " --checkpoint " + ShellQuoted(cell.training->record.weights);
  }
  return record;
}

void Fill(RunRecord& record, const agents::SearchResult& answer, const env::Problem& problem) {
  record.status = answer.is_feasible() ? RunStatus::kDone : RunStatus::kFailed;
  record.outcome = OutcomeName(answer);
  record.evaluations = answer.evaluations;
  record.failures = answer.failures;
  record.seconds = answer.seconds;
  record.cpu_seconds = answer.cpu_seconds;
  record.agent_bound = answer.bound;
  record.history = answer.history;
  record.training = answer.training;
  record.failure = answer.failure;
  if (answer.best.has_value() && answer.failure.empty()) {
    record.makespan = answer.best->evaluation.result.makespan;
    record.plan = sim::WritePlanText(answer.best->plan, problem.graph(), problem.hardware());
  }
  if (answer.is_feasible()) {
    record.score = answer.best->evaluation.score;
    record.seconds_to_best = answer.history.back().seconds;
  }
}

StoredRuns LoadRuns(ResultStore& store) {
  StoredRuns runs;
  for (StoredRun& run : store.Runs()) {
    const CellKey key = run.record.cell;
    runs.emplace(key, std::move(run.record));
  }
  return runs;
}

// With them the store replays without the files it was made from. Before the first run, so that
// none is ever without.
void KeepInputs(ResultStore& store, const std::vector<PreparedProblem>& problems) {
  for (const PreparedProblem& problem : problems) {
    KeepGraph(store, problem.graph_sha256, problem.problem->graph());
    KeepMachine(store, problem.hardware_sha256, problem.problem->hardware());
  }
}

// Who says so, and what of.
std::string SourceOfBound(const env::Problem& problem) {
  const std::string mixed = MixedTimesText(problem);
  return std::string("opyard ") + Version() + (mixed.empty() ? "" : "; " + mixed);
}

// Stores the lower bounds of the problems, and the optima that are known beside them.
void KeepBounds(ResultStore& store, const PreparedExperiment& experiment) {
  std::vector<StoredBound> bounds;
  for (const PreparedProblem& problem : experiment.problems) {
    const StoredBound blank{.graph = problem.graph, .hardware = problem.hardware};
    StoredBound& lower = bounds.emplace_back(blank);
    lower.kind = "lower_bound";
    lower.makespan = problem.problem->problem_bound();
    lower.source = SourceOfBound(*problem.problem);
    if (!experiment.optima.has_value()) {
      continue;
    }
    const auto known = experiment.optima->optima.find({problem.graph, problem.hardware});
    if (known != experiment.optima->optima.end()) {
      StoredBound& optimum = bounds.emplace_back(blank);
      optimum.kind = known->second.is_proven ? "proven_optimum" : "best_known";
      optimum.makespan = known->second.makespan;
      optimum.source = experiment.optima->table;
    }
  }
  store.Keep(bounds);
}

void KeepExperiment(ResultStore& store,
                    const ExperimentConfig& config,
                    const ExpectedMatrix& matrix,
                    const Shard& shard) {
  StoreInfo info = store.Info();
  info.resolved = ResolvedText(config);
  info.matrix = TextOf(matrix);
  info.shard = TextOf(shard);
  store.Keep(info);
}

MatrixStart StartOf(const std::vector<Cell>& cells,
                    const std::vector<Cell>& missing,
                    const StoredRuns& runs,
                    std::size_t num_jobs) {
  MatrixStart start{
      .num_runs = cells.size(), .num_done = cells.size() - missing.size(), .num_jobs = num_jobs};
  for (const auto& [key, record] : runs) {
    start.done.push_back({.agent = key.agent, .seconds = record.seconds});
  }
  for (const Cell& cell : missing) {
    start.missing.push_back(cell.key.agent);
  }
  return start;
}

ResultStore OpenStore(const ExperimentConfig& config, const MatrixOptions& options) {
  const fs::path origin = fs::absolute(config.folder).lexically_normal();
  const fs::path results = fs::absolute(options.folder).lexically_normal();
  const StoreInfo info = {.experiment = config.name,
                          .experiment_folder = origin.lexically_relative(results).generic_string()};
  return options.resume ? ResultStore::Resume(options.folder, info)
                        : ResultStore::Create(options.folder, info);
}

void CheckPieces(const ExperimentConfig& config,
                 const Shard& shard,
                 const agents::AgentRegistry& registry) {
  if (shard.is_whole()) {
    return;
  }
  if (const auto problem = FindPieceProblem(config, registry)) {
    throw InputError("--shard " + TextOf(shard) + ": " + *problem);
  }
}

// Moves those of `missing` that the rewards of others wait for out of it.
std::vector<Cell> TakeFirst(std::vector<Cell>& missing, const MatrixReferences& references) {
  std::set<CellKey> first;
  for (const Cell& cell : missing) {
    if (references.AreFor(*cell.agent)) {
      if (const std::optional<CellKey> run = references.RunFor(*cell.problem)) {
        first.insert(*run);
      }
    }
  }
  const auto begin = std::ranges::stable_partition(missing, [&](const Cell& cell) {
                       return !first.contains(cell.key);
                     }).begin();
  std::vector<Cell> taken(begin, missing.end());
  missing.erase(begin, missing.end());
  return taken;
}

// Gives the cells that are rewarded what they are measured against.
void SetReferences(std::vector<Cell>& cells,
                   const StoredRuns& runs,
                   const SearchMeans& means,
                   MatrixReferences& references) {
  for (Cell& cell : cells) {
    if (means.interrupt != nullptr && means.interrupt->is_raised()) {
      return;  // nothing will run
    }
    if (references.AreFor(*cell.agent)) {
      cell.reference = references.Find(*cell.problem, runs, means);
    }
  }
}

// The threads that take cell after cell. Everything they share is behind `mutex_`.
class CellRunner {
 public:
  CellRunner(const ExperimentConfig& config,
             const agents::AgentRegistry& registry,
             const MatrixOptions& options,
             RunListener& listener)
      : config_(config),
        registry_(registry),
        interrupt_(options.interrupt),
        listener_(listener),
        num_jobs_(options.num_jobs),
        threads_per_run_(
            std::max<std::size_t>(1, MeansOf(options).num_threads / options.num_jobs)) {}

  // Runs `cells` and adds the records to `store` and `runs`. Rethrows the first error of a run.
  void Run(const std::vector<Cell>& cells, ResultStore& store, StoredRuns& runs) {
    next_ = 0;
    const auto work = [&] {
      for (std::size_t i = next_++; i < cells.size() && !IsStopping(); i = next_++) {
        RunGuarded(cells[i], store, runs);
      }
    };
    {
      std::vector<std::jthread> helpers;
      for (std::size_t job = 1; job < std::min(num_jobs_, cells.size()); ++job) {
        helpers.emplace_back(work);
      }
      work();
    }
    if (error_ != nullptr) {
      std::rethrow_exception(error_);
    }
  }

 private:
  [[nodiscard]] bool IsStopping() {
    const std::scoped_lock lock(mutex_);
    return (interrupt_ != nullptr && interrupt_->is_raised()) || error_ != nullptr;
  }

  // An exception must not leave a thread: it is kept for the caller of Run.
  void RunGuarded(const Cell& cell, ResultStore& store, StoredRuns& runs) {
    try {
      RunOne(cell, store, runs);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (error_ == nullptr) {
        error_ = std::current_exception();
      }
    }
  }

  // Throws InputError at the agent's place in the experiment, e.g. for a checkpoint that is
  // missing.
  agents::SearchResult Search(const Cell& cell) {
    const SearchListeners listeners = ListenersOf(cell.key, listener_);
    Options params = cell.agent->params;
    if (cell.training != nullptr) {
      params.Set("checkpoint", cell.training->weights.string());
    }
    try {
      const auto& problem =
          cell.reference == nullptr ? cell.problem->problem : cell.reference->problem;
      return agents::RunSearch({.problem = problem,
                                .agent = cell.agent->name,
                                .params = std::move(params),
                                .seed = cell.key.seed,
                                .budget = BudgetOf(config_, *cell.agent),
                                .num_threads = threads_per_run_,
                                .interrupt = interrupt_,
                                .on_progress = listeners.on_progress,
                                .on_update = listeners.on_update},
                               registry_);
    } catch (const Error& error) {
      Diagnostics diagnostics;
      AddLines(*cell.agent_place + ": agent " + cell.key.agent + " on " + cell.key.graph,
               error,
               diagnostics);
      throw InputError(diagnostics.Text());
    }
  }

  void RunOne(const Cell& cell, ResultStore& store, StoredRuns& runs) {
    listener_.RunStarted(cell.key);
    const agents::SearchResult answer = Search(cell);
    if (answer.was_interrupted) {
      return;
    }
    RunRecord record = BlankRecord(config_, cell, registry_);
    record.threads = static_cast<std::int64_t>(threads_per_run_);
    Fill(record, answer, *cell.problem->problem);
    const std::scoped_lock lock(mutex_);
    store.Add(record);
    record.training.clear();  // thousands of points, read from the store by whoever wants them
    listener_.RunFinished(record);
    runs.emplace(cell.key, std::move(record));
  }

  const ExperimentConfig& config_;
  const agents::AgentRegistry& registry_;
  const InterruptFlag* interrupt_;
  RunListener& listener_;
  std::size_t num_jobs_;
  std::size_t threads_per_run_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

SearchMeans MeansOf(const MatrixOptions& options) {
  return {.num_threads =
              options.num_threads == 0 ? env::ThreadPool::DefaultNumThreads() : options.num_threads,
          .interrupt = options.interrupt};
}

std::optional<std::string> FindPieceProblem(const ExperimentConfig& config,
                                            const agents::AgentRegistry& registry) {
  const AgentConfig* baseline = FindBaselineAgent(config);
  const std::string& name = baseline == nullptr ? config.problem.baseline : baseline->name;
  const env::Budget& budget = baseline == nullptr ? config.budget : BudgetOf(config, *baseline);
  const bool repeats = registry.Get(name).info.is_deterministic || !budget.seconds.has_value();
  const bool is_needed = std::ranges::any_of(config.agents, [&](const AgentConfig& agent) {
    return NeedsReference(agent.name, registry);
  });
  if (!is_needed || repeats) {
    return std::nullopt;
  }
  return "the baseline " + config.problem.baseline +
         " samples, and its budget has seconds: each piece would reward its agents against "
         "another plan; expected a baseline that samples nothing, or a budget in evaluations "
         "alone";
}

MatrixAnswer RunMatrix(const PreparedExperiment& experiment,
                       const agents::AgentRegistry& registry,
                       const MatrixOptions& options,
                       RunListener& listener) {
  CheckPieces(experiment.config, options.shard, registry);
  ResultStore store = OpenStore(experiment.config, options);
  StoredRuns runs = LoadRuns(store);
  CheckMayResume(store, runs, experiment, options.shard);
  const ExpectedMatrix matrix = MatrixOf(experiment, registry, runs);
  const std::vector<Cell> cells = CellsOf(experiment, matrix, options.shard);
  KeepInputs(store, experiment.problems);
  KeepBounds(store, experiment);
  KeepExperiment(store, experiment.config, matrix, options.shard);
  std::vector<Cell> missing;
  std::ranges::copy_if(
      cells, std::back_inserter(missing), [&](const Cell& c) { return !runs.contains(c.key); });
  listener.MatrixStarted(StartOf(cells, missing, runs, options.num_jobs));
  const Trainings trainings = TrainFor(missing, store, options);
  CellRunner runner(experiment.config, registry, options, listener);
  MatrixReferences references(experiment, registry, runs, cells);
  runner.Run(TakeFirst(missing, references), store, runs);
  SetReferences(missing, runs, MeansOf(options), references);
  runner.Run(missing, store, runs);
  MatrixAnswer answer{.runs = {},
                      .num_runs = cells.size(),
                      .num_other_runs = runs.size(),
                      .baseline_searches = references.searches(),
                      .trainings = store.Trainings()};
  for (const Cell& cell : cells) {
    if (const auto found = runs.find(cell.key); found != runs.end()) {
      answer.runs.push_back(found->second);
    }
  }
  answer.num_other_runs -= answer.runs.size();
  answer.was_interrupted = answer.runs.size() < cells.size();
  return answer;
}

}  // namespace opyard::experiments
