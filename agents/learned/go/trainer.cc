#include "agents/learned/go/trainer.h"

#include <utility>
#include <vector>

#include "agents/learned/go/declaration.h"
#include "agents/planning/decisions.h"
#include "agents/search/local_search/local_search.h"
#include "env/reward.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

// Adds `plan`, as far as actions can say it, to the best ones.
void Remember(const GoView& view,
              const sim::Plan& plan,
              env::Evaluator& evaluator,
              GoMemory& memory) {
  const torch::Tensor actions =  // [1, T, G]
      CanonicalActions(view, ActionsOfPlan(view, plan).unsqueeze(0));
  const std::optional<env::Evaluation> evaluation = evaluator.Evaluate(ToPlan(view, actions[0]));
  if (evaluation.has_value()) {
    memory.elites.Add(actions,
                      {env::Reward(env::RewardKind::kSqrt, *evaluation, view.reference_score)});
  }
}

}  // namespace

GoCourse::GoCourse(const GoSettings& settings, std::uint64_t seed, torch::Device device)
    : options_(settings.training),
      seed_(seed),
      device_(device),
      baselines_(options_.baseline_decay),
      memories_(options_) {
  MakeLearner(options_.sizes);
}

void GoCourse::MakeLearner(const GoSizes& sizes) {
  Rng weights(seed_);
  learner_ = std::make_unique<GoLearner>(options_, sizes, weights, device_);
}

GoCourse::View GoCourse::ViewOf(const env::PooledProblem& drawn) {
  if (HasOnePlan(*drawn.problem)) {
    throw InputError(drawn.name + ": found one plan only: nothing is to be learnt on it");
  }
  return views_.Shared(drawn, [&](const env::Problem& problem) {
    return MakeGoView(problem, options_.rows, learner_->policy().sizes(), device_);
  });
}

GoMemory& GoCourse::MemoryOf(const env::PooledProblem& drawn,
                             const GoView& view,
                             env::Evaluator& evaluator) {
  GoMemory& memory = memories_.Of(drawn.name);
  if (!Fits(memory.elites, view, learner_->policy().sizes().levels)) {
    throw InputError(drawn.name + ": found best plans of another problem in the training's state");
  }
  if (memory.elites.empty() && drawn.teacher_plan != nullptr) {
    Remember(view, *drawn.teacher_plan, evaluator, memory);
  }
  return memory;
}

std::optional<GoLesson> GoCourse::LessonOf(const env::PooledProblem& drawn,
                                           const GoView& view,
                                           bool imitates_alone,
                                           env::Evaluator& evaluator,
                                           Rng& rng,
                                           UpdateReport& report) {
  GoMemory& memory = MemoryOf(drawn, view, evaluator);
  GoLesson lesson{.view = &view, .memory = &memory, .level = rng.Below(view.levels.size())};
  if (imitates_alone && !memory.elites.empty()) {
    return lesson;
  }
  lesson.samples = learner_->Sample(view, lesson.level, options_.samples, nullptr, evaluator, rng);
  if (!lesson.samples.has_value()) {
    return std::nullopt;
  }
  UpdateReport of_problem;
  lesson.advantages =
      learner_->Remember(view, *lesson.samples, baselines_.Of(drawn.name), memory, of_problem);
  report.rewards.insert(report.rewards.end(), of_problem.rewards.begin(), of_problem.rewards.end());
  report.num_completed += of_problem.num_completed;
  report.baseline = of_problem.baseline;
  Improve(drawn, view, memory, evaluator, rng);
  return lesson;
}

void GoCourse::Improve(const env::PooledProblem& drawn,
                       const GoView& view,
                       GoMemory& memory,
                       env::Evaluator& evaluator,
                       Rng& rng) {
  if (drawn.teacher_plan == nullptr || options_.batches.search == 0 ||
      !evaluator.best().has_value() || !evaluator.best()->evaluation.is_feasible()) {
    return;
  }
  SearchContext context;
  context.start = ToDecisions(*drawn.problem, evaluator.best()->plan);
  env::Evaluator slice = evaluator.Slice({.evaluations = options_.batches.search});
  Options defaults;
  LocalSearchEntry().make(defaults)->Search(*drawn.problem, slice, rng, context);
  if (slice.best().has_value()) {
    Remember(view, slice.best()->plan, evaluator, memory);
  }
}

std::optional<UpdateReport> GoCourse::UpdateTogether(env::ProblemPool& pool,
                                                     const TrainingProgress& progress,
                                                     Rng& rng) {
  const bool imitates_alone = progress.used_share < options_.batches.imitation_share;
  UpdateReport report{.entropy_weight = options_.entropy.weight};
  std::vector<View> views;  // held for as long as lessons point to them
  std::vector<GoLesson> lessons;
  for (std::int64_t i = 0; i < options_.batches.problems; ++i) {
    std::optional<GoLesson> lesson;
    pool.Draw(rng, [&](const env::PooledProblem& drawn, env::Evaluator& evaluator) {
      views.push_back(ViewOf(drawn));
      lesson = LessonOf(drawn, *views.back(), imitates_alone, evaluator, rng, report);
    });
    if (!lesson.has_value()) {
      return std::nullopt;
    }
    lessons.push_back(std::move(*lesson));
  }
  learner_->LearnTogether(lessons, progress.used_share, rng, report);
  return report;
}

Checkpoint GoCourse::ToState() const {
  Checkpoint state = learner_->ToState();
  baselines_.AddTo(state);
  memories_.AddTo(state);
  return state;
}

void GoCourse::MakeNetwork(const Checkpoint& found, const std::filesystem::path& path) {
  MakeLearner(GoSizesOf(found, path));
  baselines_.Clear();
  memories_.Clear();
}

void GoCourse::TakeState(Checkpoint& found, const std::filesystem::path& path) {
  baselines_.TakeFrom(found, path);
  memories_.TakeFrom(found, path);
  RequireMatch(found, learner_->ToState(), path);
  learner_->TakeState(found);
}

std::unique_ptr<Trainer> GoDeclaration::MakeTrainer(const GoSettings& settings,
                                                    const TrainingPlan& plan) {
  return std::make_unique<GoTrainer>(settings, plan);
}

}  // namespace opyard::agents
