#include "agents/learned/doppler/search.h"

#include <algorithm>
#include <utility>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/reinforce.h"
#include "env/reward.h"

namespace opyard::agents::doppler {
namespace {

constexpr std::uint64_t kImitationStream = 1;
constexpr double kEliteAdvantage = 1.0;  // the root mean square of those of an update

bool Imitates(Stages stages) {
  return stages == Stages::kBoth || stages == Stages::kImitation;
}

bool LearnsOnSimulator(Stages stages) {
  return stages == Stages::kBoth || stages == Stages::kSimulation;
}

ActOptions ActingBy(const TrainingOptions& options, double epsilon) {
  return {.select = options.select,
          .place = options.place,
          .exploration = options.exploration,
          .epsilon = epsilon,
          .target = {}};
}

// The device of each node, then the order of the nodes: int64 [K, 2 N].
torch::Tensor ChoicesOf(const std::vector<Episode>& episodes) {
  std::vector<torch::Tensor> rows;
  for (const Episode& episode : episodes) {
    const torch::Tensor nodes = torch::tensor(episode.nodes, torch::kLong);
    const torch::Tensor devices = torch::tensor(episode.devices, torch::kLong);
    rows.push_back(torch::cat({torch::empty_like(devices).scatter_(0, nodes, devices), nodes}));
  }
  return torch::stack(rows);
}

}  // namespace

double CostOf(const env::Evaluation& evaluation, double reference_score) {
  return evaluation.is_feasible() ? evaluation.score / reference_score : -env::kFailureReward;
}

bool Search::HasChoice(const env::Problem& problem, const TrainingOptions& options) {
  return doppler::HasChoice(problem, options.groups);
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
    : options_(options),
      device_(start.device),
      sizes_(found.has_value() ? SizesOf(*found, start.weights) : options.sizes),
      view_(MakeView(problem, options.groups, device_)),
      course_({.entropy = options.entropy,
               .restart_updates = LearnsOnSimulator(options.stages) ? options.restart_updates : 0,
               .num_decisions = 2 * view_.graph.num_nodes,
               .seed = seed}),
      elites_(options.elites) {
  StartAnew();
  if (found.has_value()) {
    learner_->TakeWeights(*found, start.weights);
    is_imitation_due_ = false;
  }
}

void Search::StartAnew() {
  Rng rng = course_.WeightStream();
  learner_ = std::make_unique<Learner>(options_, sizes_, rng, device_);
  is_imitation_due_ = Imitates(options_.stages) && course_.num_restarts() == 0;
  elites_.Clear();
  sum_of_costs_ = 0.0;
  num_costs_ = 0;
}

std::optional<double> Search::EvaluateTeacher(const std::vector<std::int64_t>& target,
                                              env::Evaluator& evaluator,
                                              Rng& rng) {
  const Episode episode =
      Play(view_,
           learner_->policy(),
           {.select = Chooser::kTeacher, .place = Chooser::kTeacher, .target = target},
           1,
           rng)
          .front();
  const std::optional<env::Evaluation> evaluation =
      evaluator.Evaluate(ToPlan(view_, episode.nodes, episode.devices));
  if (!evaluation.has_value()) {
    return std::nullopt;
  }
  const double cost = CostOf(*evaluation, view_.reference_score);
  elites_.Add(cost, episode, view_.problem->tasks().scheduling);
  return cost;
}

std::vector<std::int64_t> Search::ChooseTeacher(env::Evaluator& evaluator, Rng& rng) {
  if (options_.imitation.teacher == Teacher::kListSchedule || !evaluator.best().has_value()) {
    return {};
  }
  std::vector<std::int64_t> best = DevicesOfNodes(view_, evaluator.best()->plan);
  const std::optional<double> cost_of_schedule = EvaluateTeacher({}, evaluator, rng);
  const std::optional<double> cost_of_best = EvaluateTeacher(best, evaluator, rng);
  const bool is_better = cost_of_best.has_value() &&
                         (!cost_of_schedule.has_value() || *cost_of_best < *cost_of_schedule);
  return is_better ? best : std::vector<std::int64_t>{};
}

void Search::Imitate(env::Evaluator& evaluator) {
  if (!std::exchange(is_imitation_due_, false)) {
    return;
  }
  const ImitationOptions& options = options_.imitation;
  Rng rng = course_.WeightStream().Fork(kImitationStream);
  const std::vector<std::int64_t> target = ChooseTeacher(evaluator, rng);
  for (std::int64_t update = 0; update < options.num_updates && !evaluator.is_done(); ++update) {
    const double left =
        1.0 - static_cast<double>(update) / static_cast<double>(options.num_updates);
    ActOptions acting = ActingBy(options_, options.epsilon * left);
    acting.target = target;
    // Equal devices have no names: what follows a target must have begun as the target does.
    acting.place = target.empty() ? acting.place : Chooser::kTeacher;
    const std::vector<Episode> episodes =
        Play(view_, learner_->policy(), acting, options_.batch_size, rng);
    learner_->ComputeGradient(view_,
                              episodes,
                              {.advantages = std::vector<double>(episodes.size(), 0.0),
                               .imitation_weight = 1.0,
                               .entropy_weight = options.entropy_weight});
    learner_->Step(options.learning_rate);
  }
}

std::vector<double> Search::AdvantagesOf(const std::vector<double>& costs) {
  std::vector<double> advantages;
  for (const double cost : costs) {
    sum_of_costs_ += cost;
    ++num_costs_;
    advantages.push_back(sum_of_costs_ / static_cast<double>(num_costs_) - cost);
  }
  if (options_.advantage == Advantage::kAverageCost) {
    return advantages;
  }
  std::vector<double> rewards;
  std::ranges::transform(costs, std::back_inserter(rewards), std::negate());
  return RankAdvantages(rewards);
}

void Search::Learn(std::vector<Episode> episodes,
                   std::vector<double> advantages,
                   const TrainingProgress& progress,
                   UpdateReport& report) {
  for (const Episode& elite : elites_.episodes()) {
    episodes.push_back(elite);
    advantages.push_back(kEliteAdvantage);
  }
  const Loss total = learner_->ComputeGradient(view_,
                                               episodes,
                                               {.advantages = std::move(advantages),
                                                .discount = options_.discount,
                                                .entropy_weight = report.entropy_weight});
  report.gradient_norm =
      learner_->Step(options_.learning_rate +
                     (options_.final_learning_rate - options_.learning_rate) * progress.used_share);
  report.loss = total.loss;
  report.entropy = total.entropy;
  report.num_steps = 1;
}

std::optional<UpdateReport> Search::Update(env::Evaluator& evaluator) {
  Imitate(evaluator);
  const std::int64_t num_samples = evaluator.EvaluationsLeft(options_.batch_size);
  if (evaluator.is_done() || num_samples == 0) {
    return std::nullopt;
  }
  const TrainingProgress progress = course_.Progress(evaluator);
  Rng rng = course_.UpdateStream();
  std::vector<Episode> episodes =
      Play(view_,
           learner_->policy(),
           ActingBy(options_, options_.epsilon * (1.0 - progress.used_share)),
           num_samples,
           rng);
  const std::vector<env::Evaluation> evaluations =
      evaluator.Evaluate(episodes.size(), [&](std::size_t item) {
        return ToPlan(view_, episodes[item].nodes, episodes[item].devices);
      });
  if (evaluations.size() < episodes.size()) {
    return std::nullopt;
  }
  UpdateReport report{.entropy_weight = EntropyWeight(options_.entropy, progress)};
  std::vector<double> costs;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    costs.push_back(CostOf(evaluations[i], view_.reference_score));
    report.rewards.push_back(-costs.back());
    report.num_completed += evaluations[i].is_feasible() ? 1 : 0;
    elites_.Add(costs.back(), episodes[i], view_.problem->tasks().scheduling);
  }
  std::vector<double> advantages = AdvantagesOf(costs);
  const torch::Tensor choices = ChoicesOf(episodes);
  if (LearnsOnSimulator(options_.stages)) {
    Learn(std::move(episodes), std::move(advantages), progress, report);
  }
  if (course_.IsOverAfter(choices, progress, evaluator)) {
    StartAnew();
  }
  report.update = course_.num_updates();
  report.num_restarts = course_.num_restarts();
  return report;
}

}  // namespace opyard::agents::doppler
