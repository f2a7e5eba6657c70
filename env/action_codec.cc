#include "env/action_codec.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "env/group_placement.h"
#include "env/plan_queue.h"
#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::env {
namespace {

// The offence of choosing `choice` at decision `decision`, for a PlanError.
std::string OffenceText(const ActionCodec& codec, std::size_t decision, std::int32_t choice) {
  const Problem& problem = codec.problem();
  const std::int32_t num_choices = codec.num_choices()[decision];
  const std::string place = "action#/" + std::to_string(decision) + ": ";
  if (choice < 0 || choice >= num_choices) {
    return place + "found " + std::to_string(choice) + ", expected a whole number in [0, " +
           std::to_string(num_choices - 1) + "]";
  }
  std::vector<std::string> allowed;
  for (const DeviceId device : problem.AllowedDevices(GroupId(decision))) {
    allowed.push_back(problem.hardware().devices[device.index()].name);
  }
  const std::string& chosen = problem.hardware().devices[static_cast<std::size_t>(choice)].name;
  return place + "group " + std::to_string(decision) + " may not run on " + Quoted(chosen) +
         ", expected one of " + JoinNames(allowed);
}

// One priority per op from one level per group.
template <class Priority>
std::vector<Priority> LevelOfOps(const sim::Grouping& grouping,
                                 std::span<const std::int32_t> level_of_group) {
  std::vector<Priority> level_of_op;
  level_of_op.reserve(grouping.group_of.size());
  for (const std::int32_t group : grouping.group_of) {
    level_of_op.push_back(level_of_group[static_cast<std::size_t>(group)]);
  }
  return level_of_op;
}

}  // namespace

ActionCodec::ActionCodec(std::shared_ptr<const Problem> problem, std::int32_t num_levels)
    : problem_(std::move(problem)), num_levels_(num_levels) {
  if (num_levels < 1) {
    throw InputError("number of priority levels: found " + std::to_string(num_levels) +
                     ", expected at least 1");
  }
  const auto num_groups = static_cast<std::size_t>(problem_->grouping().num_groups);
  const std::size_t num_devices = problem_->hardware().num_devices();
  if (problem_->tasks().placement) {
    num_choices_.assign(num_groups, static_cast<std::int32_t>(num_devices));
    mask_.assign(num_groups * num_devices, 0);
    for (std::size_t group = 0; group < num_groups; ++group) {
      for (const DeviceId device : problem_->AllowedDevices(GroupId(group))) {
        mask_[group * num_devices + device.index()] = 1;
      }
    }
  }
  for (const bool has_levels : {problem_->tasks().scheduling, problem_->tasks().fusion}) {
    if (has_levels) {
      num_choices_.insert(num_choices_.end(), num_groups, num_levels);
      mask_.insert(mask_.end(), num_groups * static_cast<std::size_t>(num_levels), 1);
    }
  }
}

std::optional<std::size_t> ActionCodec::FindIllegal(std::span<const std::int32_t> action) const {
  std::size_t first_choice = 0;
  for (std::size_t i = 0; i < action.size(); ++i) {
    const std::int32_t choice = action[i];
    if (choice < 0 || choice >= num_choices_[i] ||
        mask_[first_choice + static_cast<std::size_t>(choice)] == 0) {
      return i;
    }
    first_choice += static_cast<std::size_t>(num_choices_[i]);
  }
  return std::nullopt;
}

bool ActionCodec::IsLegal(std::span<const std::int32_t> action) const {
  return action.size() == num_decisions() && !FindIllegal(action).has_value();
}

sim::Plan ActionCodec::Decode(std::span<const std::int32_t> action) const {
  if (action.size() != num_decisions()) {
    throw PlanError("action#: found " + std::to_string(action.size()) + " numbers, expected " +
                    std::to_string(num_decisions()));
  }
  if (const auto offence = FindIllegal(action)) {
    throw PlanError(OffenceText(*this, *offence, action[*offence]));
  }
  const TaskSet& tasks = problem_->tasks();
  const auto take_decisions = [&, num_groups = problem_->grouping().num_groups] {
    const auto taken = action.first(static_cast<std::size_t>(num_groups));
    action = action.subspan(taken.size());
    return taken;
  };
  sim::Plan plan = DefaultPlan(*problem_);
  if (tasks.placement) {
    GroupPlacement device_of_group;
    for (const std::int32_t device : take_decisions()) {
      device_of_group.emplace_back(device);
    }
    plan = PlanFromGroups(*problem_, device_of_group);
  }
  if (tasks.scheduling) {
    SetPriorities(plan, LevelOfOps<std::int64_t>(problem_->grouping(), take_decisions()));
  }
  if (tasks.fusion) {
    SetFusionLevels(*problem_, take_decisions(), plan);
  }
  return plan;
}

namespace {

// Where agents decide the order of streams, that of a plan without priorities is the order of its
// run; where they do not, that of the topological indices.
sim::QueueDiscipline QueueWithoutPriorities(const Problem& problem) {
  const sim::QueueDiscipline queue = problem.settings().default_queue;
  if (queue != sim::QueueDiscipline::kOrder) {
    return queue;
  }
  return AsksForOrder(problem) ? sim::QueueDiscipline::kFifo : sim::QueueDiscipline::kProgram;
}

}  // namespace

sim::Plan DefaultPlan(const Problem& problem) {
  return {.placement = problem.default_placement(),
          .queue = QueueWithoutPriorities(problem),
          .fusion_priority = problem.default_fusion_priority(),
          .fusion_region = problem.fusion_region()};
}

sim::Plan PlanFromGroups(const Problem& problem, std::span<const DeviceId> device_of_group) {
  const sim::Grouping& grouping = problem.grouping();
  OPYARD_CHECK(device_of_group.size() == static_cast<std::size_t>(grouping.num_groups),
               "one device per group");
  sim::Plan plan = DefaultPlan(problem);
  for (std::size_t op = 0; op < plan.placement.size(); ++op) {
    plan.placement[op] = device_of_group[static_cast<std::size_t>(grouping.group_of[op])];
  }
  return plan;
}

void SetPriorities(sim::Plan& plan, std::vector<std::int64_t> op_priority) {
  plan.queue = sim::QueueDiscipline::kPriority;
  plan.op_priority = std::move(op_priority);
}

void SetFusionLevels(const Problem& problem,
                     std::span<const std::int32_t> level_of_group,
                     sim::Plan& plan) {
  plan.fusion_priority = LevelOfOps<std::int32_t>(problem.grouping(), level_of_group);
}

std::vector<std::int64_t> RanksOf(std::span<const double> keys) {
  OPYARD_CHECK(std::ranges::none_of(keys, [](double key) { return std::isnan(key); }),
               "keys have an order");
  std::vector<std::size_t> by_key(keys.size());
  std::iota(by_key.begin(), by_key.end(), std::size_t{0});
  std::ranges::sort(by_key, {}, [&](std::size_t i) { return keys[i]; });
  std::vector<std::int64_t> ranks(keys.size());
  std::int64_t rank = 0;
  for (std::size_t i = 0; i < by_key.size(); ++i) {
    if (i > 0 && keys[by_key[i]] != keys[by_key[i - 1]]) {
      ++rank;
    }
    ranks[by_key[i]] = rank;
  }
  return ranks;
}

}  // namespace opyard::env
