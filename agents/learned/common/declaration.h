// The options of every learned agent, known with and without LibTorch.
#pragma once

#include <cstdint>
#include <string>

#include "agents/base/option_table.h"
#include "agents/learned/common/baseline_rule.h"
#include "agents/learned/common/entropy_schedule.h"
#include "agents/learned/common/learning_rule.h"
#include "agents/learned/common/network_device.h"
#include "agents/planning/grouping/grouping.h"

namespace opyard::agents {

// The threads, the device and the files of weights of a search that learns.
struct TrainingSession {
  int num_threads = 1;  // of LibTorch (torch_session.h)
  NetworkDevice device = NetworkDevice::kCpu;
  std::string checkpoint;  // weights to begin with; empty: fresh ones
  std::string save;        // where the weights at the end go; empty: nowhere
};

[[nodiscard]] OptionTable<TrainingSession> TrainingSessionOptions();

// Updates beyond which no option counts.
inline constexpr std::int64_t kMostUpdates = std::int64_t{1} << 40;

// The options of GroupingOptions beside `max_groups`: `grouping`, `group_ops` and `group_seed`;
// `paper`: the published rule.
[[nodiscard]] OptionTable<GroupingOptions> GroupRuleOptions(const std::string& paper);

// `entropy`, `entropy_share` and `entropy_updates`; `paper`: the published weight.
[[nodiscard]] OptionTable<EntropySchedule> EntropyScheduleOptions(
    const std::string& paper = "none");

// `algorithm`, and what of it counts with `ppo`; `paper`: the published one.
[[nodiscard]] OptionTable<LearningRule> LearningRuleOptions(const std::string& paper);

// `baseline_momentum`, `baseline_start`, `failure_updates` and `failure_baseline`; `decay` and
// `failure_updates`: the published values.
[[nodiscard]] OptionTable<BaselineRule> BaselineRuleOptions(const std::string& decay,
                                                            const std::string& failure_updates);

}  // namespace opyard::agents
