// Turns whole numbers, as agents and gym environments choose them, into plans and back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::env {

// An action is one number per decision: the device of each group (if placement is a task), then the
// priority levels (if scheduling is), then the fusion levels (if fusion is). Levels are
// 0 … num_levels − 1; fusion level 0 declines.
class ActionCodec {
 public:
  static constexpr std::int32_t kDefaultLevels = 20;

  explicit ActionCodec(std::shared_ptr<const Problem> problem,
                       std::int32_t num_levels = kDefaultLevels);

  // The number of choices of each decision: num_devices or num_levels.
  [[nodiscard]] std::span<const std::int32_t> num_choices() const { return num_choices_; }
  [[nodiscard]] std::size_t num_decisions() const { return num_choices_.size(); }
  // Which choices are legal, decisions one after the other: [sum(num_choices)].
  [[nodiscard]] const std::vector<std::uint8_t>& mask() const { return mask_; }
  [[nodiscard]] bool IsLegal(std::span<const std::int32_t> action) const;

  // The plan of a legal action: what is not a task is as in DefaultPlan. Throws PlanError naming
  // the first offence otherwise.
  [[nodiscard]] sim::Plan Decode(std::span<const std::int32_t> action) const;

  [[nodiscard]] const Problem& problem() const { return *problem_; }

 private:
  // The first decision whose choice is out of range or masked. REQUIRES: one choice per decision.
  [[nodiscard]] std::optional<std::size_t> FindIllegal(std::span<const std::int32_t> action) const;

  std::shared_ptr<const Problem> problem_;
  std::int32_t num_levels_;
  std::vector<std::int32_t> num_choices_;
  std::vector<std::uint8_t> mask_;
};

// The problem's default placement, queue and fusion; no priorities.
[[nodiscard]] sim::Plan DefaultPlan(const Problem& problem);

// The same with one device per group.
[[nodiscard]] sim::Plan PlanFromGroups(const Problem& problem,
                                       std::span<const DeviceId> device_of_group);

// Gives `plan` one priority per op and the priority queue.
void SetPriorities(sim::Plan& plan, std::vector<std::int64_t> op_priority);

// Gives `plan` the fusion priority of its group for each op. REQUIRES: one level per group.
void SetFusionLevels(const Problem& problem,
                     std::span<const std::int32_t> level_of_group,
                     sim::Plan& plan);

// Whole-number priorities in the order of real-valued keys: equal keys get equal ranks, the
// greatest key the highest rank. O(n log n).
[[nodiscard]] std::vector<std::int64_t> RanksOf(std::span<const double> keys);

}  // namespace opyard::env
