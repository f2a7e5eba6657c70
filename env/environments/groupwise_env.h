// The environments that decide one group of ops per step, in topological order: from nothing
// (`Placement`), or improving a whole plan (`Improve`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/environments/environment.h"
#include "env/plan_queue.h"

namespace opyard::env {

// The tasks that one step decides.
enum class Turns : std::uint8_t {
  kJoint,   // all of a group at once: an action has a number per task
  kInTurn,  // one: the devices of all groups, then their priorities, then their fusion
};

// What the mask of devices forbids.
enum class MaskedDevices : std::uint8_t {
  kForbidden,  // those that the problem forbids
  // And those without room for the parameters of the group beside what is decided to be there; if
  // that leaves none, those that the problem forbids alone. No plan that completes is lost.
  kFull,
};

struct GroupwiseOptions {
  // Placement: everything is open at the start, and the plan is simulated at the end, or after each
  // step if RewardsEachStep. Improve: each step changes one group of a whole plan and is simulated;
  // rewards that depend on one plan alone are given at the end.
  bool improves = false;
  Turns turns = Turns::kJoint;
  MaskedDevices masked = MaskedDevices::kForbidden;
  std::int64_t sweeps = 1;  // how often an episode visits each group; 1 unless `improves`
};

// Improve is the environment of Placeto (Addanki et al., NeurIPS 2019), where an episode visits
// each node once; deviations: a group is a node, and other tasks than placement may be decided.
class GroupwiseEnv final : public Environment {
 public:
  GroupwiseEnv(std::shared_ptr<const Stages> stages, const GroupwiseOptions& options);

  [[nodiscard]] const Stages& stages() const override { return *stages_; }
  [[nodiscard]] const std::vector<std::int32_t>& num_choices() const override {
    return num_choices_;
  }
  [[nodiscard]] std::int64_t episode_length() const override;
  [[nodiscard]] bool simulates_each_step() const override {
    return options_.improves || RewardsEachStep(stages_->options().reward);
  }
  [[nodiscard]] bool simulates_next_step() const override {
    return simulates_each_step() || state_.num_steps + 1 == episode_length();
  }
  void Reset(std::optional<std::uint64_t> seed,
             const EpisodeStart& start,
             StageWorkspaces& workspaces) override;
  StepResult Step(std::span<const std::int32_t> action, StageWorkspaces& workspaces) override;
  void Write(const StepObservation& observation) const override;
  void Update(const StepObservation& observation) const override;
  [[nodiscard]] std::span<const std::int8_t> action_mask() const override { return mask_; }
  // In the queue that the problem asks for (InStreamsOf, plan_queue.h).
  [[nodiscard]] sim::Plan plan() const override { return InStreamsOf(*stage().problem, plan_); }
  [[nodiscard]] const LaneState& state() const override { return state_; }
  void Restore(const LaneState& state) override;
  [[nodiscard]] std::unique_ptr<Environment> Fork() const override;

  [[nodiscard]] const GroupwiseOptions& options() const { return options_; }
  [[nodiscard]] const std::shared_ptr<const Stages>& shared_stages() const { return stages_; }

 private:
  // The tasks by row of StepObservation::plan.
  enum Task : std::size_t { kDevice, kPriority, kFusion };

  [[nodiscard]] bool IsTask(Task task) const;
  // The steps that visit each group once.
  [[nodiscard]] std::int64_t SweepLength() const;
  // The group and the tasks of the next step. REQUIRES: the episode is not over.
  [[nodiscard]] std::int32_t CurrentGroup() const { return GroupOf(state_.num_steps); }
  [[nodiscard]] std::span<const Task> CurrentTasks() const { return TasksOf(state_.num_steps); }
  // The same of step number `step`.
  [[nodiscard]] std::int32_t GroupOf(std::int64_t step) const;
  [[nodiscard]] std::span<const Task> TasksOf(std::int64_t step) const;
  // The choice of a decision, in LaneState::choices.
  [[nodiscard]] std::int32_t& Choice(Task task, std::int32_t group);
  [[nodiscard]] std::int32_t Choice(Task task, std::int32_t group) const;
  [[nodiscard]] std::size_t IndexOf(Task task, std::int32_t group) const;

  [[nodiscard]] bool MayBeOn(std::int32_t group, std::size_t device) const;
  [[nodiscard]] bool IsLegal(std::span<const std::int32_t> action) const;
  // Makes `mask_` that of the next action.
  void UpdateMask();
  // 1 for each legal choice of the task, from `mask` on; returns where the next task's begin.
  std::span<std::int8_t> WriteMaskOf(Task task, std::span<std::int8_t> mask) const;

  // The choice of `task` for the group's ops, in the plan of an observation.
  void WriteChoice(Task task, std::int32_t group, std::span<std::int64_t> plan) const;
  // All of an observation but the plan, and the ops of other groups in `current`.
  void WriteRest(const StepObservation& observation) const;

  void Decide(Task task, std::int32_t group, std::int32_t choice);
  // Adds the group's seconds and parameters to `device` `sign` times.
  void AddLoad(std::int32_t group, std::int32_t device, int sign);
  // Makes the simulator, the plan and the loads of the state.
  void Rebuild();
  // The choices of `plan`, or of the default plan.
  void TakePlan(const sim::Plan* plan);
  Evaluation Simulate(StageWorkspaces& workspaces);

  std::shared_ptr<const Stages> stages_;
  GroupwiseOptions options_;
  std::vector<Task> tasks_;
  std::vector<std::int32_t> num_choices_;
  Rng rng_{0};
  LaneState state_;
  // Made from `state_`:
  std::shared_ptr<const sim::Simulator> simulator_;
  sim::Plan plan_;
  std::vector<std::int8_t> mask_;     // [sum(num_choices)]
  std::vector<double> load_s_;        // [num_devices]
  std::vector<std::int64_t> params_;  // [num_devices]
};

}  // namespace opyard::env
