#include "agents/learned/coloc_rl/trainer.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <limits>
#include <span>

#include "agents/planning/decisions.h"
#include "agents/planning/simple_plans.h"
#include "env/baseline_plans.h"
#include "env/observation.h"
#include "env/reward.h"
#include "sim/base/check.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kPriorityLevels = 20;
constexpr std::uint64_t kWeightStream = 0;  // update u draws from stream u, and 1 is the first

ColocRlOptions Fitted(ColocRlOptions options, const GroupSequence& sequence) {
  options.sizes.num_groups = sequence.num_groups;
  options.sizes.num_devices = sequence.num_devices;
  return options;
}

Rng StreamOf(std::int64_t seed, std::uint64_t stream) {
  return Rng(std::bit_cast<std::uint64_t>(seed)).Fork(stream);
}

// Of the first policy, or of the one that restart `restart` begins with.
Rng WeightStreamOf(std::int64_t seed, std::int64_t restart) {
  const Rng first = StreamOf(seed, kWeightStream);
  return restart == 0 ? first : first.Fork(static_cast<std::uint64_t>(restart));
}

// All bits, in hexadecimal.
std::string ExactText(double value) {
  char text[40];
  static_cast<void>(std::snprintf(text, sizeof text, "%a", value));
  return text;
}

std::map<std::string, std::string> ConfigOf(const ColocRlOptions& options) {
  const ColocRlSizes& sizes = options.sizes;
  return {{"grouping", GroupingRuleWords().NameOf(options.groups.rule)},
          {"group_ops", std::to_string(options.groups.max_ops)},
          {"max_groups", std::to_string(options.groups.max_groups)},
          {"num_groups", std::to_string(sizes.num_groups)},
          {"num_devices", std::to_string(sizes.num_devices)},
          {"hidden", std::to_string(sizes.hidden)},
          {"attention", std::to_string(sizes.attention)},
          {"embedding", std::to_string(sizes.embedding)},
          {"temperature", ExactText(sizes.temperature)},
          {"tanh_constant", ExactText(sizes.tanh_constant)},
          {"samples", std::to_string(options.samples)},
          {"learning_rate", ExactText(options.learning_rate)},
          {"entropy", ExactText(options.entropy.weight)},
          {"entropy_share", ExactText(options.entropy.share)},
          {"entropy_updates", std::to_string(options.entropy.num_updates)},
          {"restart_updates", std::to_string(options.restart_updates)},
          {"normalise_advantages", options.normalise_advantages ? "true" : "false"},
          {"clip", ExactText(options.clip)},
          {"baseline_decay", ExactText(options.baseline_decay)},
          {"failure_updates", std::to_string(options.failure_updates)}};
}

std::int64_t WholeNumber(const Checkpoint& checkpoint, const std::string& name) {
  return checkpoint.tensors.at(name).item<std::int64_t>();
}

// The state of Adam for one parameter, made if it has made no step yet.
torch::optim::AdamParamState& StateOf(torch::optim::Adam& optimiser,
                                      const torch::Tensor& parameter) {
  auto& state = optimiser.state()[parameter.unsafeGetTensorImpl()];
  if (state == nullptr) {
    auto fresh = std::make_unique<torch::optim::AdamParamState>();
    fresh->step(0);
    fresh->exp_avg(torch::zeros_like(parameter));
    fresh->exp_avg_sq(torch::zeros_like(parameter));
    state = std::move(fresh);
  }
  return static_cast<torch::optim::AdamParamState&>(*state);
}

}  // namespace

ColocRlTrainer::ColocRlTrainer(const env::Problem& problem,
                               const ColocRlOptions& options,
                               std::uint64_t seed)
    : problem_(problem),
      options_(options),
      seed_(std::bit_cast<std::int64_t>(seed)),
      reference_score_(env::FindReference(problem, env::BaselinePlans(problem)).score),
      sequence_(MakeGroupSequence(problem, options.groups)),
      features_(MakeGroupFeatures(env::Observe(problem), sequence_)),
      baseline_(options.baseline_decay),
      watch_(options.restart_updates, sequence_.num_groups) {
  OPYARD_CHECK(problem.tasks().placement, "a placement is learned where placement is a task");
  options_ = Fitted(options, sequence_);
  if (problem.tasks().scheduling) {
    priority_of_group_ = LevelsByUpwardRank(problem, kPriorityLevels);
  }
  StartAnew();
}

void ColocRlTrainer::StartAnew() {
  Rng rng = WeightStreamOf(seed_, num_restarts_);
  policy_ = std::make_shared<ColocRlPolicy>(options_.sizes, rng);
  optimiser_ = std::make_unique<torch::optim::Adam>(
      policy_->parameters(), torch::optim::AdamOptions(options_.learning_rate));
  baseline_.set_value(std::nullopt);
  watch_ = CollapseWatch(options_.restart_updates, sequence_.num_groups);
  own_updates_ = 0;
  own_evaluations_ = 0;
}

TrainingProgress ColocRlTrainer::Progress(const env::Evaluator& evaluator) const {
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

std::optional<UpdateReport> ColocRlTrainer::Update(env::Evaluator& evaluator) {
  const std::int64_t num_samples = evaluator.EvaluationsLeft(options_.samples);
  if (evaluator.is_done() || num_samples == 0) {
    return std::nullopt;
  }
  const TrainingProgress progress = Progress(evaluator);
  Rng rng = StreamOf(seed_, static_cast<std::uint64_t>(num_updates_) + 1);
  const SampledPlacements sampled = policy_->Sample(features_, num_samples, rng);
  const std::vector<env::Evaluation> evaluations = evaluator.Evaluate(ToPlans(sampled.devices));
  if (std::ssize(evaluations) < num_samples) {
    return std::nullopt;
  }
  ++num_updates_;
  ++own_updates_;
  own_evaluations_ += num_samples;
  UpdateReport report =
      Learn(sampled.devices, evaluations, EntropyWeight(options_.entropy, progress));
  watch_.Observe(sampled.devices);
  if (watch_.sees_collapse() && FallenShare(options_.entropy, progress) < 1.0) {
    ++num_restarts_;
    StartAnew();
    share_at_start_ = evaluator.UsedShare();
  }
  report.num_restarts = num_restarts_;
  return report;
}

std::vector<sim::Plan> ColocRlTrainer::ToPlans(const torch::Tensor& devices) const {
  std::vector<sim::Plan> plans;
  for (std::int64_t sample = 0; sample < devices.size(0); ++sample) {
    const torch::Tensor row = devices[sample].contiguous();  // [G]
    const std::span<const std::int64_t> chosen(row.data_ptr<std::int64_t>(),
                                               static_cast<std::size_t>(row.numel()));
    plans.push_back(ToPlan(problem_,
                           {.device_of_group = DeviceOfProblemGroups(sequence_, chosen),
                            .priority_of_group = priority_of_group_}));
  }
  return plans;
}

UpdateReport ColocRlTrainer::Learn(const torch::Tensor& devices,
                                   std::span<const env::Evaluation> evaluations,
                                   double entropy_weight) {
  UpdateReport report{.update = num_updates_, .entropy_weight = entropy_weight};
  const torch::Tensor advantages =
      torch::tensor(Compare(evaluations, report), torch::kFloat);  // [K]
  const JudgedPlacements judged = policy_->Judge(features_, devices);
  const torch::Tensor loss =
      ReinforceLoss(judged.log_probs, advantages) - entropy_weight * judged.entropy.mean();  // []
  optimiser_->zero_grad();
  loss.backward();
  report.gradient_norm = torch::nn::utils::clip_grad_norm_(policy_->parameters(), options_.clip);
  optimiser_->step();
  report.loss = loss.item<double>();
  report.entropy = judged.entropy.mean().item<double>();
  return report;
}

std::vector<double> ColocRlTrainer::Compare(std::span<const env::Evaluation> evaluations,
                                            UpdateReport& report) {
  std::vector<double> completed;
  for (const env::Evaluation& evaluation : evaluations) {
    report.rewards.push_back(env::Reward(env::RewardKind::kSqrt, evaluation, reference_score_));
    if (evaluation.is_feasible()) {
      completed.push_back(report.rewards.back());
    }
  }
  report.num_completed = std::ssize(completed);
  if (!baseline_.value().has_value()) {
    baseline_.Move(completed);
  }
  report.baseline = baseline_.value();
  // Without any completed plan there is nothing that a failure could be worse than.
  const double baseline = baseline_.value().value_or(env::kFailureReward);
  const bool ignores_failures = own_updates_ > options_.failure_updates;
  std::vector<double> advantages;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const bool is_ignored = ignores_failures && !evaluations[i].is_feasible();
    advantages.push_back(is_ignored ? 0.0 : report.rewards[i] - baseline);
  }
  baseline_.Move(completed);
  if (options_.normalise_advantages) {
    Normalise(advantages);
  }
  return advantages;
}

Checkpoint ColocRlTrainer::ToCheckpoint() const {
  Checkpoint checkpoint{.agent = "reinforce_lstm",
                        .feature_version = env::kFeatureVersion,
                        .config = ConfigOf(options_),
                        .tensors = {}};
  checkpoint.config["num_ops"] = std::to_string(problem_.graph().num_ops());
  checkpoint.config["reference_score"] = ExactText(reference_score_);
  for (const auto& item : policy_->named_parameters()) {
    const torch::optim::AdamParamState& adam = StateOf(*optimiser_, item.value());
    checkpoint.tensors["weight." + item.key()] = item.value();
    checkpoint.tensors["adam.mean." + item.key()] = adam.exp_avg();
    checkpoint.tensors["adam.square." + item.key()] = adam.exp_avg_sq();
    checkpoint.tensors["adam.step." + item.key()] = torch::tensor({adam.step()}, torch::kLong);
  }
  checkpoint.tensors["seed"] = torch::tensor({seed_}, torch::kLong);
  checkpoint.tensors["num_updates"] = torch::tensor({num_updates_}, torch::kLong);
  checkpoint.tensors["num_restarts"] = torch::tensor({num_restarts_}, torch::kLong);
  checkpoint.tensors["own_updates"] = torch::tensor({own_updates_}, torch::kLong);
  checkpoint.tensors["own_evaluations"] = torch::tensor({own_evaluations_}, torch::kLong);
  checkpoint.tensors["known_plans"] = watch_.state().known_plans;
  checkpoint.tensors["num_known_ever"] =
      torch::tensor({watch_.state().num_known_ever}, torch::kLong);
  checkpoint.tensors["num_stale"] = torch::tensor({watch_.state().num_stale}, torch::kLong);
  // NaN stands for "none yet" in the file only.
  checkpoint.tensors["baseline"] = torch::tensor(
      {baseline_.value().value_or(std::numeric_limits<double>::quiet_NaN())}, torch::kDouble);
  return checkpoint;
}

void ColocRlTrainer::Save(const std::filesystem::path& path) const {
  WriteCheckpoint(ToCheckpoint(), path);
}

void ColocRlTrainer::Load(const std::filesystem::path& path) {
  const torch::NoGradGuard no_grad;
  const Checkpoint found = ReadCheckpoint(path);
  RequireMatch(found, ToCheckpoint(), path);
  for (auto& item : policy_->named_parameters()) {
    torch::optim::AdamParamState& adam = StateOf(*optimiser_, item.value());
    item.value().copy_(found.tensors.at("weight." + item.key()));
    adam.exp_avg().copy_(found.tensors.at("adam.mean." + item.key()));
    adam.exp_avg_sq().copy_(found.tensors.at("adam.square." + item.key()));
    adam.step(found.tensors.at("adam.step." + item.key()).item<std::int64_t>());
  }
  seed_ = WholeNumber(found, "seed");
  num_updates_ = WholeNumber(found, "num_updates");
  num_restarts_ = WholeNumber(found, "num_restarts");
  own_updates_ = WholeNumber(found, "own_updates");
  own_evaluations_ = WholeNumber(found, "own_evaluations");
  watch_.Restore({.known_plans = found.tensors.at("known_plans"),
                  .num_known_ever = WholeNumber(found, "num_known_ever"),
                  .num_stale = WholeNumber(found, "num_stale")});
  const double baseline = found.tensors.at("baseline").item<double>();
  baseline_.set_value(std::isnan(baseline) ? std::nullopt : std::optional(baseline));
}

}  // namespace opyard::agents
