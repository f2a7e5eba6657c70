// Many problems to train on, sampled one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "env/budget.h"
#include "env/evaluator.h"
#include "env/parallel/thread_pool.h"
#include "env/problem.h"
#include "sim/base/interrupt.h"
#include "sim/base/rng.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// A problem with the name that it has in records: equal names, equal problems.
struct PooledProblem {
  std::string name;
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const sim::Plan> teacher_plan = nullptr;  // to be imitated; null: none
};

// Where problems come from: one of a list, or a random family. Whoever makes a source knows graphs
// and machines; the pool does not.
struct ProblemSource {
  std::string name;
  double weight = 1.0;  // > 0: how often it is sampled from, against the sum of all
  std::function<PooledProblem(Rng& rng)> sample;
};

// The cost of a problem so far.
struct ProblemUse {
  std::int64_t samples = 0;
  std::int64_t evaluations = 0;
  double cpu_seconds = 0.0;  // of all threads that worked for it, learning included
  friend bool operator==(const ProblemUse&, const ProblemUse&) = default;
};

struct ProblemPoolOptions {
  std::size_t num_threads = 1;
  const InterruptFlag* interrupt = nullptr;
};

// Samples problems by weight, and hands each over with an evaluator; those share one thread pool.
// The samples depend on the generator alone. Used by one thread at a time.
class ProblemPool {
 public:
  using Use = std::function<void(const PooledProblem& sampled, Evaluator& evaluator)>;

  // REQUIRES: at least one source, each with a positive weight.
  ProblemPool(std::vector<ProblemSource> sources, const ProblemPoolOptions& options);

  // Samples a problem and calls `use` with it and an evaluator without a limit that is not the
  // interrupt's. Throws what the source and `use` throw.
  void Sample(Rng& rng, const Use& use);

  // True once the interrupt is raised.
  [[nodiscard]] bool is_done() const;

  // By name of the problem.
  [[nodiscard]] const std::map<std::string, ProblemUse>& uses() const { return uses_; }
  // Counts go on from these, of a training that was stopped.
  void Restore(std::map<std::string, ProblemUse> uses) { uses_ = std::move(uses); }

 private:
  [[nodiscard]] const ProblemSource& Choose(Rng& rng) const;

  std::vector<ProblemSource> sources_;
  const InterruptFlag* interrupt_;
  std::shared_ptr<ThreadPool> threads_;
  std::map<std::string, ProblemUse> uses_;
};

}  // namespace opyard::env
