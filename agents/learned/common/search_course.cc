#include "agents/learned/common/search_course.h"

#include <algorithm>

namespace opyard::agents {
namespace {

constexpr std::uint64_t kWeightStream = 0;  // update u samples from stream u, and 1 is the first

}  // namespace

SearchCourse::SearchCourse(const Options& options)
    : options_(options), watch_(options.restart_updates, options.num_decisions) {}

Rng SearchCourse::StreamOf(std::uint64_t stream) const {
  return Rng(options_.seed).Fork(stream);
}

Rng SearchCourse::WeightStream() const {
  const Rng first = StreamOf(kWeightStream);
  return num_restarts_ == 0 ? first : first.Fork(static_cast<std::uint64_t>(num_restarts_));
}

Rng SearchCourse::UpdateStream() const {
  return StreamOf(static_cast<std::uint64_t>(num_updates_) + 1);
}

TrainingProgress SearchCourse::Progress(const env::Evaluator& evaluator) const {
  TrainingProgress progress{.num_updates = own_updates_};
  const env::Budget& budget = evaluator.options().budget;
  if (budget.evaluations.has_value()) {
    // Whatever the limit in seconds: plans do not depend on the clock where they need not.
    const std::int64_t left = *budget.evaluations - evaluator.num_evaluations();
    progress.used_share =
        static_cast<double>(own_evaluations_) / static_cast<double>(own_evaluations_ + left);
  } else if (budget.seconds.has_value()) {
    progress.used_share =
        (evaluator.UsedShare() - share_at_start_) / std::max(1.0 - share_at_start_, 1e-9);
  }
  return progress;
}

bool SearchCourse::IsOverAfter(const torch::Tensor& choices,
                               const TrainingProgress& progress,
                               const env::Evaluator& evaluator) {
  own_evaluations_ += choices.size(0);
  ++own_updates_;
  ++num_updates_;
  watch_.Observe(choices);
  if (!watch_.sees_collapse() || FallenShare(options_.entropy, progress) >= 1.0) {
    return false;
  }
  ++num_restarts_;
  watch_ = CollapseWatch(options_.restart_updates, options_.num_decisions);
  own_updates_ = 0;
  own_evaluations_ = 0;
  share_at_start_ = evaluator.UsedShare();
  return true;
}

}  // namespace opyard::agents
