// The problems of an environment, with all that stays the same from episode to episode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/action_codec.h"
#include "env/padded_observation.h"
#include "env/problem.h"
#include "env/reward.h"

namespace opyard::env {

struct EnvironmentOptions {
  // Each episode plays one of the graphs on one of the machines.
  std::vector<std::shared_ptr<const sim::OpGraph>> graphs;
  std::vector<std::shared_ptr<const sim::HardwareProfile>> machines;
  ProblemSettings settings;  // of each; every machine has `settings.devices`
  RewardKind reward = RewardKind::kSqrt;
  std::int32_t num_levels = ActionCodec::kDefaultLevels;  // of priorities, and of fusion
  std::optional<std::int64_t> max_ops;    // default: the most that any of the graphs has
  std::optional<std::int64_t> max_edges;  // likewise, but 1 at least
  double noise = 0.0;                     // Noise::sigma of episodes that say nothing else
};

// One graph on one machine; immutable.
struct Stage {
  Stage(std::shared_ptr<const Problem> asked, std::int32_t num_levels);

  // The ops of a group, ascending.
  [[nodiscard]] std::span<const std::int32_t> OpsOf(std::int32_t group) const;
  [[nodiscard]] std::int32_t num_groups() const { return problem->grouping().num_groups; }
  [[nodiscard]] std::size_t num_devices() const { return problem->hardware().num_devices(); }

  std::shared_ptr<const Problem> problem;
  ActionCodec codec;
  Observation observation;
  Reference reference;         // FindReference's (reward.h)
  double default_ratio = 0.0;  // r of DefaultPlan (reward.h)
  PaddedObservation padded;
  // Groups in the order in which they are decided: that of their first ops in topological order.
  std::vector<std::int32_t> group_order;   // [num_groups]
  std::vector<std::int32_t> first_op;      // [num_groups + 1] into `ops_by_group`
  std::vector<std::int32_t> ops_by_group;  // [num_ops]
  std::vector<double> group_seconds;       // [num_groups, num_devices]: of its ops, one by one
  std::vector<std::int64_t> group_params;  // [num_groups]: bytes of parameters
  std::vector<std::int64_t> capacity;      // [num_devices]: bytes
};

// Shared by environments and their copies; immutable, and so safe in several threads.
class Stages {
 public:
  // Throws InputError for empty lists, no task, noise out of range, or too little room; and as
  // Problem does.
  explicit Stages(EnvironmentOptions options);

  [[nodiscard]] const EnvironmentOptions& options() const { return options_; }
  // Row-major: graph index · number of machines + machine index.
  [[nodiscard]] std::size_t size() const { return stages_.size(); }
  [[nodiscard]] const Stage& operator[](std::size_t index) const { return *stages_[index]; }
  // The room that observations are padded to; its devices are those of the largest machine.
  [[nodiscard]] const Room& room() const { return room_; }
  // Of the problem that has the most.
  [[nodiscard]] std::int32_t most_groups() const { return most_groups_; }
  [[nodiscard]] const TaskSet& tasks() const { return options_.settings.tasks; }

 private:
  EnvironmentOptions options_;
  Room room_;
  std::int32_t most_groups_ = 0;
  std::vector<std::unique_ptr<const Stage>> stages_;
};

}  // namespace opyard::env
