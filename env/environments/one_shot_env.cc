#include "env/environments/one_shot_env.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "env/environments/queued_plan.h"
#include "env/evaluation.h"
#include "env/plan_queue.h"
#include "env/reward.h"
#include "sim/base/error.h"
#include "sim/engine/simulator.h"

namespace opyard::env {

OneShotEnv::OneShotEnv(std::shared_ptr<const Stages> stages) : stages_(std::move(stages)) {
  const auto num_groups = static_cast<std::size_t>(stages_->most_groups());
  num_choices_.assign(stages_->tasks().placement ? num_groups : 0,
                      static_cast<std::int32_t>(stages_->room().max_devices));
  for (const bool has_levels : {stages_->tasks().scheduling, stages_->tasks().fusion}) {
    num_choices_.insert(
        num_choices_.end(), has_levels ? num_groups : 0, stages_->options().num_levels);
  }
  std::vector<std::vector<std::int8_t>> masks;
  for (std::size_t i = 0; i < stages_->size(); ++i) {
    masks.push_back(WidenMask((*stages_)[i].codec));
  }
  action_masks_ = std::make_shared<const std::vector<std::vector<std::int8_t>>>(std::move(masks));
  StageWorkspaces none;
  Reset(0, {}, none);
}

void OneShotEnv::Reset(std::optional<std::uint64_t> seed,
                       const EpisodeStart& start,
                       StageWorkspaces& /*workspaces*/) {
  if (seed.has_value()) {
    rng_ = Rng(*seed);
  }
  const std::size_t present = ChooseStage(*stages_, start.choice, rng_);
  state_ = {.present = present, .noise = SampleNoise(*stages_, start.noise, rng_)};
  state_.rng = rng_.state();
  state_.info = BlankInfo(stage());
  simulator_ = SimulatorWith(state_.noise, *stage().problem);
}

StepResult OneShotEnv::Step(std::span<const std::int32_t> action, StageWorkspaces& workspaces) {
  if (state_.is_over) {
    throw InputError("step: the episode is over after one step, expected a reset");
  }
  state_.is_over = true;
  state_.num_steps = 1;
  const std::vector<std::int32_t> narrow = NarrowAction(action);
  if (!stage().codec.IsLegal(narrow)) {
    state_.info.outcome = EpisodeOutcome::kIllegalAction;
    return {.reward = kFailureReward, .info = state_.info};
  }
  state_.choices = narrow;
  workspaces.resize(stages_->size());
  sim::Workspace& workspace = workspaces[state_.present];
  const sim::Plan made = stage().codec.Decode(state_.choices);
  const std::optional<sim::Plan> other = FindOtherPlan(*stage().problem, made);
  const sim::Plan& simulated = other.has_value() ? *other : made;
  const Evaluation evaluation =
      EvaluationOf(*stage().problem, simulator_->Run(simulated, workspace));
  state_.ratio = RatioOf(evaluation, stage().reference.score);
  state_.info.outcome = EpisodeOutcomeOf(evaluation.result.outcome);
  state_.info.makespan = evaluation.result.makespan;
  state_.info.peak_memory = evaluation.result.peak_memory;
  state_.info.lower_bound =
      std::max(simulator_->PlanBound(simulated, workspace), stage().problem->problem_bound());
  return {
      .reward = StepReward(
          stages_->options().reward, stage().default_ratio, evaluation, stage().reference.score),
      .info = state_.info};
}

void OneShotEnv::Write(const StepObservation& observation) const {
  std::ranges::fill(observation.plan, std::int64_t{-1});
  std::ranges::fill(observation.current, std::int8_t{0});
  std::ranges::fill(observation.device_load, 0.0F);
  std::ranges::fill(observation.device_memory, 0.0F);
  std::ranges::fill(observation.progress, 0.0F);
  std::ranges::copy(action_mask(), observation.action_mask.begin());
}

sim::Plan OneShotEnv::plan() const {
  return InStreamsOf(*stage().problem,
                     state_.choices.empty() ? DefaultPlan(*stage().problem)
                                            : stage().codec.Decode(state_.choices));
}

void OneShotEnv::Restore(const LaneState& state) {
  CheckNoise(state.noise.sigma);
  if (state.present >= stages_->size() ||
      (!state.choices.empty() && !(*stages_)[state.present].codec.IsLegal(state.choices))) {
    throw InputError("state of an environment: it is of another one, or of other options");
  }
  state_ = state;
  rng_ = Rng::FromState(state_.rng);
  simulator_ = SimulatorWith(state_.noise, *stage().problem);
}

std::unique_ptr<Environment> OneShotEnv::Fork() const {
  return std::make_unique<OneShotEnv>(*this);
}

// The mask of `codec`'s problem, laid out for the largest problem.
std::vector<std::int8_t> OneShotEnv::WidenMask(const ActionCodec& codec) const {
  const auto own_groups = static_cast<std::size_t>(codec.problem().grouping().num_groups);
  const auto num_groups = static_cast<std::size_t>(stages_->most_groups());
  std::vector<std::int8_t> mask;
  std::size_t first_own = 0;
  for (std::size_t decision = 0; decision < num_choices_.size(); ++decision) {
    const std::size_t first = mask.size();
    mask.resize(first + static_cast<std::size_t>(num_choices_[decision]), 0);
    if (decision % num_groups >= own_groups) {
      mask[first] = 1;
      continue;
    }
    const std::size_t own_decision = decision / num_groups * own_groups + decision % num_groups;
    const auto own_choices = static_cast<std::size_t>(codec.num_choices()[own_decision]);
    std::copy_n(codec.mask().begin() + static_cast<std::ptrdiff_t>(first_own),
                own_choices,
                mask.begin() + static_cast<std::ptrdiff_t>(first));
    first_own += own_choices;
  }
  return mask;
}

// The decisions of the present problem; empty if `action` has the wrong length.
std::vector<std::int32_t> OneShotEnv::NarrowAction(std::span<const std::int32_t> action) const {
  std::vector<std::int32_t> narrow;
  if (action.size() != num_choices_.size()) {
    return narrow;
  }
  const auto own_groups = static_cast<std::size_t>(stage().problem->grouping().num_groups);
  for (std::size_t first = 0; first < action.size();
       first += static_cast<std::size_t>(stages_->most_groups())) {
    const auto own = action.subspan(first, own_groups);
    narrow.insert(narrow.end(), own.begin(), own.end());
  }
  return narrow;
}

}  // namespace opyard::env
