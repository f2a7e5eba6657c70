#include "experiments/training/training.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "agents/base/trainer.h"
#include "env/problem_pool.h"
#include "experiments/base/version.h"
#include "experiments/store/folder_lock.h"
#include "experiments/store/former_rows.h"
#include "experiments/training/problem_sources.h"
#include "experiments/training/teacher.h"
#include "experiments/training/training_curve.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// The conditions that must be equal where a training goes on, by name.
agents::TrainingRecord ConditionsOf(const ExperimentConfig& config,
                                    const TrainingRequest& request) {
  agents::TrainingRecord conditions = {{"agent", request.agent.name},
                                       {"params", ParamsJson(request.agent.params)},
                                       {"problem", ProblemJson(config.problem)},
                                       {"baseline", config.problem.baseline},
                                       {"train", TrainingGraphsJson(config.training)},
                                       {"tasks", TrainingTasksJson(config.training)},
                                       {"hardware", Json(config.hardware).dump()},
                                       {"seed", std::to_string(request.seed)},
                                       {"updates", std::to_string(config.training.num_updates)}};
  if (config.training.teacher.has_value()) {
    conditions["teacher"] = TeacherJson(config.training);
  }
  return conditions;
}

std::string UsesJson(const std::map<std::string, env::ProblemUse>& uses) {
  Json json = Json::object();
  for (const auto& [name, use] : uses) {
    json[name] = {{"samples", use.samples},
                  {"evaluations", use.evaluations},
                  {"cpu_seconds", use.cpu_seconds}};
  }
  return json.dump();
}

std::map<std::string, env::ProblemUse> UsesOf(const std::string& text, const fs::path& path) {
  std::map<std::string, env::ProblemUse> uses;
  try {
    const Json parsed = Json::parse(text);  // outlives its items
    for (const auto& [name, use] : parsed.items()) {
      uses[name] = {.samples = use.at(use.contains("draws") ? "draws" : "samples"),  // of before
                    .evaluations = use.at("evaluations"),
                    .cpu_seconds = use.at("cpu_seconds")};
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(path.string() + ": record uses: " + error.what());
  }
  return uses;
}

// Throws InputError with the place where a state file of another program lacks it.
const std::string& RecordOf(const agents::TrainingRecord& record,
                            const std::string& name,
                            const fs::path& path) {
  const auto it = record.find(name);
  if (it == record.end()) {
    throw InputError(path.string() + ": record " + name + ": found nothing, expected what " +
                     "opyard train wrote; begin anew in another folder");
  }
  return it->second;
}

// Null if the experiment has none.
std::shared_ptr<const Teacher> MakeTeacher(const ExperimentConfig& config,
                                           const TrainingRequest& request,
                                           const agents::AgentRegistry& registry) {
  if (!config.training.teacher.has_value()) {
    return nullptr;
  }
  return std::make_shared<const Teacher>(
      config,
      registry,
      TeacherOptions{.folder = request.folder.parent_path() / config.training.teacher->folder,
                     .num_threads = request.num_threads,
                     .interrupt = request.interrupt});
}

// `record` of a saved training, also of one with former names of options.
agents::TrainingRecord WithNewNames(agents::TrainingRecord record) {
  const auto agent = record.find("agent");
  const auto params = record.find("params");
  if (agent != record.end() && params != record.end()) {
    params->second =
        WithNewNames(
            AgentWords{
                .label = "", .name = agent->second, .params = params->second, .reproduce = ""})
            .params;
  }
  return record;
}

class Training {
 public:
  Training(const ExperimentConfig& config,
           const TrainingRequest& request,
           const agents::AgentRegistry& registry)
      : config_(config),
        request_(request),
        conditions_(ConditionsOf(config, request)),
        lock_(request.folder),
        trainer_(registry.MakeTrainer(request.agent.name,
                                      request.agent.params,
                                      {.seed = static_cast<std::uint64_t>(request.seed),
                                       .num_updates = config.training.num_updates})),
        pool_(MakeSources(config, registry, MakeTeacher(config, request, registry)),
              {.num_threads = request.num_threads, .interrupt = request.interrupt}) {}

  TrainingAnswer Run() {
    Begin();
    TrainingAnswer answer;
    while (trainer_->num_updates() < config_.training.num_updates) {
      Rng rng = Rng(static_cast<std::uint64_t>(request_.seed))
                    .Fork(static_cast<std::uint64_t>(trainer_->num_updates()) + 1);
      const std::optional<agents::TrainingPoint> point =
          pool_.is_done() ? std::nullopt : trainer_->Update(pool_, rng);
      if (!point.has_value()) {
        answer.was_interrupted = true;
        break;
      }
      curve_.Add(*point);
      if (request_.on_update) {
        request_.on_update(SoFar(), *point);
      }
      SaveIfDue();
    }
    if (trainer_->num_updates() > 0) {
      Save();
      trainer_->SaveWeights(File(kWeightsFile), Record());
    }
    answer.so_far = SoFar();
    return answer;
  }

 private:
  [[nodiscard]] fs::path File(const char* name) const { return request_.folder / name; }

  void Begin() {
    std::error_code ignored;
    const bool is_there = fs::exists(File(kStateFile), ignored);
    if (is_there && !request_.resume) {
      throw InputError(request_.folder.string() +
                       ": found a training here, expected none: go on with it by --resume, or give "
                       "another folder by --out");
    }
    if (is_there) {
      GoOn();
    }
    start_ = last_save_ = Clock::now();
  }

  void GoOn() {
    const agents::TrainingRecord found = WithNewNames(trainer_->Load(File(kStateFile)));
    Diagnostics differences;
    for (const auto& [name, value] : conditions_) {
      const auto it = found.find(name);
      const std::string before = it == found.end() ? "nothing" : it->second;
      if (before != value) {
        differences.AddError(
            File(kStateFile).string() + ": " + name,
            "found " + before + ", expected " + value +
                ": a training goes on under the conditions that it was begun under");
      }
    }
    differences.ThrowIfAny();
    const fs::path path = File(kStateFile);
    pool_.Restore(UsesOf(RecordOf(found, "uses", path), path));
    seconds_before_ = std::strtod(RecordOf(found, "seconds", path).c_str(), nullptr);
    curve_ = TrainingCurve::Read(File(kCurveFile), trainer_->num_updates());
  }

  [[nodiscard]] double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }

  [[nodiscard]] TrainingSoFar SoFar() const {
    TrainingSoFar so_far{.num_updates = trainer_->num_updates(),
                         .planned_updates = config_.training.num_updates,
                         .seconds = seconds()};
    for (const auto& [name, use] : pool_.uses()) {
      so_far.evaluations += use.evaluations;
      so_far.cpu_seconds += use.cpu_seconds;
    }
    return so_far;
  }

  [[nodiscard]] agents::TrainingRecord Record() const {
    agents::TrainingRecord record = conditions_;
    record["uses"] = UsesJson(pool_.uses());
    record["seconds"] = ToText(seconds());
    record["made_updates"] = std::to_string(trainer_->num_updates());
    record["version"] = Version();
    return record;
  }

  void SaveIfDue() {
    const std::chrono::duration<double> since = Clock::now() - last_save_;
    if (since.count() >= config_.training.save_seconds) {
      Save();
    }
  }

  // The curve first: it may hold more than the state, never less.
  void Save() {
    curve_.Write(File(kCurveFile));
    trainer_->Save(File(kStateFile), Record());
    last_save_ = Clock::now();
  }

  const ExperimentConfig& config_;
  const TrainingRequest& request_;
  agents::TrainingRecord conditions_;
  FolderLock lock_;
  std::unique_ptr<agents::Trainer> trainer_;
  env::ProblemPool pool_;
  TrainingCurve curve_;
  Clock::time_point start_;
  Clock::time_point last_save_;
  double seconds_before_ = 0.0;
};

}  // namespace

TrainingAnswer RunTraining(const ExperimentConfig& config,
                           const TrainingRequest& request,
                           const agents::AgentRegistry& registry) {
  if (config.training.graphs.empty()) {
    throw InputError("experiment " + config.name +
                     ": found nothing to train on, expected graphs under split: train");
  }
  return Training(config, request, registry).Run();
}

}  // namespace opyard::experiments
