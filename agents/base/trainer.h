// The trainer of an agent that learns: training over many problems, beside its search.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "agents/base/training_point.h"
#include "env/problem_pool.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// The parameters of a training.
struct TrainingPlan {
  std::uint64_t seed = 0;        // of the first weights
  std::int64_t num_updates = 0;  // that schedules stretch over, made before a stop included
};

// The origin of the weights in a file: one line of text per name.
using TrainingRecord = std::map<std::string, std::string>;

// Deterministic in options, plan and what Update is given, whatever the number of threads. Every
// plan that it has evaluated was sampled by its network. Used by one thread at a time.
class Trainer {
 public:
  virtual ~Trainer() = default;

  // One update of the network, on problems that it samples from `pool`. Nothing when the pool was
  // interrupted: then no update was made. Throws InputError for a problem that the network cannot
  // be trained on.
  virtual std::optional<TrainingPoint> Update(env::ProblemPool& pool, Rng& rng) = 0;
  [[nodiscard]] virtual std::int64_t num_updates() const = 0;

  // Writes all that a training needs to go on as if it had never stopped, and goes on from it.
  // Load returns the record and throws InputError with all reasons why a file does not fit.
  virtual void Save(const std::filesystem::path& path, const TrainingRecord& record) const = 0;
  virtual TrainingRecord Load(const std::filesystem::path& path) = 0;
  // Writes the weights alone, which the agent takes for any problem that its network fits (option
  // `checkpoint`).
  virtual void SaveWeights(const std::filesystem::path& path,
                           const TrainingRecord& record) const = 0;
};

}  // namespace opyard::agents
