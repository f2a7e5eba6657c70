#include "agents/learned/coloc_rl/search.h"

#include <algorithm>
#include <bit>

#include "sim/base/error.h"

namespace opyard::agents {
namespace {

constexpr std::uint64_t kWeightStream = 0;  // update u draws from stream u, and 1 is the first

Rng StreamOf(std::int64_t seed, std::uint64_t stream) {
  return Rng(std::bit_cast<std::uint64_t>(seed)).Fork(stream);
}

// Of the first policy, or of the one that restart `restart` begins with.
Rng WeightStreamOf(std::int64_t seed, std::int64_t restart) {
  const Rng first = StreamOf(seed, kWeightStream);
  return restart == 0 ? first : first.Fork(static_cast<std::uint64_t>(restart));
}

}  // namespace

ColocRlSizes Fitted(ColocRlSizes sizes, const ColocRlView& view) {
  sizes.num_groups = sizes.faithful ? view.sequence.num_groups : 0;
  sizes.num_devices = sizes.faithful ? view.sequence.num_devices : 0;
  return sizes;
}

ColocRlSearch::ColocRlSearch(const env::Problem& problem,
                             const ColocRlOptions& options,
                             std::uint64_t seed,
                             const std::filesystem::path& weights)
    : options_(options),
      seed_(std::bit_cast<std::int64_t>(seed)),
      view_(View(problem, options.groups)),
      sizes_(Fitted(options.sizes, view_)),
      baseline_(options.baseline_decay),
      watch_(options.restart_updates, view_.sequence.num_groups) {
  if (weights.empty()) {
    StartAnew();
    return;
  }
  const Checkpoint found = ReadCheckpoint(weights);
  sizes_ = Fitted(SizesOf(found, weights), view_);
  StartAnew();
  learner_->TakeWeights(found, weights);
}

void ColocRlSearch::StartAnew() {
  Rng rng = WeightStreamOf(seed_, num_restarts_);
  learner_ = std::make_unique<ColocRlLearner>(options_, sizes_, rng);
  baseline_.set_value(std::nullopt);
  watch_ = CollapseWatch(options_.restart_updates, view_.sequence.num_groups);
  own_updates_ = 0;
  own_evaluations_ = 0;
}

TrainingProgress ColocRlSearch::Progress(const env::Evaluator& evaluator) const {
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

std::optional<UpdateReport> ColocRlSearch::Update(env::Evaluator& evaluator) {
  const std::int64_t num_samples = evaluator.EvaluationsLeft(options_.samples);
  if (evaluator.is_done() || num_samples == 0) {
    return std::nullopt;
  }
  const TrainingProgress progress = Progress(evaluator);
  Rng rng = StreamOf(seed_, static_cast<std::uint64_t>(num_updates_) + 1);
  const std::optional<JudgedSamples> samples = learner_->Sample(view_, num_samples, evaluator, rng);
  if (!samples.has_value()) {
    return std::nullopt;
  }
  own_evaluations_ += num_samples;
  ++own_updates_;
  UpdateReport report = learner_->Learn(view_,
                                        *samples,
                                        EntropyWeight(options_.entropy, progress),
                                        own_updates_ > options_.failure_updates,
                                        baseline_);
  report.update = ++num_updates_;
  watch_.Observe(samples->devices);
  if (watch_.sees_collapse() && FallenShare(options_.entropy, progress) < 1.0) {
    ++num_restarts_;
    StartAnew();
    share_at_start_ = evaluator.UsedShare();
  }
  report.num_restarts = num_restarts_;
  return report;
}

}  // namespace opyard::agents
