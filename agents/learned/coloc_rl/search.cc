#include "agents/learned/coloc_rl/search.h"

#include "sim/base/error.h"

namespace opyard::agents {

ColocRlSizes Fitted(ColocRlSizes sizes, const ColocRlView& view) {
  sizes.num_groups = sizes.has_adjacency_rows() ? view.sequence.num_groups : 0;
  sizes.num_devices = sizes.faithful ? view.sequence.num_devices : 0;
  return sizes;
}

ColocRlSearch::ColocRlSearch(const env::Problem& problem,
                             const ColocRlOptions& options,
                             std::uint64_t seed,
                             const NetworkStart& start)
    : ColocRlSearch(problem, options, seed, ReadCheckpointIfAny(start.weights), start) {}

ColocRlSearch::ColocRlSearch(const env::Problem& problem,
                             const ColocRlOptions& options,
                             std::uint64_t seed,
                             const std::optional<Checkpoint>& found,
                             const NetworkStart& start)
    : options_(options),
      device_(start.device),
      sizes_(found.has_value() ? SizesOf(*found, start.weights) : options.sizes),
      view_(View(problem, options.groups, sizes_, device_)),
      course_({.entropy = options.entropy,
               .restart_updates = options.learns ? options.restart_updates : 0,
               .num_decisions = view_.sequence.num_groups,
               .seed = seed}),
      baseline_(options.baseline.momentum) {
  sizes_ = Fitted(sizes_, view_);
  StartAnew();
  if (found.has_value()) {
    learner_->TakeWeights(*found, start.weights);
  }
}

bool ColocRlSearch::HasChoice(const env::Problem& problem, const ColocRlOptions& options) {
  return problem.tasks().placement && MakeGroupSequence(problem, options.groups).has_choice();
}

void ColocRlSearch::StartAnew() {
  Rng rng = course_.WeightStream();
  learner_ = std::make_unique<ColocRlLearner>(options_, sizes_, rng, device_);
  baseline_.set_value(std::nullopt);
}

std::optional<UpdateReport> ColocRlSearch::Update(env::Evaluator& evaluator) {
  const std::int64_t num_samples = evaluator.EvaluationsLeft(options_.batch_size);
  if (evaluator.is_done() || num_samples == 0) {
    return std::nullopt;
  }
  const TrainingProgress progress = course_.Progress(evaluator);
  Rng rng = course_.UpdateStream();
  const std::optional<ColocRlRollout> samples =
      learner_->Sample(view_, num_samples, evaluator, rng);
  if (!samples.has_value()) {
    return std::nullopt;
  }
  UpdateReport report =
      learner_->Learn(view_,
                      *samples,
                      {.entropy_weight = EntropyWeight(options_.entropy, progress),
                       .num_updates = progress.num_updates},
                      baseline_,
                      rng);
  if (course_.IsOverAfter(samples->devices.to(torch::kCPU), progress, evaluator)) {
    StartAnew();
  }
  report.update = course_.num_updates();
  report.num_restarts = course_.num_restarts();
  return report;
}

}  // namespace opyard::agents
