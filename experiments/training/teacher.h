// Whose plans a training imitates first.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "agents/registry.h"
#include "env/problem_pool.h"
#include "experiments/config/config.h"
#include "sim/base/interrupt.h"
#include "sim/plan/plan.h"

namespace opyard::experiments {

struct TeacherOptions {
  std::filesystem::path folder;  // that its plans are kept in; trainings may have one together
  std::size_t num_threads = 1;   // that evaluate plans
  const InterruptFlag* interrupt = nullptr;
};

// An agent that searches each problem once. Its best plan is written to a file, by which every
// later training under the same conditions has it: problem, agent, evaluations, seed and version.
class Teacher {
 public:
  // REQUIRES: config.training.teacher; `config` and the registry outlive the teacher.
  Teacher(const ExperimentConfig& config,
          const agents::AgentRegistry& registry,
          TeacherOptions options);

  // Its best plan; null if none completed, or the search was interrupted. Long the first time.
  // Throws InputError if a file cannot be read or written.
  [[nodiscard]] std::shared_ptr<const sim::Plan> PlanFor(const env::PooledProblem& problem) const;

 private:
  [[nodiscard]] std::filesystem::path FileOf(const env::PooledProblem& problem) const;
  [[nodiscard]] std::shared_ptr<const sim::Plan> Search(const env::PooledProblem& problem) const;

  const ExperimentConfig& config_;
  const agents::AgentRegistry& registry_;
  TeacherOptions options_;
};

}  // namespace opyard::experiments
