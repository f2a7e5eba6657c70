#include "agents/learned/placeto/search.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "agents/planning/all_initial_plans.h"

namespace opyard::agents::placeto {
namespace {

// The placements of `starts` as far as nodes can have them, each once: a node goes where its last
// group is, or, where it may not be there, to the first device that it may be on. [G] each
std::vector<std::vector<std::int64_t>> StartsOfNodes(const View& view,
                                                     std::span<const Decisions> starts) {
  const GroupSequence& sequence = view.sequence;
  std::vector<std::vector<std::int64_t>> placements;
  for (const Decisions& start : starts) {
    std::vector<std::int64_t> devices(static_cast<std::size_t>(sequence.num_groups));
    for (std::size_t group = 0; group < start.device_of_group.size(); ++group) {
      devices[static_cast<std::size_t>(sequence.group_of_problem_group[group])] =
          static_cast<std::int64_t>(start.device_of_group[group].index());
    }
    for (std::int64_t node = 0; node < sequence.num_groups; ++node) {
      const std::vector<std::int64_t> choices = AllowedDevices(sequence, node);
      std::int64_t& device = devices[static_cast<std::size_t>(node)];
      device = std::ranges::binary_search(choices, device) ? device : choices.front();
    }
    if (std::ranges::find(placements, devices) == placements.end()) {
      placements.push_back(std::move(devices));
    }
  }
  return placements;
}

// The plans that are evaluated before the first episode, if it begins at the best of some.
std::optional<Start> StartBefore(EpisodeStart start) {
  switch (start) {
    case EpisodeStart::kBest:
      return Start::kSingleDevice;
    case EpisodeStart::kHeuristics:
      return Start::kHeuristics;
    case EpisodeStart::kSimple:
      return Start::kSimple;
    case EpisodeStart::kRandom:
    case EpisodeStart::kOneRandom:
    case EpisodeStart::kSingleDevice:
      break;
  }
  return std::nullopt;
}

// The placements that `episodes` end with, a row per evaluation: int64 [evaluations, G].
torch::Tensor LastPlacements(const std::vector<Episode>& episodes) {
  std::vector<torch::Tensor> rows;
  for (const Episode& episode : episodes) {
    rows.push_back(episode.last.expand({episode.num_evaluations, -1}));
  }
  return torch::cat(rows);
}

}  // namespace

Schedule ScheduleAt(const TrainingOptions& options, const TrainingProgress& progress) {
  return {
      .entropy_weight = EntropyWeight(options.entropy, progress),
      .learning_rate = options.learning_rate +
                       (options.final_learning_rate - options.learning_rate) * progress.used_share};
}

Sizes Fitted(Sizes sizes, const View& view) {
  sizes.num_devices = sizes.faithful ? view.sequence.num_devices : 0;
  return sizes;
}

Search::Search(const env::Problem& problem,
               const TrainingOptions& options,
               std::uint64_t seed,
               const NetworkStart& start)
    : options_(options),
      device_(start.device),
      view_(MakeView(problem, options.groups, device_)),
      sizes_(Fitted(options.sizes, view_)),
      course_({.entropy = options.entropy,
               .restart_updates = options.learns ? options.restart_updates : 0,
               .num_decisions = view_.sequence.num_groups,
               .seed = seed}),
      baseline_(options.baseline_episodes * options.episodes) {
  if (start.weights.empty()) {
    StartAnew();
    return;
  }
  const Checkpoint found = ReadCheckpoint(start.weights);
  sizes_ = Fitted(SizesOf(found, start.weights), view_);
  StartAnew();
  learner_->TakeWeights(found, start.weights);
}

bool Search::HasChoice(const env::Problem& problem, const TrainingOptions& options) {
  return problem.tasks().placement && MakeGroupSequence(problem, options.groups).has_choice();
}

void Search::StartAnew() {
  Rng rng = course_.WeightStream();
  learner_ = std::make_unique<Learner>(options_, sizes_, rng, device_);
  baseline_.Clear();
}

bool Search::EvaluateInitialPlans(env::Evaluator& evaluator) {
  const std::optional<Start> start = StartBefore(options_.episode.start);
  if (!start.has_value()) {
    return true;
  }
  Rng rng = course_.UpdateStream().Fork(1);
  for (std::vector<std::int64_t>& devices :
       StartsOfNodes(view_, InitialPlans(*view_.problem, evaluator, {.start = *start}, rng))) {
    const std::optional<sim::SimReport> report = evaluator.EvaluateDetailed(ToPlan(view_, devices));
    if (!report.has_value()) {
      return false;
    }
    EvaluatedState state = Read(view_, options_.episode, std::move(devices), *report);
    if (state.is_feasible && (!best_.has_value() || state.run_time < best_->run_time)) {
      best_ = std::move(state);
    }
  }
  return true;
}

EpisodeOptions Search::NextEpisode() const {
  EpisodeOptions options = options_.episode;
  if (KeepsBest(options.start) && !best_.has_value()) {
    options.start = EpisodeStart::kRandom;
  }
  return options;
}

std::optional<Episode> Search::PlayNext(std::size_t index, env::Evaluator& evaluator, Rng& rng) {
  std::optional<EvaluatedState> start = best_;
  if (index < firsts_.size()) {
    start = firsts_[index];
  }
  std::optional<Episode> episode =
      Play(view_, NextEpisode(), start, learner_->policy(), evaluator, rng);
  if (!episode.has_value()) {
    return std::nullopt;
  }
  if (options_.episode.start == EpisodeStart::kOneRandom && index == firsts_.size()) {
    firsts_.push_back(episode->first);
  }
  if (KeepsBest(options_.episode.start) && episode->best.is_feasible) {
    best_ = episode->best;
  }
  return episode;
}

std::optional<UpdateReport> Search::Update(env::Evaluator& evaluator) {
  if (evaluator.is_done()) {
    return std::nullopt;
  }
  if (course_.num_updates() == 0 && !EvaluateInitialPlans(evaluator)) {
    return std::nullopt;
  }
  const TrainingProgress progress = course_.Progress(evaluator);
  Rng rng = course_.UpdateStream();
  std::vector<Episode> episodes;
  while (std::ssize(episodes) < options_.episodes) {
    std::optional<Episode> episode = PlayNext(episodes.size(), evaluator, rng);
    if (!episode.has_value()) {
      return std::nullopt;
    }
    episodes.push_back(*std::move(episode));
  }
  UpdateReport report = learner_->Learn(view_, episodes, ScheduleAt(options_, progress), baseline_);
  // Where an episode ends is what its policy wants, wherever it started.
  if (course_.IsOverAfter(LastPlacements(episodes), progress, evaluator)) {
    StartAnew();
  }
  report.update = course_.num_updates();
  report.num_restarts = course_.num_restarts();
  return report;
}

}  // namespace opyard::agents::placeto
