#include "agents/learned/go/learner.h"

#include <algorithm>
#include <utility>

#include "agents/learned/common/gradient_step.h"
#include "agents/learned/common/make_policy.h"
#include "agents/learned/common/weights.h"
#include "agents/learned/go/weights_config.h"
#include "env/reward.h"

namespace opyard::agents::go {
namespace {

constexpr double kStepDecay = 0.9;  // of the step size, over a training over many problems
// The actions of the plan, [K, T, R], among those of all stages, int64 [K, S, R].
torch::Tensor PlanOf(const View& view, const torch::Tensor& actions) {
  return actions.slice(1, actions.size(1) - std::ssize(view.tasks));
}

// Rewards by which plans are compared: failures by how much they ask for, where that is wanted.
std::vector<double> Shaped(const View& view,
                           const Rollout& samples,
                           const TrainingOptions& options,
                           std::vector<double> rewards) {
  if (!options.shaped_failures) {
    return rewards;
  }
  const std::vector<double> overshoots = Overshoots(view, samples.actions);
  for (std::size_t i = 0; i < rewards.size(); ++i) {
    rewards[i] -= samples.evaluations[i].is_feasible() ? 0.0 : overshoots[i];
  }
  return rewards;
}

// The number of decisions of a plan that have a choice; at least 1.
double NumDecisions(const SampledDecisions& sampled) {
  return std::max(sampled.has_choice[0].sum().item<double>(), 1.0);
}

}  // namespace

Memory::Memory(const View& view, const TrainingOptions& options, torch::Device device)
    : elites(options.elites), entropy(options.entropy) {
  if (options.table_learning_rate == 0.0) {
    return;
  }
  tables = std::make_shared<GroupTables>(
      GroupTables::Sizes{.num_groups = view.num_groups(),
                         .num_devices = view.resolutions.front().sequence.num_devices,
                         .num_levels = options.sizes.levels,
                         .head = options.sizes.priority_head},
      view.tasks,
      device);
  optimiser_of_tables = std::make_unique<torch::optim::Adam>(
      tables->parameters(), torch::optim::AdamOptions(options.table_learning_rate));
}

void AddElite(const View& view,
              const torch::Tensor& actions,
              const env::Evaluation& evaluation,
              Memory& memory) {
  memory.elites.Add(CanonicalActions(view, actions.unsqueeze(0)),
                    {env::Reward(env::RewardKind::kSqrt, evaluation, view.reference_score)});
}

Learner::Learner(const TrainingOptions& options, const Sizes& sizes, Rng& rng, torch::Device device)
    : options_(options),
      policy_(MakePolicy<Policy>(sizes, rng, device)),
      optimiser_(std::make_unique<torch::optim::Adam>(
          policy_->parameters(), torch::optim::AdamOptions(options.learning_rate))) {}

PolicyInput Learner::PolicyInputOf(const View& view,
                                   std::size_t resolution,
                                   const Memory* memory) const {
  PolicyInput input = go::PolicyInputOf(view, resolution);
  input.precision = options_.precision;
  input.temperature = options_.mode == Mode::kZeroshot ? options_.temperature : 1.0;
  input.tables = memory == nullptr ? nullptr : memory->tables.get();
  input.capacity = options_.within_capacity ? input.capacity : nullptr;
  return input;
}

std::optional<Rollout> Learner::Sample(const View& view,
                                       std::size_t resolution,
                                       std::int64_t num_samples,
                                       const Memory* memory,
                                       env::Evaluator& evaluator,
                                       Rng& rng) {
  const torch::NoGradGuard no_grad;
  const PolicyInput input = PolicyInputOf(view, resolution, memory);
  Rollout samples{.resolution = resolution,
                  .sampled = policy_->Sample(input, policy_->Encode(input), num_samples, rng),
                  .actions = {},
                  .evaluations = {}};
  samples.actions = ActionsOfGroups(view, resolution, PlanOf(view, samples.sampled.actions));
  samples.evaluations =
      evaluator.Evaluate(static_cast<std::size_t>(num_samples), [&](std::size_t item) {
        return ToPlan(view, samples.actions[static_cast<std::int64_t>(item)]);
      });
  if (std::ssize(samples.evaluations) < num_samples) {
    return std::nullopt;
  }
  return samples;
}

std::optional<env::Evaluation> Learner::EvaluateLikeliest(const View& view,
                                                          std::size_t resolution,
                                                          env::Evaluator& evaluator) {
  const torch::NoGradGuard no_grad;
  const PolicyInput input = PolicyInputOf(view, resolution, nullptr);
  const torch::Tensor actions = policy_->Likeliest(input, policy_->Encode(input));
  return evaluator.Evaluate(
      ToPlan(view, ActionsOfGroups(view, resolution, PlanOf(view, actions))[0]));
}

std::vector<double> Learner::DeviceAffinity(const View& view,
                                            std::size_t resolution,
                                            const Memory* memory) {
  if (view.tasks.front() != Task::kPlacement) {
    return {};
  }
  const torch::NoGradGuard no_grad;
  const PolicyInput input = PolicyInputOf(view, resolution, memory);
  const torch::Tensor of_groups =  // [G, D]
      policy_->DeviceProbabilities(input, policy_->Encode(input))
          .to(torch::kCPU, torch::kDouble)
          .index_select(0, view.row_of_group[resolution])
          .contiguous();
  const auto* const first = of_groups.const_data_ptr<double>();
  return {first, first + of_groups.numel()};
}

std::vector<double> Learner::AdvantagesOf(const View& view,
                                          const Rollout& samples,
                                          RewardBaseline& baseline,
                                          UpdateReport& report) const {
  std::vector<double> advantages =
      Advantages(samples.evaluations, view.reference_score, false, baseline, report);
  if (options_.advantage == Advantage::kRank) {
    return RankAdvantages(Shaped(view, samples, options_, report.rewards));
  }
  Normalise(advantages);
  return advantages;
}

UpdateReport Learner::Learn(const View& view,
                            const Rollout& samples,
                            double used_share,
                            RewardBaseline& baseline,
                            Memory& memory,
                            Rng& rng) {
  // Weights of entropies are Evaluate's: one for each task.
  UpdateReport report{.entropy_weight = 1.0};
  const std::vector<double> advantages = AdvantagesOf(view, samples, baseline, report);
  if (options_.elites > 0) {
    memory.elites.Add(CanonicalActions(view, samples.actions), report.rewards);
  }
  ImitatedRows imitated;
  if (!memory.elites.empty() && used_share >= options_.elite_from) {
    imitated.plans = ActionsOfRows(view, samples.resolution, memory.elites.plans());
  }
  const PolicyInput input = PolicyInputOf(view, samples.resolution, &memory);
  const SampledDecisions& sampled = samples.sampled.decisions;
  std::vector<double> entropy;  // [T], at the first step
  LearnByPpo(
      options_.ppo,
      {.sampled = sampled,
       .advantages = torch::tensor(advantages, sampled.log_probs.options()) / NumDecisions(sampled),
       .evaluate_actions =
           [&](const torch::Tensor& plans) {
             return EvaluateMinibatch(
                 input, samples, plans, imitated, memory.entropy, rng, entropy);
           },
       .gradient_step = [&](const torch::Tensor& loss) { return Step(loss, memory); }},
      rng,
      report);
  report.entropy_weight = memory.entropy.WeightOf(samples.resolution, view.tasks.front());
  MoveEntropy(view, samples.resolution, entropy, used_share, memory.entropy);
  return report;
}

void Learner::MoveEntropy(const View& view,
                          std::size_t resolution,
                          const std::vector<double>& entropy,
                          double used_share,
                          EntropyControl& control) const {
  const std::vector<double> wanted = WantedEntropies(view, resolution, options_, used_share);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    control.Move(resolution, view.tasks[i], entropy[i], wanted[i]);
  }
}

torch::Tensor Learner::LogProbOf(const PolicyInput& input,
                                 const EncodedInput& encoded,
                                 const ImitatedRows& imitated,
                                 Rng& rng) {
  const torch::Tensor& plans = imitated.plans;
  const torch::Tensor of_decisions =  // [E, P, T, R]
      policy_->EvaluateActions(input, encoded, policy_->Imitated(input, encoded, plans, rng))
          .decision_log_probs.view({plans.size(0), -1, plans.size(1), plans.size(2)});
  const bool is_placement = input.tasks.front() == Task::kPlacement;
  return (imitated.placements_alone && is_placement ? of_decisions.select(2, 0) : of_decisions)
      .mean();
}

MinibatchEvaluation Learner::EvaluateMinibatch(const PolicyInput& input,
                                               const Rollout& samples,
                                               const torch::Tensor& plans,
                                               const ImitatedRows& imitated,
                                               const EntropyControl& control,
                                               Rng& rng,
                                               std::vector<double>& entropy) {
  const EncodedInput encoded = policy_->Encode(input);
  const ActionLogProbs evaluated =
      policy_->EvaluateActions(input, encoded, samples.sampled.Of(plans));
  const bool is_first = entropy.empty();
  torch::Tensor entropy_bonus = torch::zeros({}, encoded.rows.options());
  for (std::size_t i = 0; i < input.tasks.size(); ++i) {
    const torch::Tensor of_task = evaluated.entropy[static_cast<std::int64_t>(i)];
    if (is_first) {
      entropy.push_back(of_task.item<double>());
    }
    entropy_bonus = entropy_bonus + control.WeightOf(samples.resolution, input.tasks[i]) * of_task;
  }
  if (imitated.plans.defined()) {
    entropy_bonus =
        entropy_bonus + options_.elite_weight * LogProbOf(input, encoded, imitated, rng);
  }
  return {.log_probs = evaluated.log_probs,
          .decision_log_probs = evaluated.decision_log_probs,
          .entropy = evaluated.entropy.mean(),
          .entropy_bonus = entropy_bonus};
}

void Learner::LearnTogether(std::span<Lesson> lessons,
                            double used_share,
                            Rng& rng,
                            UpdateReport& report) {
  SetLearningRate(*optimiser_, options_.learning_rate * (1.0 - kStepDecay * used_share));
  const auto num_lessons = static_cast<double>(lessons.size());
  const bool has_samples =
      std::ranges::any_of(lessons, [](const Lesson& lesson) { return lesson.samples.has_value(); });
  std::vector<std::vector<double>> entropies(lessons.size());  // of each task, at the first step
  const std::int64_t num_epochs = has_samples ? options_.ppo.n_epochs : 1;
  for (std::int64_t epoch = 0; epoch < num_epochs; ++epoch) {
    optimiser_->zero_grad();
    StepFigures mean;
    for (std::size_t i = 0; i < lessons.size(); ++i) {
      const StepFigures figures = AddGradient(lessons[i], num_lessons, rng, entropies[i]);
      mean.kl += figures.kl / num_lessons;
      mean.loss += figures.loss / num_lessons;
      mean.entropy += figures.entropy / num_lessons;
    }
    report.kl = mean.kl;
    if (epoch > 0 && options_.ppo.target_kl > 0.0 && mean.kl > options_.ppo.target_kl) {
      break;
    }
    report.loss += mean.loss;
    report.entropy += mean.entropy;
    report.gradient_norm += ClipAndStep(*policy_, *optimiser_, options_.max_grad_norm);
    ++report.num_steps;
  }
  const auto num_steps = static_cast<double>(report.num_steps);
  report.gradient_norm /= num_steps;
  report.loss /= num_steps;
  report.entropy /= num_steps;
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (lessons[i].samples.has_value()) {
      MoveEntropy(*lessons[i].view,
                  lessons[i].resolution,
                  entropies[i],
                  used_share,
                  lessons[i].memory->entropy);
    }
  }
}

Learner::ImitatedRows Learner::PlanOfResolution(const Lesson& lesson, std::size_t resolution) {
  ImitatedRows imitated{.plans = {}, .placements_alone = true};
  const std::vector<RowPlan>& plans = lesson.memory->plans;
  if (resolution < plans.size() && plans[resolution].is_feasible()) {
    imitated.plans = plans[resolution].actions.unsqueeze(0).to(
        lesson.view->resolutions[resolution].mask.device());
  }
  return imitated;
}

Learner::StepFigures Learner::AddGradient(const Lesson& lesson,
                                          double num_lessons,
                                          Rng& rng,
                                          std::vector<double>& entropy) {
  if (!lesson.samples.has_value()) {
    return AddGradientOfPlans(lesson, num_lessons, rng);
  }
  const PolicyInput input = PolicyInputOf(*lesson.view, lesson.resolution, nullptr);
  const SampledDecisions& sampled = lesson.samples->sampled.decisions;
  const torch::Tensor all =
      torch::arange(sampled.log_probs.size(0), sampled.log_probs.options().dtype(torch::kLong));
  const MinibatchEvaluation evaluated =
      EvaluateMinibatch(input,
                        *lesson.samples,
                        all,
                        PlanOfResolution(lesson, lesson.resolution),
                        lesson.memory->entropy,
                        rng,
                        entropy);
  const torch::Tensor advantages =
      torch::tensor(lesson.advantages, sampled.log_probs.options()) / NumDecisions(sampled);
  const torch::Tensor loss =  // []
      PpoLoss(evaluated.decision_log_probs, sampled, advantages, options_.ppo.clip_range) -
      evaluated.entropy_bonus;
  (loss / num_lessons).backward();
  return {.kl = ApproximateKl(evaluated.decision_log_probs, sampled),
          .loss = loss.item<double>(),
          .entropy = evaluated.entropy.item<double>()};
}

Learner::StepFigures Learner::AddGradientOfPlans(const Lesson& lesson,
                                                 double num_lessons,
                                                 Rng& rng) {
  const View& view = *lesson.view;
  const torch::Tensor ops = policy_->EncodeOps(PolicyInputOf(view, 0, nullptr));  // [N, hidden]
  torch::Tensor leaf =
      ops.detach().requires_grad_();  // a resolution's layers are freed before the next
  const auto num_plans =
      static_cast<double>(std::ranges::count_if(lesson.memory->plans, &RowPlan::is_feasible));
  StepFigures figures;
  for (std::size_t resolution = 0; resolution < view.resolutions.size(); ++resolution) {
    const ImitatedRows imitated = PlanOfResolution(lesson, resolution);
    if (imitated.plans.defined()) {
      const PolicyInput input = PolicyInputOf(view, resolution, nullptr);
      const torch::Tensor loss =  // []
          -LogProbOf(input, policy_->EncodeRows(input, leaf), imitated, rng) / num_plans;
      (loss / num_lessons).backward();
      figures.loss += loss.item<double>();
    }
  }
  ops.backward(leaf.grad());
  return figures;
}

double Learner::Step(const torch::Tensor& loss, Memory& memory) {
  const bool has_tables = memory.tables != nullptr;
  if (has_tables) {
    memory.optimiser_of_tables->zero_grad();
  }
  const double norm = GradientStep(loss, *policy_, *optimiser_, options_.max_grad_norm);
  if (has_tables) {
    memory.optimiser_of_tables->step();
  }
  return norm;
}

Checkpoint Learner::ToWeights() const {
  return WeightsOf(kAgent, ConfigOf(policy_->sizes()), *policy_);
}

Checkpoint Learner::ToState() const {
  Checkpoint state = ToWeights();
  AddOptimiser(*policy_, *optimiser_, state);
  return state;
}

void Learner::TakeWeights(const Checkpoint& found, const std::filesystem::path& path) {
  RequireMatch(found, ToWeights(), path);
  agents::TakeWeights(found, *policy_);
}

void Learner::TakeState(const Checkpoint& found) {
  agents::TakeWeights(found, *policy_);
  TakeOptimiser(found, *policy_, *optimiser_);
}

}  // namespace opyard::agents::go
