// All the decisions that differ from given ones in one.
#pragma once

#include <cstdint>
#include <vector>

#include "agents/planning/encoding/decisions.h"
#include "env/problem.h"

namespace opyard::agents {

// For each group another allowed device, where placement is a task, then another level of
// [0, num_levels), then another fusion priority; groups and choices ascending.
class SingleChanges {
 public:
  // Keeps a reference to `problem`.
  SingleChanges(const env::Problem& problem, std::int64_t num_levels);

  [[nodiscard]] std::size_t size() const { return end_of_fusion_; }
  // `state` with change `index` made. REQUIRES: index < size().
  [[nodiscard]] Decisions Make(const Decisions& state, std::size_t index) const;

 private:
  const env::Problem& problem_;
  std::int64_t num_levels_;
  std::vector<std::size_t> end_of_group_;  // device changes up to and with group g
  std::size_t end_of_devices_ = 0;
  std::size_t end_of_levels_ = 0;
  std::size_t end_of_fusion_ = 0;
};

}  // namespace opyard::agents
