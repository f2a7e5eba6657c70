#include "env/problem_pool.h"

#include <numeric>
#include <utility>

#include "sim/base/check.h"
#include "sim/base/thread_clock.h"

namespace opyard::env {

ProblemPool::ProblemPool(std::vector<ProblemSource> sources, const ProblemPoolOptions& options)
    : sources_(std::move(sources)),
      interrupt_(options.interrupt),
      threads_(std::make_shared<ThreadPool>(options.num_threads)) {
  OPYARD_CHECK(!sources_.empty(), "a pool of problems needs a source");
  for (const ProblemSource& source : sources_) {
    OPYARD_CHECK(source.weight > 0.0, "a source that is never sampled from is none");
  }
}

void ProblemPool::Sample(Rng& rng, const Use& use) {
  const ThreadClock own = ThreadClock::OfThisThread();
  const auto spent = [&] { return own.seconds() + threads_->cpu_seconds(); };
  const double before = spent();
  const PooledProblem sampled = Choose(rng).sample(rng);
  Evaluator evaluator(sampled.problem, {.pool = threads_, .interrupt = interrupt_});
  use(sampled, evaluator);
  ProblemUse& total = uses_[sampled.name];
  ++total.samples;
  total.evaluations += evaluator.num_evaluations();
  total.cpu_seconds += spent() - before;
}

const ProblemSource& ProblemPool::Choose(Rng& rng) const {
  const double sum = std::accumulate(
      sources_.begin(), sources_.end(), 0.0, [](double total, const ProblemSource& source) {
        return total + source.weight;
      });
  double left = rng.Uniform() * sum;
  for (const ProblemSource& source : sources_) {
    left -= source.weight;
    if (left < 0.0) {
      return source;
    }
  }
  return sources_.back();  // rounding
}

bool ProblemPool::is_done() const {
  return interrupt_ != nullptr && interrupt_->is_raised();
}

}  // namespace opyard::env
