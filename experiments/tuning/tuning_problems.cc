#include "experiments/tuning/tuning_problems.h"

#include <span>

#include "experiments/config/error_lines.h"
#include "graphs/graph_sources.h"
#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::experiments {
namespace {

constexpr std::size_t kMostKeptProblems = 256;

using Machine = std::shared_ptr<const sim::HardwareProfile>;

Machine LoadMachine(const std::string& name,
                    const std::string& place,
                    const ExperimentConfig& config,
                    Diagnostics& diagnostics) {
  try {
    return sim::LoadMachine(name, config.folder);
  } catch (const Error& error) {
    AddLines(place, error, diagnostics);
    return nullptr;
  }
}

// The machines that a family is sampled on: its own, or the experiment's.
std::vector<Machine> MachinesOf(const ExperimentConfig& config,
                                const TrainingGraphFamily& family,
                                Diagnostics& diagnostics) {
  std::vector<Machine> machines;
  for (const std::string& name : family.hardware) {
    machines.push_back(LoadMachine(name, family.place, config, diagnostics));
  }
  for (std::size_t i = 0; family.hardware.empty() && i < config.hardware.size(); ++i) {
    machines.push_back(
        LoadMachine(config.hardware[i], config.hardware_places[i], config, diagnostics));
  }
  return machines;
}

}  // namespace

TuningProblems::TuningProblems(const ExperimentConfig& config, Rng rng) : config_(config) {
  Diagnostics diagnostics;
  std::vector<env::TaskSet> tasks = config.training.tasks;
  if (tasks.empty()) {
    tasks = {config.problem.tasks};
  }
  for (const TrainingGraphFamily& family : config.training.graphs) {
    const std::vector<Machine> machines = MachinesOf(config, family, diagnostics);
    for (std::int64_t member = 0; member < family.count; ++member) {
      for (const Machine& machine : machines) {
        for (const env::TaskSet& open : tasks) {
          items_.push_back({.graph = NameOfMember(family, member),
                            .machine = machine,
                            .tasks = open,
                            .place = family.place});
        }
      }
    }
  }
  diagnostics.ThrowIfAny();
  rng.Shuffle(std::span(items_));
}

std::shared_ptr<const env::Problem> TuningProblems::Get(std::size_t index) {
  if (kept_.size() >= kMostKeptProblems && !kept_.contains(index)) {
    kept_.clear();
  }
  std::shared_ptr<const env::Problem>& kept = kept_[index];
  if (kept == nullptr) {
    const Item& item = items_[index];
    Diagnostics diagnostics;
    try {
      env::ProblemSettings settings = config_.problem;
      settings.tasks = item.tasks;
      kept = std::make_shared<const env::Problem>(
          env::ProblemSpec{.graph = graphs::LoadGraph(item.graph, config_.folder),
                           .hardware = item.machine,
                           .settings = std::move(settings)});
    } catch (const Error& error) {
      AddLines(item.place, error, diagnostics);
    }
    diagnostics.ThrowIfAny();
  }
  return kept;
}

}  // namespace opyard::experiments
