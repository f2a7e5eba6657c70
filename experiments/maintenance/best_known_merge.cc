#include "experiments/maintenance/best_known_merge.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "env/setting_value.h"
#include "experiments/matrix/stored_problem.h"
#include "experiments/statistics/best_known.h"
#include "experiments/store/folder_lock.h"
#include "experiments/store/result_store.h"
#include "experiments/store/sha256.h"
#include "experiments/store/stored_inputs.h"
#include "experiments/text/number_format.h"
#include "sim/base/error.h"
#include "sim/cost/cost_models.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "sim/io/plan/plan_json.h"
#include "sim/io/text/text_file.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExpert = "human_expert";

// "FILE: run 3 (graph, machine, agent, seed 0)".
std::string NameOf(const ResultStore& store, const StoredRun& run) {
  const CellKey& cell = run.record.cell;
  return OneLine(store.place() + ": run " + std::to_string(run.id) + " (" + cell.graph + ", " +
                 cell.hardware + ", " + cell.agent + ", seed " + std::to_string(cell.seed) + ")");
}

// The setting `field` of a run on one line. Throws InputError at `place` if its settings lack it.
std::string WordOf(const RunRecord& record, std::string_view field, const std::string& place) {
  const std::optional<env::SettingValue> value = StoredSetting(record, field);
  if (!value.has_value()) {
    throw InputError(place + ": damaged: its settings do not say what was asked");
  }
  return env::SettingText(*value);
}

// The problem of a run in words. Throws InputError at `place` if its settings do not say.
ProblemWords WordsOf(const RunRecord& record, const std::string& place) {
  Diagnostics diagnostics;
  const ProblemWords words{.graph = record.cell.graph,
                           .machine = record.cell.hardware,
                           .tasks = WordOf(record, "tasks", place),
                           .objective = WordOf(record, "objective", place),
                           .queue = WordOf(record, "queue", place),
                           .fusion = WordOf(record, "fusion", place)};
  const env::ProblemSettings replay = ReplaySettings(record);
  if (replay.memory.has_value()) {
    diagnostics.AddError(
        place,
        "found problem.memory, expected the machine's own rule: best known plans are of "
        "machines as their files say");
  }
  if (!replay.devices.empty()) {
    diagnostics.AddError(
        place,
        "found devices, expected all of the machine: best known plans are of machines as "
        "their files say");
  }
  if (replay.cost_model != sim::kDefaultCostModel) {
    diagnostics.AddError(place,
                         "found problem.cost_model, expected " +
                             std::string(sim::kDefaultCostModel) +
                             ": best known plans are worth what that model says");
  }
  ProblemWords canonical = CanonicalWords(words, place, diagnostics);
  diagnostics.ThrowIfAny();
  return canonical;
}

bool IsDone(const RunRecord& record) {
  return record.status == RunStatus::kDone && record.score.has_value() &&
         record.makespan.has_value();
}

// The first of the runs with the least score; null if none completes.
const StoredRun* BestOf(const std::vector<StoredRun>& runs) {
  const StoredRun* best = nullptr;
  for (const StoredRun& run : runs) {
    if (IsDone(run.record) && (best == nullptr || *run.record.score < *best->record.score)) {
      best = &run;
    }
  }
  return best;
}

// True if the two problems are alike but for tasks of `more` that `fewer` leaves to the defaults.
bool HasFewerTasks(const ProblemWords& fewer, const ProblemWords& more) {
  ProblemWords alike = fewer;
  alike.tasks = more.tasks;
  const std::vector<std::string> tasks = env::SplitNames(more.tasks);
  const std::vector<std::string> part = env::SplitNames(fewer.tasks);
  return alike == more && part.size() < tasks.size() &&
         std::ranges::all_of(part, [&tasks](const std::string& task) {
           return std::ranges::find(tasks, task) != tasks.end();
         });
}

// Characters that no shell and no file system minds.
std::string FileWord(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
    word += is_plain ? c : '-';
  }
  return word.substr(0, 80);
}

// Another plan has another name, so that a table never names a plan that is not its own.
std::string FileOf(const ProblemWords& words, const std::string& plan_text) {
  std::string key;
  for (const std::string& word : {words.graph,
                                  words.machine,
                                  words.tasks,
                                  words.objective,
                                  words.queue,
                                  words.fusion,
                                  plan_text}) {
    key += word + '\n';
  }
  return "plans/" + FileWord(words.graph) + "." + FileWord(words.machine) + "." +
         FileWord(words.tasks) + "." + Sha256(key).substr(0, 8) + ".plan.json.gz";
}

class BestKnownMerger {
 public:
  BestKnownMerger(const fs::path& folder, const agents::AgentRegistry& registry)
      : lock_(folder), folder_(folder), registry_(registry) {
    std::error_code ignored;
    if (fs::exists(folder / kBestKnownFile, ignored)) {
      for (BestKnownPlan& plan : ReadBestKnown(folder / kBestKnownFile)) {
        plans_.emplace(plan.problem, std::move(plan));
      }
    }
  }

  // Adds one store, as far as it gets until it is interrupted, and writes the folder.
  void Add(const std::string& results, const InterruptFlag& interrupt) {
    merge_.was_interrupted = merge_.was_interrupted || interrupt.is_raised();
    if (merge_.was_interrupted) {
      return;
    }
    ResultStore store = ResultStore::OpenToRead(results);
    std::map<ProblemWords, std::vector<StoredRun>> by_problem;
    for (StoredRun& run : store.Runs()) {
      by_problem[WordsOf(run.record, NameOf(store, run))].push_back(std::move(run));
    }
    for (const auto& [words, runs] : by_problem) {
      merge_.was_interrupted = merge_.was_interrupted || interrupt.is_raised();
      if (!merge_.was_interrupted) {
        AddProblem(words, runs, store);
      }
    }
    Write();
  }

  [[nodiscard]] const BestKnownMerge& merge() const { return merge_; }

 private:
  void AddProblem(const ProblemWords& words,
                  const std::vector<StoredRun>& runs,
                  ResultStore& store) {
    const StoredRun* best = BestOf(runs);
    const auto found = plans_.find(words);
    if (best == nullptr) {
      return;
    }
    if (found != plans_.end()) {
      CheckInputs(found->second, *best, store);
    }
    if (found == plans_.end()) {
      ++merge_.num_new;
      plans_.emplace(words, Replayed(words, *best, store));
    } else if (*best->record.score < found->second.best.score) {
      ++merge_.num_better;
      Replace(found->second, Replayed(words, *best, store));
    } else {
      ++merge_.num_kept;
    }
    merge_.num_runs += runs.size();
    AddEvidence(runs, plans_.at(words));
  }

  // One table row cannot speak of two graphs.
  void CheckInputs(const BestKnownPlan& plan, const StoredRun& run, const ResultStore& store) {
    const bool is_graph = plan.graph_sha256 != run.record.graph_sha256;
    if (is_graph || plan.machine_sha256 != run.record.hardware_sha256) {
      throw InputError(NameOf(store, run) + ": found another " + (is_graph ? "graph" : "machine") +
                       " than that of the plan in " + (folder_ / kBestKnownFile).string() +
                       " (another SHA-256); expected the same, or another --out");
    }
  }

  // Only the plan changes hands: what was asked before still was.
  void Replace(BestKnownPlan& plan, const BestKnownPlan& better) {
    superseded_.insert(plan.file);
    plan.best = better.best;
    plan.agent = better.agent;
    plan.seed = better.seed;
    plan.evaluations = better.evaluations;
    plan.version = better.version;
    plan.reproduce = better.reproduce;
    plan.file = better.file;
  }

  // A plan that leaves tasks to the defaults is a plan of the problem that decides them, too.
  void ShareWithMoreTasks() {
    for (auto& [words, plan] : plans_) {
      for (const auto& [fewer, other] : plans_) {
        const bool is_same_world =
            plan.graph_sha256 == other.graph_sha256 && plan.machine_sha256 == other.machine_sha256;
        if (is_same_world && HasFewerTasks(fewer, words) && other.best.score < plan.best.score) {
          Replace(plan, other);
        }
      }
    }
  }

  // `run`'s plan, simulated again and written to its file.
  BestKnownPlan Replayed(const ProblemWords& words, const StoredRun& run, ResultStore& store) {
    const RunRecord& record = run.record;
    const auto graph = FindGraph(store, record.graph_sha256);
    const auto machine = FindMachine(store, record.hardware_sha256);
    if (graph == nullptr || machine == nullptr) {
      throw InputError(NameOf(store, run) +
                       ": found no graph or machine in the results, as an older opyard made them; "
                       "expected both: `opyard run --resume` adds them");
    }
    const env::Problem problem(SpecOf(words, graph, machine));
    const std::string text = store.PlanOf(run.id);
    const sim::Plan plan = sim::ReadPlanText(text, NameOf(store, run) + ": plan", *graph, *machine);
    sim::Workspace workspace;
    const sim::SimResult result = problem.simulator().Run(plan, workspace);
    if (result.outcome != sim::Outcome::kCompleted || result.makespan != *record.makespan) {
      throw InputError(NameOf(store, run) + ": found a plan that is not worth its makespan (" +
                       sim::NameOf(result.outcome) + ", " +
                       std::to_string(result.makespan.picoseconds) + " ps), expected " +
                       std::to_string(record.makespan->picoseconds) + " ps");
    }
    const std::string file = FileOf(words, text);
    WritePlan(file, sim::WritePlanText(plan, *graph, *machine));
    const std::vector<agents::HistoryRow> history = store.HistoryOf(run.id);
    return {.problem = words,
            .graph_sha256 = record.graph_sha256,
            .machine_sha256 = record.hardware_sha256,
            .best = {.makespan = result.makespan,
                     .score = env::Score(problem.objective(), problem.objective_scale(), result)},
            .expert = std::nullopt,
            .lower_bound = problem.problem_bound(),
            .agent = record.cell.agent,
            .seed = record.cell.seed,
            .evaluations = history.empty() ? record.evaluations : history.back().evaluations,
            .version = record.version,
            .reproduce = record.reproduce,
            .file = file,
            .rules = {},
            .searches = {}};
  }

  void WritePlan(const std::string& file, const std::string& text) const {
    std::error_code error;
    fs::create_directories(folder_ / "plans", error);
    if (error) {
      throw InputError((folder_ / "plans").string() +
                       ": cannot make this folder: " + error.message());
    }
    sim::WriteTextFile(folder_ / file, text);
  }

  // An agent that is unknown here may be a plugin of tomorrow: it counts as a search.
  [[nodiscard]] bool IsRule(const std::string& agent) const {
    return std::ranges::any_of(registry_.entries(), [&agent](const agents::AgentEntry& entry) {
      return entry.info.name == agent && entry.info.kind == agents::AgentKind::kClassical;
    });
  }

  void AddEvidence(const std::vector<StoredRun>& runs, BestKnownPlan& plan) const {
    for (const StoredRun& run : runs) {
      const RunRecord& record = run.record;
      if (IsRule(record.agent_name)) {
        plan.rules.insert(record.agent_name);
      } else {
        std::int64_t& evaluations = plan.searches[{record.agent_name, record.cell.seed}];
        evaluations = std::max(evaluations, record.evaluations);
      }
      const bool is_expert = record.agent_name == kExpert && IsDone(record);
      if (is_expert && (!plan.expert.has_value() || *record.score < plan.expert->score)) {
        plan.expert = {.makespan = *record.makespan, .score = *record.score};
      }
    }
  }

  // The table goes after the plans that it names, and before those that it names no longer. Results
  // may come from anywhere: a table that could not be read again is refused, not written.
  void Write() {
    ShareWithMoreTasks();
    std::vector<BestKnownPlan> plans;
    for (const auto& [words, plan] : plans_) {
      plans.push_back(plan);
      superseded_.erase(plan.file);
    }
    const fs::path table = folder_ / kBestKnownFile;
    const std::string text = BestKnownCsv(plans);
    static_cast<void>(ReadBestKnownText(text, "what would go into " + table.string()));
    sim::WriteTextFile(table, text);
    for (const std::string& file : std::exchange(superseded_, {})) {
      std::error_code ignored;
      fs::remove(folder_ / file, ignored);
    }
  }

  FolderLock lock_;
  fs::path folder_;
  const agents::AgentRegistry& registry_;
  std::map<ProblemWords, BestKnownPlan> plans_;
  std::set<std::string> superseded_;  // files of plans that had to give way
  BestKnownMerge merge_;
};

}  // namespace

BestKnownMerge MergeBestKnown(const std::vector<std::string>& results,
                              const fs::path& folder,
                              const agents::AgentRegistry& registry,
                              const InterruptFlag& interrupt) {
  BestKnownMerger merger(folder, registry);
  for (const std::string& path : results) {
    merger.Add(path, interrupt);
  }
  return merger.merge();
}

}  // namespace opyard::experiments
