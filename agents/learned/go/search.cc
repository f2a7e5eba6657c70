#include "agents/learned/go/search.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/go/weights_config.h"
#include "agents/planning/encoding/decisions.h"

namespace opyard::agents::go {
namespace {

// The options that count with a network of a file.
TrainingOptions With(TrainingOptions options,
                     const std::optional<Checkpoint>& found,
                     const std::filesystem::path& path) {
  if (found.has_value()) {
    const double prior = options.sizes.level_prior;
    options.sizes = SizesOf(*found, path);
    options.sizes.level_prior = prior;
  }
  return options;
}

Rows RowsOf(const env::Problem& problem, const TrainingOptions& options) {
  return options.mode == Mode::kOne ? options.rows
                                    : WithARowForEachAccelerator(problem, options.rows);
}

// That a network decides at once.
std::int64_t NumTasksOfAPlan(const TrainingOptions& options, const View& view) {
  return options.order == TaskOrder::kSequential ? 1 : std::ssize(view.tasks);
}

// Whether two rows of a resolution, however large, fit on each device, as far as the last
// resolution's do.
bool RowsFit(const View& view, std::size_t resolution) {
  if (view.capacities.empty()) {
    return true;
  }
  const auto largest_row = [](const RowCapacity& capacity) {
    return capacity.bytes.max().item<double>();
  };
  const RowCapacity& capacity = view.capacities[resolution];
  return largest_row(capacity) <=
         std::max(capacity.limits.min().item<double>() / 2.0, largest_row(view.capacities.back()));
}

// The resolutions whose rows fit, then the others, each from few rows to many.
std::vector<std::size_t> ByFit(const View& view) {
  std::vector<std::size_t> resolutions(view.resolutions.size());
  std::iota(resolutions.begin(), resolutions.end(), 0);
  std::ranges::stable_partition(resolutions,
                                [&](std::size_t resolution) { return RowsFit(view, resolution); });
  return resolutions;
}

}  // namespace

bool Search::HasChoice(const env::Problem& problem, const TrainingOptions& /*options*/) {
  return !HasOnePlan(problem);
}

Search::Search(const env::Problem& problem,
               const TrainingOptions& options,
               std::uint64_t seed,
               const NetworkStart& start)
    : Search(problem, options, seed, ReadCheckpointIfAny(start.weights), start) {}

Search::Search(const env::Problem& problem,
               const TrainingOptions& options,
               std::uint64_t seed,
               const std::optional<Checkpoint>& found,
               const NetworkStart& start)
    : options_(With(options, found, start.weights)),
      start_(start),
      found_(found),
      view_(MakeView(problem, RowsOf(problem, options_), options_.sizes, start.device)),
      tasks_(view_.tasks),
      course_({.entropy = {},
               .restart_updates = 0,  // entropy is held up: nothing collapses
               .num_decisions = view_.num_groups() * NumTasksOfAPlan(options_, view_),
               .seed = seed}),
      baseline_(options_.baseline_momentum),
      memory_(view_, options_, start.device) {
  Rng rng = course_.WeightStream();
  MakeLearner(rng);
}

void Search::MakeLearner(Rng& rng) {
  learner_ = std::make_unique<Learner>(options_, options_.sizes, rng, start_.device);
  if (found_.has_value()) {
    learner_->TakeWeights(*found_, start_.weights);
  }
}

TrainingProgress Search::BeginPartIfDue(const env::Evaluator& evaluator) {
  TrainingProgress progress = Progress(evaluator);
  if (options_.order == TaskOrder::kSequential) {
    const double share = progress.used_share * static_cast<double>(tasks_.size());
    const auto part = std::min(static_cast<std::int64_t>(share), std::ssize(tasks_) - 1);
    if (part != part_) {
      BeginPart(part, evaluator);
    }
    progress.used_share = share - static_cast<double>(part);
  }
  return progress;
}

void Search::BeginPart(std::int64_t part, const env::Evaluator& evaluator) {
  part_ = part;
  view_.tasks = {tasks_[static_cast<std::size_t>(part)]};
  if (evaluator.best().has_value()) {
    view_.fixed = evaluator.best()->plan;
  }
  Rng rng = course_.WeightStream().Fork(static_cast<std::uint64_t>(part));
  MakeLearner(rng);
  baseline_ = RewardBaseline(options_.baseline_momentum);
  memory_ = Memory(view_, options_, start_.device);
}

std::vector<double> Search::DeviceAffinity() {
  return learner_->DeviceAffinity(view_, view_.resolutions.size() - 1, &memory_);
}

UpdateReport Search::EvaluateLikeliest(env::Evaluator& evaluator) {
  std::vector<env::Evaluation> evaluations;
  for (const std::size_t resolution : ByFit(view_)) {
    const auto evaluation = learner_->EvaluateLikeliest(view_, resolution, evaluator);
    if (evaluation.has_value()) {
      evaluations.push_back(*evaluation);
      NoteResolution(resolution, {&*evaluation, 1});
    }
  }
  UpdateReport report;
  static_cast<void>(Advantages(evaluations, view_.reference_score, false, baseline_, report));
  return report;
}

TrainingProgress Search::Progress(const env::Evaluator& evaluator) const {
  TrainingProgress progress = course_.Progress(evaluator);
  if (options_.mode == Mode::kFinetune) {
    progress.used_share = std::max(progress.used_share,
                                   static_cast<double>(course_.num_updates()) /
                                       static_cast<double>(options_.finetune_updates));
  }
  return progress;
}

std::size_t Search::ResolutionOfNext(const TrainingProgress& progress) const {
  if (options_.mode != Mode::kZeroshot) {
    return ResolutionAt(view_, progress.used_share);
  }
  const auto update = static_cast<std::size_t>(course_.num_updates());
  const auto in_turn = static_cast<std::size_t>(std::countr_zero(update / 2 + 1));
  return update % 2 == 0 ? best_resolution_ : std::min(in_turn, view_.resolutions.size() - 1);
}

void Search::NoteResolution(std::size_t resolution, std::span<const env::Evaluation> evaluations) {
  for (const env::Evaluation& evaluation : evaluations) {
    if (evaluation.score < best_score_) {
      best_score_ = evaluation.score;
      best_resolution_ = resolution;
    }
  }
}

bool Search::IsOver(const env::Evaluator& evaluator) const {
  return evaluator.is_done() ||
         (options_.mode == Mode::kFinetune && course_.num_updates() >= options_.finetune_updates);
}

UpdateReport Search::Learn(const Rollout& samples, double used_share, Rng& rng) {
  if (options_.mode != Mode::kZeroshot && options_.learns) {
    return learner_->Learn(view_, samples, used_share, baseline_, memory_, rng);
  }
  UpdateReport report;
  static_cast<void>(
      Advantages(samples.evaluations, view_.reference_score, false, baseline_, report));
  return report;
}

void Search::RememberBest(const env::Evaluator& evaluator) {
  const std::optional<env::BestPlan>& best = evaluator.best();
  if (options_.elites == 0 || !memory_.elites.empty() || !best.has_value()) {
    return;
  }
  AddElite(view_, ActionsOfPlan(view_, best->plan), best->evaluation, memory_);
}

std::optional<UpdateReport> Search::Update(env::Evaluator& evaluator) {
  if (IsOver(evaluator)) {
    return std::nullopt;
  }
  if (options_.mode != Mode::kOne && !std::exchange(has_evaluated_likeliest_, true)) {
    return EvaluateLikeliest(evaluator);
  }
  const TrainingProgress progress = BeginPartIfDue(evaluator);
  RememberBest(evaluator);
  Rng rng = course_.UpdateStream();
  const std::optional<Rollout> samples =
      learner_->Sample(view_,
                       ResolutionOfNext(progress),
                       evaluator.EvaluationsLeft(options_.batch_size),
                       &memory_,
                       evaluator,
                       rng);
  if (!samples.has_value()) {
    return std::nullopt;
  }
  NoteResolution(samples->resolution, samples->evaluations);
  UpdateReport report = Learn(*samples, progress.used_share, rng);
  course_.IsOverAfter(samples->actions.flatten(1, 2), progress, evaluator);
  report.update = course_.num_updates();
  return report;
}

}  // namespace opyard::agents::go
