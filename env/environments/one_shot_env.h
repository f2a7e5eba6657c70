// The environment in which one action is a whole plan, and an episode one step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/environments/environment.h"

namespace opyard::env {

// An action holds one number per decision, for the largest of the problems: devices of groups
// 0 … most_groups − 1 (if placement is a task), then their priority levels (if scheduling is), then
// their fusion levels (if fusion is). Decisions beyond the present problem's groups are ignored;
// their mask allows choice 0 only. LaneState::choices are those of the last step.
//
// The first episode begins at construction.
class OneShotEnv final : public Environment {
 public:
  explicit OneShotEnv(std::shared_ptr<const Stages> stages);

  [[nodiscard]] const Stages& stages() const override { return *stages_; }
  [[nodiscard]] const std::vector<std::int32_t>& num_choices() const override {
    return num_choices_;
  }
  [[nodiscard]] std::int64_t episode_length() const override { return 1; }
  [[nodiscard]] bool simulates_each_step() const override { return true; }
  [[nodiscard]] bool observes_steps() const override { return false; }
  // A plan to begin with is not used.
  void Reset(std::optional<std::uint64_t> seed,
             const EpisodeStart& start,
             StageWorkspaces& workspaces) override;
  StepResult Step(std::span<const std::int32_t> action, StageWorkspaces& workspaces) override;
  void Write(const StepObservation& observation) const override;
  void Update(const StepObservation& observation) const override { Write(observation); }
  [[nodiscard]] std::span<const std::int8_t> action_mask() const override {
    return (*action_masks_)[state_.present];
  }
  [[nodiscard]] sim::Plan plan() const override;
  [[nodiscard]] const LaneState& state() const override { return state_; }
  void Restore(const LaneState& state) override;
  [[nodiscard]] std::unique_ptr<Environment> Fork() const override;

 private:
  [[nodiscard]] std::vector<std::int8_t> WidenMask(const ActionCodec& codec) const;
  [[nodiscard]] std::vector<std::int32_t> NarrowAction(std::span<const std::int32_t> action) const;

  std::shared_ptr<const Stages> stages_;
  std::shared_ptr<const std::vector<std::vector<std::int8_t>>> action_masks_;  // by stage
  std::vector<std::int32_t> num_choices_;
  Rng rng_{0};
  LaneState state_;
  std::shared_ptr<const sim::Simulator> simulator_;  // of `state_`
};

}  // namespace opyard::env
