// The environment in which one action is a whole plan, and an episode one step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/environments/episode.h"
#include "env/environments/stages.h"
#include "sim/base/rng.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// Where an environment stands between two calls; with its options, all that its future depends on.
struct EpisodeState {
  Rng::State rng{};
  std::size_t present = 0;  // graph index · number of machines + machine index
  bool is_over = false;
  EpisodeInfo info;
};

// Deterministic: the same options, seed and actions give the same episodes. Not thread-safe, but
// copies may go on in different threads: what they share never changes.
//
// An action holds one number per decision, for the largest of the problems: devices of groups
// 0 … most_groups − 1 (if placement is a task), then their priority levels (if scheduling is), then
// their fusion levels (if fusion is). Decisions beyond the present problem's groups are ignored;
// their mask allows choice 0 only.
class OneShotEnv {
 public:
  // Throws as Stages does.
  explicit OneShotEnv(EnvironmentOptions options);
  ~OneShotEnv();
  // A copy goes on as the original would, and neither touches the other.
  OneShotEnv(const OneShotEnv& other);
  OneShotEnv& operator=(const OneShotEnv&) = delete;

  // Begins an episode; `seed` starts the random choices anew. The first episode begins at
  // construction as Reset(0, {}) would. Throws InputError for a choice beyond the lists.
  void Reset(std::optional<std::uint64_t> seed, const EpisodeChoice& choice);

  // Evaluates the plan that `action` stands for and ends the episode. An action of the wrong
  // length, out of range or masked is no error: its reward is kFailureReward. Throws InputError if
  // the episode is over.
  StepResult Step(std::span<const std::int32_t> action);
  // The plan of the present problem that `action` stands for; nothing if it is illegal.
  [[nodiscard]] std::optional<sim::Plan> FindPlan(std::span<const std::int32_t> action) const;

  [[nodiscard]] EpisodeState state() const;
  // Goes on as the environment of equal options whose state() that was. Throws InputError for a
  // state of other options.
  void Restore(const EpisodeState& state);

  [[nodiscard]] const EnvironmentOptions& options() const { return stages_->options(); }
  // [num_decisions]: how many choices each decision has, the same for all episodes.
  [[nodiscard]] const std::vector<std::int32_t>& num_choices() const { return num_choices_; }
  [[nodiscard]] std::size_t action_mask_size() const;
  // The room that observations are padded to; its devices are those of the largest machine.
  [[nodiscard]] const Room& room() const { return stages_->room(); }

  // The present episode. Observations do not depend on the actions.
  [[nodiscard]] std::size_t graph_index() const { return present_ / options().machines.size(); }
  [[nodiscard]] std::size_t machine_index() const { return present_ % options().machines.size(); }
  [[nodiscard]] const Problem& problem() const { return *shared_problem(); }
  [[nodiscard]] const std::shared_ptr<const Problem>& shared_problem() const {
    return stage().problem;
  }
  [[nodiscard]] const Observation& observation() const;
  [[nodiscard]] const PaddedObservation& padded_observation() const;
  // [action_mask_size()]: the legal choices, decisions one after the other.
  [[nodiscard]] const std::vector<std::uint8_t>& action_mask() const;
  // The last step's, or what is known before it.
  [[nodiscard]] const EpisodeInfo& info() const { return info_; }

 private:
  struct Workspaces;

  [[nodiscard]] const Stage& stage() const { return (*stages_)[present_]; }
  [[nodiscard]] std::vector<std::uint8_t> WidenMask(const ActionCodec& codec) const;
  [[nodiscard]] std::vector<std::int32_t> NarrowAction(std::span<const std::int32_t> action) const;

  std::shared_ptr<const Stages> stages_;
  std::shared_ptr<const std::vector<std::vector<std::uint8_t>>> action_masks_;  // by stage
  std::vector<std::int32_t> num_choices_;
  Rng rng_{0};
  std::unique_ptr<Workspaces> workspaces_;  // one per stage
  std::size_t present_ = 0;
  bool is_over_ = false;
  EpisodeInfo info_;
};

}  // namespace opyard::env
