// The trainer of all agents that learn over many problems.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "agents/base/trainer.h"
#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/declaration.h"
#include "agents/learned/common/entropy_schedule.h"
#include "agents/learned/common/torch_device.h"
#include "agents/learned/common/torch_session.h"
#include "agents/learned/common/update_report.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {

// Throws InputError for a problem where placement is no task.
inline void RequirePlacement(const env::PooledProblem& sampled) {
  if (!sampled.problem->tasks().placement) {
    throw InputError(sampled.name + ": found no placement to learn, expected it among the tasks");
  }
}

// Trains a `PoolLearner`, which holds what an agent learns over many problems. The counterpart for
// one problem is SearchAgent (search_agent.h) with LearningSearch (learning_search.h), which have
// restarts and no state to save. `PoolLearner` has
//   PoolLearner(settings, seed of the first weights, device)
//   std::optional<UpdateReport> Update(sampled, progress, evaluator, rng): one update on a problem,
//     nothing when the evaluator was interrupted. Throws InputError for a problem that leaves it
//     nothing to learn, or that the network, made for the first one sampled, does not fit.
//   Or UpdateTogether(pool, progress, rng): one update on a minibatch of problems that it samples.
//   Checkpoint ToWeights() const: the weights alone; after the first update.
//   Checkpoint ToState() const: all that later updates depend on; after the first update.
//   void MakeNetwork(found, path): of the sizes that are written in a state.
//   void TakeState(found, path): takes what ToState() wrote, out of the record, too; REQUIRES:
//     MakeNetwork. Both throw InputError with the reasons why it does not fit.
template <class PoolLearner, class Settings>
class PoolTrainer final : public Trainer {
 public:
  // Throws InputError where LibTorch sees no such device as the settings ask for.
  PoolTrainer(const Settings& settings, const TrainingPlan& plan)
      : session_(settings.session),
        plan_(plan),
        learner_(settings, plan.seed, RequireDevice(settings.session.device)) {}

  std::optional<TrainingPoint> Update(env::ProblemPool& pool, Rng& rng) override {
    const TorchSession session(session_.num_threads, session_.device);
    std::optional<UpdateReport> report = UpdateOnce(pool, rng);
    if (!report.has_value()) {
      return std::nullopt;
    }
    report->update = ++num_updates_;
    return PointOf(*report);
  }

  [[nodiscard]] std::int64_t num_updates() const override { return num_updates_; }

  void Save(const std::filesystem::path& path, const TrainingRecord& record) const override {
    OPYARD_CHECK(num_updates_ > 0, "a training is saved after its first update");
    Checkpoint state = learner_.ToState();
    state.tensors[kNumUpdates] = torch::tensor({num_updates_}, torch::kLong);
    state.record.insert(record.begin(), record.end());
    WriteCheckpoint(state, path);
  }

  void SaveWeights(const std::filesystem::path& path, const TrainingRecord& record) const override {
    OPYARD_CHECK(num_updates_ > 0, "a training is saved after its first update");
    Checkpoint weights = learner_.ToWeights();
    weights.record = record;
    WriteCheckpoint(weights, path);
  }

  TrainingRecord Load(const std::filesystem::path& path) override {
    Checkpoint found = ReadCheckpoint(path);
    learner_.MakeNetwork(found, path);
    num_updates_ = WholeNumberOf(found, kNumUpdates, path);
    found.tensors.erase(kNumUpdates);
    learner_.TakeState(found, path);
    return std::move(found.record);
  }

 private:
  static constexpr const char* kNumUpdates = "num_updates";

  std::optional<UpdateReport> UpdateOnce(env::ProblemPool& pool, Rng& rng) {
    if constexpr (requires { learner_.UpdateTogether(pool, Progress(), rng); }) {
      return learner_.UpdateTogether(pool, Progress(), rng);
    } else {
      std::optional<UpdateReport> report;
      pool.Sample(rng, [&](const env::PooledProblem& sampled, env::Evaluator& evaluator) {
        report = learner_.Update(sampled, Progress(), evaluator, rng);
      });
      return report;
    }
  }

  [[nodiscard]] TrainingProgress Progress() const {
    return {
        .num_updates = num_updates_,
        .used_share = static_cast<double>(num_updates_) / static_cast<double>(plan_.num_updates)};
  }

  TrainingSession session_;
  TrainingPlan plan_;
  PoolLearner learner_;
  std::int64_t num_updates_ = 0;
};

}  // namespace opyard::agents
