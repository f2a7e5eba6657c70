// The interface of all environments: lanes over shared stages (docs/decisions/0045).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/environments/episode.h"
#include "env/environments/noise.h"
#include "env/environments/stages.h"
#include "sim/base/rng.h"
#include "sim/engine/run/workspace.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// The memory in which a thread simulates, by stage; any lanes may use it one after the other.
using StageWorkspaces = std::vector<sim::Workspace>;

// The part of an observation that changes from step to step, where a lane writes it; with the
// arrays of PaddedObservation it is the whole. O, D: the room. A ratio q is written as q / (1 + q),
// so that it lies in [0, 1]. What differs in an environment stands beside its class.
struct StepObservation {
  std::span<std::int64_t>
      plan;  // [3, O]: device, priority level, fusion level of each op; −1: open
  std::span<std::int8_t> current;      // [O], 1: an op of the group that the next action decides
  std::span<float> device_load;        // [D]: q = seconds of the ops decided to be there / T_ref
  std::span<float> device_memory;      // [D]: q = bytes of their parameters / capacity
  std::span<float> progress;           // [2]: steps made / steps of the episode; q = the ratio r of
                                       // the plan that was simulated last (reward.h), 0 before
  std::span<std::int8_t> action_mask;  // [sum(num_choices)]
};

// Where a lane stands between two calls; with its stages and options, all that its future depends
// on.
struct LaneState {
  Rng::State rng{};
  std::size_t present = 0;  // index of the stage
  bool is_over = false;
  std::int64_t num_steps = 0;  // of the episode, so far
  // By decision, as ActionCodec has them; −1: open. In ListSchedule the actions so far.
  std::vector<std::int32_t> choices;
  double ratio = 0.0;  // r of the plan that was simulated last
  Noise noise;
  std::shared_ptr<const sim::Plan> plan;  // that the episode was to begin with, where it matters
  EpisodeInfo info;
};

// The beginning of an episode.
struct EpisodeStart {
  EpisodeChoice choice;
  const sim::Plan* plan = nullptr;  // to improve, or to take devices from; null: none
  std::optional<double> noise;      // null: EnvironmentOptions::noise
};

// One lane: deterministic, small, and not thread-safe; lanes that share their stages may be in
// different threads. An action is one whole number per entry of num_choices().
class Environment {
 public:
  virtual ~Environment() = default;

  [[nodiscard]] virtual const Stages& stages() const = 0;
  // The numbers of choices of each number of an action, the same for all episodes.
  [[nodiscard]] virtual const std::vector<std::int32_t>& num_choices() const = 0;
  // The steps of the present episode, if no action is illegal; the most, where it depends on them.
  [[nodiscard]] virtual std::int64_t episode_length() const = 0;

  // False if most steps take less than handing them to another thread does.
  [[nodiscard]] virtual bool simulates_each_step() const = 0;
  // The same of the next step alone, which may be the one that ends the episode.
  [[nodiscard]] virtual bool simulates_next_step() const { return simulates_each_step(); }

  // Whether StepObservation is more than the mask.
  [[nodiscard]] virtual bool observes_steps() const { return true; }

  // Begins an episode; `seed` starts the random choices anew. Throws InputError for a choice beyond
  // the lists, noise out of range, or a plan that does not fit.
  virtual void Reset(std::optional<std::uint64_t> seed,
                     const EpisodeStart& start,
                     StageWorkspaces& workspaces) = 0;
  // An action of the wrong length, out of range or masked ends the episode with kFailureReward.
  // Throws InputError if the episode is over.
  virtual StepResult Step(std::span<const std::int32_t> action, StageWorkspaces& workspaces) = 0;

  virtual void Write(const StepObservation& observation) const = 0;
  // The same where `observation` holds what was written before the last Step, which was legal.
  virtual void Update(const StepObservation& observation) const = 0;
  // [sum(num_choices)]: the legal choices of the next action, number after number.
  [[nodiscard]] virtual std::span<const std::int8_t> action_mask() const = 0;
  // The plan so far: what is open is as in DefaultPlan.
  [[nodiscard]] virtual sim::Plan plan() const = 0;

  [[nodiscard]] virtual const LaneState& state() const = 0;
  // Throws InputError for a state of other stages or options.
  virtual void Restore(const LaneState& state) = 0;
  // A copy goes on as the original would, and neither touches the other.
  [[nodiscard]] virtual std::unique_ptr<Environment> Fork() const = 0;

  [[nodiscard]] const Stage& stage() const { return stages()[state().present]; }
};

}  // namespace opyard::env
