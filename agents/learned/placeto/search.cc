#include "agents/learned/placeto/search.h"

#include <utility>

namespace opyard::agents {

PlacetoSchedule ScheduleAt(const PlacetoOptions& options, const TrainingProgress& progress) {
  return {
      .entropy_weight = EntropyWeight(options.entropy, progress),
      .learning_rate = options.learning_rate +
                       (options.final_learning_rate - options.learning_rate) * progress.used_share};
}

PlacetoSizes Fitted(PlacetoSizes sizes, const PlacetoView& view) {
  sizes.num_devices = sizes.faithful ? view.sequence.num_devices : 0;
  return sizes;
}

PlacetoSearch::PlacetoSearch(const env::Problem& problem,
                             const PlacetoOptions& options,
                             std::uint64_t seed,
                             const NetworkStart& start)
    : options_(options),
      device_(start.device),
      view_(MakePlacetoView(problem, options.groups, device_)),
      sizes_(Fitted(options.sizes, view_)),
      course_({.entropy = options.entropy,
               .restart_updates = options.learns ? options.restart_updates : 0,
               .num_decisions = view_.sequence.num_groups,
               .seed = seed}),
      baseline_(options.baseline_episodes) {
  if (start.weights.empty()) {
    StartAnew();
    return;
  }
  const Checkpoint found = ReadCheckpoint(start.weights);
  sizes_ = Fitted(PlacetoSizesOf(found, start.weights), view_);
  StartAnew();
  learner_->TakeWeights(found, start.weights);
}

bool PlacetoSearch::HasChoice(const env::Problem& problem, const PlacetoOptions& options) {
  return problem.tasks().placement && MakeGroupSequence(problem, options.groups).has_choice();
}

void PlacetoSearch::StartAnew() {
  Rng rng = course_.WeightStream();
  learner_ = std::make_unique<PlacetoLearner>(options_, sizes_, rng, device_);
  baseline_.Clear();
}

EpisodeOptions PlacetoSearch::NextEpisode() const {
  EpisodeOptions options = options_.episode;
  if (options.start == EpisodeStart::kBest && !best_.has_value() && course_.num_updates() > 0) {
    options.start = EpisodeStart::kRandom;
  }
  return options;
}

std::optional<UpdateReport> PlacetoSearch::Update(env::Evaluator& evaluator) {
  if (evaluator.is_done()) {
    return std::nullopt;
  }
  const TrainingProgress progress = course_.Progress(evaluator);
  Rng rng = course_.UpdateStream();
  const std::optional<Episode> episode =
      Play(view_, NextEpisode(), best_, learner_->policy(), evaluator, rng);
  if (!episode.has_value()) {
    return std::nullopt;
  }
  if (options_.episode.start == EpisodeStart::kBest && episode->best.is_feasible) {
    best_ = episode->best;
  }
  UpdateReport report = learner_->Learn(view_, *episode, ScheduleAt(options_, progress), baseline_);
  // Where an episode ends is what its policy wants, wherever it started; a row per evaluation.
  if (course_.IsOverAfter(
          episode->last.expand({episode->num_evaluations, -1}), progress, evaluator)) {
    StartAnew();
  }
  report.update = course_.num_updates();
  report.num_restarts = course_.num_restarts();
  return report;
}

}  // namespace opyard::agents
