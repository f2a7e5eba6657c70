// The environment in which one action is a whole plan, and an episode one step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/action_codec.h"
#include "env/padded_observation.h"
#include "env/problem.h"
#include "env/reward.h"
#include "sim/base/rng.h"

namespace opyard::env {

struct OneShotOptions {
  // Each episode plays one of the graphs on one of the machines.
  std::vector<std::shared_ptr<const sim::OpGraph>> graphs;
  std::vector<std::shared_ptr<const sim::HardwareProfile>> machines;
  ProblemSettings settings;  // of each; every machine has `settings.devices`
  RewardKind reward = RewardKind::kSqrt;
  std::int32_t num_levels = ActionCodec::kDefaultLevels;
  std::optional<std::int64_t> max_ops;    // default: the most that any of the graphs has
  std::optional<std::int64_t> max_edges;  // likewise, but 1 at least
};

// The outcome of an episode; the numbers are part of the Python interface.
enum class EpisodeOutcome : std::uint8_t {
  kNotRun = 0,
  kCompleted = 1,
  kOutOfMemory = 2,
  kIllegalAction = 3,
  kDeadlock = 4,  // ops waited for memory that nothing freed
};

[[nodiscard]] EpisodeOutcome EpisodeOutcomeOf(sim::Outcome outcome);

struct EpisodeInfo {
  EpisodeOutcome outcome = EpisodeOutcome::kNotRun;
  SimTime makespan;       // not completed: when it stopped; 0 where nothing ran
  Bytes peak_memory;      // the greatest over all devices; 0 where nothing ran
  SimTime lower_bound;    // docs/modelling.md, "Bounds": of the evaluated plan, else of the problem
  SimTime problem_bound;  // over all plans
  SimTime reference;      // T_ref of the reward
};

// Where an environment stands between two calls; with its options, all that its future depends on.
struct EpisodeState {
  Rng::State rng{};
  std::size_t present = 0;  // graph index · number of machines + machine index
  bool is_over = false;
  EpisodeInfo info;
};

struct StepResult {
  double reward = 0.0;
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
  // Which graph and machine of the options an episode plays; sampled at random where nothing is
  // said.
  struct Choice {
    std::optional<std::size_t> graph;
    std::optional<std::size_t> machine;
  };

  // The reference T_ref of each problem is FindReference's (reward.h). Throws InputError
  // for empty lists, no task, or too little room; and as Problem does.
  explicit OneShotEnv(OneShotOptions options);
  ~OneShotEnv();
  // A copy goes on as the original would, and neither touches the other.
  OneShotEnv(const OneShotEnv& other);
  OneShotEnv& operator=(const OneShotEnv&) = delete;

  // Begins an episode; `seed` starts the random choices anew. The first episode begins at
  // construction as Reset(0, {}) would. Throws InputError for a choice beyond the lists.
  void Reset(std::optional<std::uint64_t> seed, Choice choice);

  // Evaluates the plan that `action` stands for and ends the episode. An action of the wrong
  // length, out of range or masked is no error: its reward is kFailureReward. Throws InputError if
  // the episode is over.
  StepResult Step(std::span<const std::int32_t> action);

  [[nodiscard]] EpisodeState state() const;
  // Goes on as the environment of equal options whose state() that was. Throws InputError for a
  // state of other options.
  void Restore(const EpisodeState& state);

  [[nodiscard]] const OneShotOptions& options() const { return options_; }
  // [num_decisions]: how many choices each decision has, the same for all episodes.
  [[nodiscard]] const std::vector<std::int32_t>& num_choices() const { return num_choices_; }
  [[nodiscard]] std::size_t action_mask_size() const;
  // The room that observations are padded to; its devices are those of the largest machine.
  [[nodiscard]] const Room& room() const { return room_; }

  // The present episode. Observations do not depend on the actions.
  [[nodiscard]] std::size_t graph_index() const { return present_ / options_.machines.size(); }
  [[nodiscard]] std::size_t machine_index() const { return present_ % options_.machines.size(); }
  [[nodiscard]] const Problem& problem() const;
  [[nodiscard]] const Observation& observation() const;
  [[nodiscard]] const PaddedObservation& padded_observation() const;
  // [action_mask_size()]: the legal choices, decisions one after the other.
  [[nodiscard]] const std::vector<std::uint8_t>& action_mask() const;
  // The last step's, or what is known before it.
  [[nodiscard]] const EpisodeInfo& info() const { return info_; }

 private:
  struct Stage;
  struct Workspaces;

  [[nodiscard]] const Stage& stage() const { return *stages_[present_]; }
  [[nodiscard]] std::vector<std::uint8_t> WidenMask(const ActionCodec& codec) const;
  [[nodiscard]] std::vector<std::int32_t> NarrowAction(std::span<const std::int32_t> action) const;

  OneShotOptions options_;
  Rng rng_{0};
  std::int32_t most_groups_ = 0;
  Room room_;
  std::vector<std::int32_t> num_choices_;
  std::vector<std::shared_ptr<const Stage>> stages_;  // [graphs, machines] row-major
  std::unique_ptr<Workspaces> workspaces_;            // one per stage
  std::size_t present_ = 0;
  bool is_over_ = false;
  EpisodeInfo info_;
};

}  // namespace opyard::env
