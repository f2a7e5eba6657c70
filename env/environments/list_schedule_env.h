// The environment of list scheduling: at each instant at which a device is idle, one of the ops
// that are ready on it is chosen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/environments/environment.h"
#include "env/environments/groupwise_env.h"
#include "sim/engine/run/stepwise_run.h"

namespace opyard::env {

struct ListScheduleOptions {
  MaskedDevices masked = MaskedDevices::kForbidden;
  // The plan of each stage, from which ops take their devices, and transfers and fusion their
  // priorities, where an episode says nothing else; empty: DefaultPlan.
  std::vector<sim::Plan> plans;
};

// A step starts an op: the device is never idle while it has one (work-conserving). If placement is
// a task, and the episode has no plan of its own, a step may also choose the device of an op and of
// all of its group: of one without inputs before it is ready, of others before the first op that
// they read ends, since transfers are offered then (sim/engine/run/stepwise_run.h). What has one
// legal action only is done without a step, but for the last start of the episode.
//
// An action is one number: op · D + device if placement is a task, else op. A kernel of several ops
// goes by the one with the least topological index. The episode is that of plan(), which simulates
// to the same result, but where memory runs out while devices are chosen.
//
// Observed differently: `plan` has devices only. `current` is 0 for an op that waits for others, 1
// for one that the next action may start or place, 2 for one that is ready on another device or
// does not fit, 3 while it runs, 4 when it is done. `device_load`: q = what the running op still
// takes / T_ref. `device_memory`: q = bytes in use / capacity. `progress`: ops started / ops; q =
// the time so far / T_ref. EpisodeInfo::makespan is the time so far.
//
// r before the end is that of the time and the peak memory so far, 0 at the beginning: the rewards
// kImprovement and kShaped add up to −r and −sqrt(r).
class ListScheduleEnv final : public Environment {
 public:
  // Throws InputError if scheduling is no task, or fusion is one, or ops fuse while placement is
  // one, or the queue is kProgram, or kOrder on a machine where no order repeats a run, or there
  // are more than 2^26 actions, or as many plans as there should not be; PlanError for a plan that
  // does not fit; UnsupportedError as StepwiseRun::Begin.
  ListScheduleEnv(std::shared_ptr<const Stages> stages, ListScheduleOptions options);
  ~ListScheduleEnv() override;

  [[nodiscard]] const Stages& stages() const override { return *stages_; }
  [[nodiscard]] const std::vector<std::int32_t>& num_choices() const override {
    return num_choices_;
  }
  [[nodiscard]] std::int64_t episode_length() const override;
  // A step simulates to the next choice alone.
  [[nodiscard]] bool simulates_each_step() const override { return false; }
  void Reset(std::optional<std::uint64_t> seed,
             const EpisodeStart& start,
             StageWorkspaces& workspaces) override;
  StepResult Step(std::span<const std::int32_t> action, StageWorkspaces& workspaces) override;
  void Write(const StepObservation& observation) const override;
  void Update(const StepObservation& observation) const override { Write(observation); }
  [[nodiscard]] std::span<const std::int8_t> action_mask() const override { return mask_; }
  // Ops that have no device yet are as in DefaultPlan. In the queue that the problem asks for.
  [[nodiscard]] sim::Plan plan() const override;
  [[nodiscard]] const LaneState& state() const override { return state_; }
  // Plays the episode again up to the state: as long as its steps took.
  void Restore(const LaneState& state) override;
  [[nodiscard]] std::unique_ptr<Environment> Fork() const override;

  [[nodiscard]] const ListScheduleOptions& options() const { return *options_; }

 private:
  ListScheduleEnv(std::shared_ptr<const ListScheduleOptions> options,
                  std::shared_ptr<const Stages> stages);

  // Whether devices are chosen in this episode.
  [[nodiscard]] bool PlacesOps() const {
    return stages_->tasks().placement && state_.plan == nullptr;
  }
  // With open devices where they are chosen.
  [[nodiscard]] sim::Plan PlanAtStart() const;
  // Begins the run of an episode whose stage, noise and plan are in `state_`.
  void Begin();
  // Plays `state` from its beginning. Throws InputError if that does not lead there.
  void Replay(const LaneState& state);

  [[nodiscard]] std::int32_t OpOf(std::int32_t kernel) const;
  [[nodiscard]] std::int32_t ActionOf(std::int32_t op, std::int32_t device) const;
  [[nodiscard]] bool IsLegal(std::span<const std::int32_t> action) const;
  [[nodiscard]] bool HasRoom(std::int32_t group, std::size_t device) const;
  void ListDevicesOf(std::int32_t op);
  void ListLegal();
  // Lists the legal actions, and makes the mask of them.
  void UpdateMask();

  void Place(std::int32_t group, std::int32_t device);
  void Apply(std::int32_t action);
  // Takes steps with one legal action.
  void SkipForced();
  // Makes the ratio and the info those of now.
  Evaluation Note();

  std::shared_ptr<const Stages> stages_;
  std::shared_ptr<const ListScheduleOptions> options_;
  std::vector<std::int32_t> num_choices_;
  Rng rng_{0};
  LaneState state_;
  // Made from `state_`:
  std::shared_ptr<const sim::Simulator> simulator_;
  std::unique_ptr<sim::StepwiseRun> run_;
  std::vector<std::int32_t> kernel_of_;  // [num_ops]: by OpId
  std::vector<std::int8_t> mask_;
  std::vector<std::int32_t> legal_;  // actions, those of mask_
};

}  // namespace opyard::env
