#include "env/environments/one_shot_env.h"

#include <algorithm>
#include <string>
#include <utility>

#include "env/evaluation.h"
#include "sim/base/error.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"

namespace opyard::env {

struct OneShotEnv::Workspaces {
  std::vector<sim::Workspace> of_stage;
};

OneShotEnv::OneShotEnv(EnvironmentOptions options)
    : stages_(std::make_shared<const Stages>(std::move(options))) {
  const auto num_groups = static_cast<std::size_t>(stages_->most_groups());
  num_choices_.assign(stages_->tasks().placement ? num_groups : 0,
                      static_cast<std::int32_t>(room().max_devices));
  for (const bool has_levels : {stages_->tasks().scheduling, stages_->tasks().fusion}) {
    num_choices_.insert(
        num_choices_.end(), has_levels ? num_groups : 0, stages_->options().num_levels);
  }
  std::vector<std::vector<std::uint8_t>> masks;
  for (std::size_t i = 0; i < stages_->size(); ++i) {
    masks.push_back(WidenMask((*stages_)[i].codec));
  }
  action_masks_ = std::make_shared<const std::vector<std::vector<std::uint8_t>>>(std::move(masks));
  workspaces_ = std::make_unique<Workspaces>();
  workspaces_->of_stage.resize(stages_->size());
  Reset(0, {});
}

OneShotEnv::~OneShotEnv() = default;

OneShotEnv::OneShotEnv(const OneShotEnv& other)
    : stages_(other.stages_),
      action_masks_(other.action_masks_),
      num_choices_(other.num_choices_),
      rng_(other.rng_),
      workspaces_(std::make_unique<Workspaces>()),
      present_(other.present_),
      is_over_(other.is_over_),
      info_(other.info_) {
  workspaces_->of_stage.resize(stages_->size());
}

EpisodeState OneShotEnv::state() const {
  return {.rng = rng_.state(), .present = present_, .is_over = is_over_, .info = info_};
}

void OneShotEnv::Restore(const EpisodeState& state) {
  if (state.present >= stages_->size()) {
    throw InputError("state of an environment: found episode " + std::to_string(state.present) +
                     ", expected one below " + std::to_string(stages_->size()));
  }
  rng_ = Rng::FromState(state.rng);
  present_ = state.present;
  is_over_ = state.is_over;
  info_ = state.info;
}

void OneShotEnv::Reset(std::optional<std::uint64_t> seed, const EpisodeChoice& choice) {
  if (seed.has_value()) {
    rng_ = Rng(*seed);
  }
  present_ = ChooseStage(*stages_, choice, rng_);
  is_over_ = false;
  info_ = BlankInfo(stage());
}

StepResult OneShotEnv::Step(std::span<const std::int32_t> action) {
  if (is_over_) {
    throw InputError("step: the episode is over after one step, expected a reset");
  }
  is_over_ = true;
  const std::optional<sim::Plan> plan = FindPlan(action);
  if (!plan.has_value()) {
    info_.outcome = EpisodeOutcome::kIllegalAction;
    return {.reward = kFailureReward, .info = info_};
  }
  sim::Workspace& workspace = workspaces_->of_stage[present_];
  const Evaluation evaluation = EvaluateUncounted(problem(), *plan, workspace);
  info_.outcome = EpisodeOutcomeOf(evaluation.result.outcome);
  info_.makespan = evaluation.result.makespan;
  info_.peak_memory = evaluation.result.peak_memory;
  info_.lower_bound = problem().simulator().PlanBound(*plan, workspace);
  return {.reward = StepReward(
              options().reward, stage().default_ratio, evaluation, stage().reference.score),
          .info = info_};
}

std::optional<sim::Plan> OneShotEnv::FindPlan(std::span<const std::int32_t> action) const {
  const std::vector<std::int32_t> narrow = NarrowAction(action);
  return stage().codec.IsLegal(narrow) ? std::optional(stage().codec.Decode(narrow)) : std::nullopt;
}

std::size_t OneShotEnv::action_mask_size() const {
  return action_mask().size();
}

const Observation& OneShotEnv::observation() const {
  return stage().observation;
}

const PaddedObservation& OneShotEnv::padded_observation() const {
  return stage().padded;
}

const std::vector<std::uint8_t>& OneShotEnv::action_mask() const {
  return (*action_masks_)[present_];
}

// The mask of `codec`'s problem, laid out for the largest problem.
std::vector<std::uint8_t> OneShotEnv::WidenMask(const ActionCodec& codec) const {
  const auto own_groups = static_cast<std::size_t>(codec.problem().grouping().num_groups);
  const auto num_groups = static_cast<std::size_t>(stages_->most_groups());
  std::vector<std::uint8_t> mask;
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
  const auto own_groups = static_cast<std::size_t>(problem().grouping().num_groups);
  for (std::size_t first = 0; first < action.size();
       first += static_cast<std::size_t>(stages_->most_groups())) {
    const auto own = action.subspan(first, own_groups);
    narrow.insert(narrow.end(), own.begin(), own.end());
  }
  return narrow;
}

}  // namespace opyard::env
