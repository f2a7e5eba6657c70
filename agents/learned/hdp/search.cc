#include "agents/learned/hdp/search.h"

#include <algorithm>

#include "agents/learned/common/checkpoint.h"

namespace opyard::agents {

HdpSizes Fitted(HdpSizes sizes, const HdpView& view) {
  sizes.num_devices = view.units.num_devices;
  sizes.num_units = sizes.grouper == GrouperKind::kRandom ? view.units.num_groups : 0;
  if (sizes.num_groups == 0) {
    sizes.num_groups = std::min(PublishedGroups(view.num_accelerators), view.units.num_groups);
  }
  return sizes;
}

HdpSearch::HdpSearch(const env::Problem& problem,
                     const HdpOptions& options,
                     std::uint64_t seed,
                     const NetworkStart& start)
    : HdpSearch(problem, options, seed, ReadCheckpointIfAny(start.weights), start) {}

HdpSearch::HdpSearch(const env::Problem& problem,
                     const HdpOptions& options,
                     std::uint64_t seed,
                     const std::optional<Checkpoint>& found,
                     const NetworkStart& start)
    : options_(options),
      device_(start.device),
      sizes_(found.has_value() ? HdpSizesOf(*found, start.weights) : options.sizes),
      view_(View(problem, options.units, sizes_, device_)),
      course_({.entropy = options.entropy,
               .restart_updates = options.learns ? options.restart_updates : 0,
               .num_decisions = view_.units.num_groups,
               .seed = seed}),
      baseline_(options.baseline.momentum) {
  sizes_ = Fitted(sizes_, view_);
  StartAnew();
  if (found.has_value()) {
    learner_->TakeWeights(*found, start.weights);
  }
}

bool HdpSearch::HasChoice(const env::Problem& problem, const HdpOptions& /*options*/) {
  return problem.tasks().placement && UnitsOf(problem).has_choice();
}

void HdpSearch::StartAnew() {
  Rng rng = course_.WeightStream();
  learner_ = std::make_unique<HdpLearner>(options_, sizes_, rng, device_);
  baseline_.set_value(std::nullopt);
}

HdpSampling HdpSearch::SamplingAt(std::int64_t num_updates, std::int64_t num_samples) const {
  HdpSampling sampling;
  if (num_updates < options_.noise.num_updates) {
    sampling.noise_std = options_.noise.relative_std;
  }
  if (options_.stop_sampling > 0 && num_updates >= options_.stop_sampling) {
    sampling.replayed = last_devices_.slice(0, 0, num_samples);
  }
  return sampling;
}

std::optional<UpdateReport> HdpSearch::Update(env::Evaluator& evaluator) {
  const std::int64_t num_samples = evaluator.EvaluationsLeft(options_.batch_size);
  if (evaluator.is_done() || num_samples == 0) {
    return std::nullopt;
  }
  const TrainingProgress progress = course_.Progress(evaluator);
  Rng rng = course_.UpdateStream();
  const std::optional<HdpRollout> samples = learner_->Sample(
      view_, num_samples, evaluator, rng, SamplingAt(progress.num_updates, num_samples));
  if (!samples.has_value()) {
    return std::nullopt;
  }
  last_devices_ = samples->plans.devices;
  UpdateReport report =
      learner_->Learn(view_,
                      *samples,
                      {.entropy_weight = EntropyWeight(options_.entropy, progress),
                       .num_updates = progress.num_updates},
                      baseline_,
                      rng);
  if (course_.IsOverAfter(samples->device_of_unit, progress, evaluator)) {
    StartAnew();
  }
  report.update = course_.num_updates();
  report.num_restarts = course_.num_restarts();
  return report;
}

}  // namespace opyard::agents
