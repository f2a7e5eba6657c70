#include "agents/learned/go/trainer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "agents/learned/go/declaration.h"
#include "agents/learned/go/row_search.h"
#include "agents/learned/go/weights_config.h"
#include "agents/planning/encoding/decisions.h"
#include "sim/base/error.h"

namespace opyard::agents::go {
namespace {

// Each resolution half as often as the one before, which has half as many rows: the first plan of a
// search is one of few rows.
std::size_t SampleResolution(const View& view, Rng& rng) {
  std::size_t resolution = 0;
  while (resolution + 1 < view.resolutions.size() && rng.Below(2) == 0) {
    ++resolution;
  }
  return resolution;
}

}  // namespace

PoolLearner::PoolLearner(const Settings& settings, std::uint64_t seed, torch::Device device)
    : options_(settings.training),
      seed_(seed),
      device_(device),
      baselines_(options_.baseline_momentum),
      memories_(options_.entropy) {
  MakeLearner(options_.sizes);
}

void PoolLearner::MakeLearner(const Sizes& sizes) {
  Rng weights(seed_);
  learner_ = std::make_unique<Learner>(options_, sizes, weights, device_);
}

PoolLearner::SharedView PoolLearner::ViewOf(const env::PooledProblem& sampled) {
  if (HasOnePlan(*sampled.problem)) {
    throw InputError(sampled.name + ": found one plan only: nothing is to be learnt on it");
  }
  return views_.Shared(sampled, [&](const env::Problem& problem) {
    return MakeView(problem,
                    WithARowForEachAccelerator(problem, options_.rows),
                    learner_->policy().sizes(),
                    device_);
  });
}

ProblemMemory& PoolLearner::MemoryOf(const env::PooledProblem& sampled,
                                     const View& view,
                                     env::Evaluator& evaluator,
                                     Rng& rng) {
  ProblemMemory& memory = memories_.Of(sampled.name);
  if (!Fits(memory.plans, view)) {
    throw InputError(sampled.name +
                     ": found best plans of another problem in the training's state");
  }
  if (memory.plans.empty() && sampled.teacher_plan != nullptr) {
    memory.plans = PlansOfResolutions(
        view, ActionsOfPlan(view, *sampled.teacher_plan), options_.batches.search, evaluator, rng);
    if (evaluator.is_done()) {  // interrupted: a training that goes on searches from the start
      memory.plans.clear();
      return memory;
    }
  }
  memory.plans.resize(view.resolutions.size());
  return memory;
}

std::optional<Lesson> PoolLearner::LessonOf(const env::PooledProblem& sampled,
                                            const View& view,
                                            bool imitates_alone,
                                            env::Evaluator& evaluator,
                                            Rng& rng,
                                            UpdateReport& report) {
  ProblemMemory& memory = MemoryOf(sampled, view, evaluator, rng);
  Lesson lesson{.view = &view, .memory = &memory, .resolution = SampleResolution(view, rng)};
  if (evaluator.is_done()) {
    return std::nullopt;
  }
  if (imitates_alone && std::ranges::any_of(memory.plans, &RowPlan::is_feasible)) {
    return lesson;
  }
  lesson.samples =
      learner_->Sample(view, lesson.resolution, options_.batch_size, nullptr, evaluator, rng);
  if (!lesson.samples.has_value()) {
    return std::nullopt;
  }
  UpdateReport of_problem;
  lesson.advantages =
      learner_->AdvantagesOf(view, *lesson.samples, baselines_.Of(sampled.name), of_problem);
  Improve(sampled, lesson, of_problem.rewards, evaluator, rng);
  report.rewards.insert(report.rewards.end(), of_problem.rewards.begin(), of_problem.rewards.end());
  report.num_completed += of_problem.num_completed;
  report.baseline = of_problem.baseline;
  return lesson;
}

void PoolLearner::Improve(const env::PooledProblem& sampled,
                          const Lesson& lesson,
                          const std::vector<double>& rewards,
                          env::Evaluator& evaluator,
                          Rng& rng) {
  const auto best = std::ranges::max_element(rewards) - rewards.begin();
  const torch::Tensor of_groups =
      CanonicalActions(*lesson.view, lesson.resolution, lesson.samples->actions[best].unsqueeze(0));
  RowPlan found{
      .actions = ActionsOfRows(*lesson.view, lesson.resolution, of_groups)[0].to(torch::kCPU),
      .reward = rewards[static_cast<std::size_t>(best)]};
  if (sampled.teacher_plan != nullptr && options_.batches.search > 0) {
    env::Evaluator slice = evaluator.Slice({.evaluations = options_.batches.search});
    found = SimplyNamed(*lesson.view,
                        lesson.resolution,
                        SearchRows(*lesson.view, lesson.resolution, found, slice, rng),
                        evaluator);
  }
  lesson.memory->plans[lesson.resolution].Take(found);
}

std::optional<UpdateReport> PoolLearner::UpdateTogether(env::ProblemPool& pool,
                                                        const TrainingProgress& progress,
                                                        Rng& rng) {
  const bool imitates_alone = progress.used_share < options_.batches.imitation_share;
  UpdateReport report{.entropy_weight = options_.entropy.weight};
  std::vector<SharedView> views;  // held for as long as lessons point to them
  std::vector<Lesson> lessons;
  for (std::int64_t i = 0; i < options_.batches.problems; ++i) {
    std::optional<Lesson> lesson;
    pool.Sample(rng, [&](const env::PooledProblem& sampled, env::Evaluator& evaluator) {
      views.push_back(ViewOf(sampled));
      lesson = LessonOf(sampled, *views.back(), imitates_alone, evaluator, rng, report);
    });
    if (!lesson.has_value()) {
      return std::nullopt;
    }
    lessons.push_back(std::move(*lesson));
  }
  learner_->LearnTogether(lessons, progress.used_share, rng, report);
  return report;
}

Checkpoint PoolLearner::ToState() const {
  Checkpoint state = learner_->ToState();
  baselines_.AddTo(state);
  memories_.AddTo(state);
  return state;
}

void PoolLearner::MakeNetwork(const Checkpoint& found, const std::filesystem::path& path) {
  MakeLearner(SizesOf(found, path));
  baselines_.Clear();
  memories_.Clear();
}

void PoolLearner::TakeState(Checkpoint& found, const std::filesystem::path& path) {
  baselines_.TakeFrom(found, path);
  memories_.TakeFrom(found, path);
  RequireMatch(found, learner_->ToState(), path);
  learner_->TakeState(found);
}

std::unique_ptr<Trainer> Declaration::MakeTrainer(const Settings& settings,
                                                  const TrainingPlan& plan) {
  return std::make_unique<PolicyTrainer>(settings, plan);
}

}  // namespace opyard::agents::go
