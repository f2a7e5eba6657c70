#include "experiments/training/problem_sources.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "env/parallel/thread_pool.h"
#include "env/problem_words.h"
#include "experiments/config/error_lines.h"
#include "experiments/matrix/baseline_search.h"
#include "experiments/matrix/references.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

using Machine = std::shared_ptr<const sim::HardwareProfile>;

constexpr std::size_t kMostKeptOfFamily = 256;  // problems of a family

// A family of training graphs on one machine, with one set of tasks.
class Source {
 public:
  Source(const ExperimentConfig& config,
         const TrainingGraphFamily& family,
         std::string machine_name,
         Machine machine,
         const agents::AgentRegistry& registry,
         std::shared_ptr<const Teacher> teacher)
      : config_(config),
        family_(family),
        machine_name_(std::move(machine_name)),
        machine_(std::move(machine)),
        registry_(registry),
        teacher_(std::move(teacher)) {
    if (const AgentConfig* baseline = FindBaselineAgent(config_)) {
      config_.problem.baseline = baseline->name;
    }
  }

  [[nodiscard]] std::string NameOf(const std::string& graph) const {
    const bool has_own = config_.training.tasks.size() > 1;
    return graph + "@" + machine_name_ +
           (has_own ? ":" + env::TasksText(config_.problem.tasks) : "");
  }

  // The problem of member `index`.
  env::PooledProblem Get(std::int64_t index) {
    const std::string graph = NameOfMember(family_, index);
    env::PooledProblem& kept = Slot(index).problem;
    if (kept.problem == nullptr) {
      kept = {.name = NameOf(graph), .problem = Make(graph)};
    }
    return kept;
  }

  env::PooledProblem Sample(Rng& rng) {
    const std::int64_t index =
        family_.count > 1
            ? static_cast<std::int64_t>(rng.Below(static_cast<std::uint64_t>(family_.count)))
            : 0;
    static_cast<void>(Get(index));
    Kept& kept = Slot(index);
    if (teacher_ != nullptr && !std::exchange(kept.has_asked_teacher, true)) {
      kept.problem.teacher_plan = teacher_->PlanFor(kept.problem);
    }
    return kept.problem;
  }

 private:
  struct Kept {
    env::PooledProblem problem;
    bool has_asked_teacher = false;  // who may have found no plan
  };

  [[nodiscard]] std::shared_ptr<const env::Problem> Make(const std::string& graph) const {
    PreparedProblem prepared{.graph = graph, .hardware = machine_name_};
    prepared.problem = std::make_shared<const env::Problem>(
        env::ProblemSpec{.graph = graphs::LoadGraph(graph, config_.folder),
                         .hardware = machine_,
                         .settings = config_.problem});
    const SearchMeans means{.num_threads = env::ThreadPool::DefaultNumThreads()};
    return Referenced(*prepared.problem, SearchBaseline(config_, prepared, registry_, means))
        .problem;
  }

  Kept& Slot(std::int64_t index) {
    if (kept_.size() >= kMostKeptOfFamily && !kept_.contains(index)) {
      kept_.clear();
    }
    return kept_[index];
  }

  ExperimentConfig config_;
  TrainingGraphFamily family_;
  std::string machine_name_;
  Machine machine_;
  const agents::AgentRegistry& registry_;
  std::shared_ptr<const Teacher> teacher_;
  std::map<std::int64_t, Kept> kept_;
};

void LoadMachine(const std::string& name,
                 const std::string& place,
                 const ExperimentConfig& config,
                 std::map<std::string, Machine>& machines,
                 Diagnostics& diagnostics) {
  if (machines.contains(name)) {
    return;
  }
  try {
    machines[name] = sim::LoadMachine(name, config.folder);
  } catch (const Error& error) {
    AddLines(place, error, diagnostics);
  }
}

// Those of the experiment and of entries, by name.
std::map<std::string, Machine> LoadMachines(const ExperimentConfig& config,
                                            Diagnostics& diagnostics) {
  std::map<std::string, Machine> machines;
  for (std::size_t i = 0; i < config.hardware.size(); ++i) {
    LoadMachine(config.hardware[i], config.hardware_places[i], config, machines, diagnostics);
  }
  for (const TrainingGraphFamily& family : config.training.graphs) {
    for (const std::string& name : family.hardware) {
      LoadMachine(name, family.place, config, machines, diagnostics);
    }
  }
  return machines;
}

// The experiment once for each list of tasks that is trained on.
std::vector<ExperimentConfig> PerTasks(const ExperimentConfig& config) {
  std::vector<ExperimentConfig> configs;
  for (const env::TaskSet& tasks : config.training.tasks) {
    configs.push_back(config);
    configs.back().problem.tasks = tasks;
  }
  return configs.empty() ? std::vector<ExperimentConfig>{config} : configs;
}

// The machines that a family is sampled on: sorted, each once.
std::vector<std::string> MachinesOf(const ExperimentConfig& config,
                                    const TrainingGraphFamily& family) {
  std::vector<std::string> names = family.hardware.empty() ? config.hardware : family.hardware;
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

// Adds a source, whose first problem is made now.
void AddSource(Source made,
               const TrainingGraphFamily& family,
               double weight,
               std::vector<env::ProblemSource>& sources,
               Diagnostics& diagnostics) {
  const auto source = std::make_shared<Source>(std::move(made));
  try {
    static_cast<void>(source->Get(0));
  } catch (const Error& error) {
    AddLines(family.place, error, diagnostics);
  }
  sources.push_back({.name = source->NameOf(family.graph),
                     .weight = weight,
                     .sample = [source](Rng& rng) { return source->Sample(rng); }});
}

}  // namespace

std::vector<env::ProblemSource> MakeSources(const ExperimentConfig& config,
                                            const agents::AgentRegistry& registry,
                                            const std::shared_ptr<const Teacher>& teacher) {
  Diagnostics diagnostics;
  std::vector<env::ProblemSource> sources;
  const std::map<std::string, Machine> machines = LoadMachines(config, diagnostics);
  const std::vector<ExperimentConfig> per_tasks = PerTasks(config);
  diagnostics.ThrowIfAny();
  for (const TrainingGraphFamily& family : config.training.graphs) {
    const std::vector<std::string> names = MachinesOf(config, family);
    const auto num_parts = static_cast<double>(names.size() * per_tasks.size());
    for (const std::string& name : names) {
      for (const ExperimentConfig& of_tasks : per_tasks) {
        AddSource(Source(of_tasks, family, name, machines.at(name), registry, teacher),
                  family,
                  family.weight / num_parts,
                  sources,
                  diagnostics);
      }
    }
  }
  diagnostics.ThrowIfAny();
  return sources;
}

}  // namespace opyard::experiments
