#include "agents/learned/coloc_rl/trainer.h"

#include <utility>

#include "agents/learned/coloc_rl/declaration.h"
#include "agents/learned/coloc_rl/search.h"
#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/torch_session.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::agents {
namespace {

constexpr std::size_t kMostKnown = 256;  // problems whose views are kept
constexpr const char* kBaseline = "baseline.";

}  // namespace

ColocRlTrainer::ColocRlTrainer(const ReinforceLstmSettings& settings, const TrainingPlan& plan)
    : settings_(settings), plan_(plan) {}

const ColocRlView& ColocRlTrainer::ViewOf(const env::PooledProblem& drawn) {
  if (known_.size() >= kMostKnown && !known_.contains(drawn.name)) {
    known_.clear();
  }
  Known& known = known_[drawn.name];
  if (known.problem == nullptr) {
    // The weights that a training goes on with say what its network may see.
    const ColocRlSizes& sizes =
        learner_ == nullptr ? settings_.training.sizes : learner_->policy().sizes();
    known = {.problem = drawn.problem,
             .view = View(*drawn.problem, settings_.training.groups, sizes)};
  }
  return known.view;
}

void ColocRlTrainer::RequireFit(const env::PooledProblem& drawn, const ColocRlView& view) const {
  const ColocRlSizes& made_for = learner_->policy().sizes();
  const ColocRlSizes needed = Fitted(made_for, view);
  if (made_for.num_groups != needed.num_groups || made_for.num_devices != needed.num_devices) {
    throw InputError(drawn.name + ": found " + std::to_string(view.sequence.num_groups) +
                     " groups on " + std::to_string(view.sequence.num_devices) +
                     " devices, but the network, which is faithful, is made for " +
                     std::to_string(made_for.num_groups) + " on " +
                     std::to_string(made_for.num_devices) +
                     ": leave out faithful to train over problems that differ");
  }
}

std::optional<TrainingPoint> ColocRlTrainer::Update(env::ProblemPool& pool, Rng& rng) {
  const TorchSession session(settings_.session.num_threads);
  std::optional<TrainingPoint> point;
  pool.Draw(rng, [&](const env::PooledProblem& drawn, env::Evaluator& evaluator) {
    const ColocRlView& view = ViewOf(drawn);
    if (learner_ == nullptr) {
      Rng weights(plan_.seed);
      learner_ = std::make_unique<ColocRlLearner>(
          settings_.training, Fitted(settings_.training.sizes, view), weights);
    }
    RequireFit(drawn, view);
    point = Update(view, drawn.name, evaluator, rng);
  });
  return point;
}

std::optional<TrainingPoint> ColocRlTrainer::Update(const ColocRlView& view,
                                                    const std::string& name,
                                                    env::Evaluator& evaluator,
                                                    Rng& rng) {
  const ColocRlOptions& options = settings_.training;
  const std::optional<JudgedSamples> samples =
      learner_->Sample(view, options.samples, evaluator, rng);
  if (!samples.has_value()) {
    return std::nullopt;
  }
  const TrainingProgress progress{
      .num_updates = num_updates_,
      .used_share = static_cast<double>(num_updates_) / static_cast<double>(plan_.num_updates)};
  const auto baseline = baselines_.try_emplace(name, options.baseline_decay).first;
  UpdateReport report =
      learner_->Learn(view,
                      *samples,
                      {.entropy_weight = EntropyWeight(options.entropy, progress),
                       .ignores_failures = num_updates_ >= options.failure_updates},
                      baseline->second,
                      rng);
  report.update = ++num_updates_;
  return PointOf(report);
}

Checkpoint ColocRlTrainer::ToState() const {
  Checkpoint state = learner_->ToState();
  state.tensors["num_updates"] = torch::tensor({num_updates_}, torch::kLong);
  std::vector<double> values;
  for (const auto& [name, baseline] : baselines_) {
    if (baseline.value().has_value()) {
      state.record[kBaseline + std::to_string(values.size())] = name;
      values.push_back(*baseline.value());
    }
  }
  values.push_back(0.0);  // no tensor is empty
  state.tensors["baselines"] = torch::tensor(values, torch::kDouble);
  return state;
}

void ColocRlTrainer::Save(const std::filesystem::path& path, const TrainingRecord& record) const {
  OPYARD_CHECK(learner_ != nullptr, "a training is saved after its first update");
  Checkpoint state = ToState();
  state.record.insert(record.begin(), record.end());
  WriteCheckpoint(state, path);
}

void ColocRlTrainer::SaveWeights(const std::filesystem::path& path,
                                 const TrainingRecord& record) const {
  OPYARD_CHECK(learner_ != nullptr, "a training is saved after its first update");
  Checkpoint weights = learner_->ToWeights();
  weights.record = record;
  WriteCheckpoint(weights, path);
}

TrainingRecord ColocRlTrainer::Load(const std::filesystem::path& path) {
  Checkpoint found = ReadCheckpoint(path);
  Rng weights(plan_.seed);
  learner_ = std::make_unique<ColocRlLearner>(settings_.training, SizesOf(found, path), weights);
  baselines_.clear();
  num_updates_ = WholeNumberOf(found, "num_updates", path);
  const torch::Tensor values = found.tensors["baselines"];
  Checkpoint expected = ToState();
  expected.tensors["baselines"] = values;  // as many as there are
  RequireMatch(found, expected, path);
  learner_->TakeState(found, path);
  for (std::int64_t i = 0; i + 1 < values.numel(); ++i) {
    const auto name = found.record.extract(kBaseline + std::to_string(i));
    if (!name.empty()) {
      baselines_.try_emplace(name.mapped(), settings_.training.baseline_decay)
          .first->second.set_value(values[i].item<double>());
    }
  }
  return std::move(found.record);
}

std::unique_ptr<Trainer> ReinforceLstmDeclaration::MakeTrainer(
    const ReinforceLstmSettings& settings, const TrainingPlan& plan) {
  return std::make_unique<ColocRlTrainer>(settings, plan);
}

}  // namespace opyard::agents
