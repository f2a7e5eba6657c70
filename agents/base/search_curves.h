// The two curves of a search: improvements of its best plan, and updates of its policy.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/base/units.h"

namespace opyard::agents {

// One improvement of the best plan.
struct HistoryRow {
  std::int64_t evaluations = 0;  // by then
  double seconds = 0.0;          // of the search, by then
  double score = 0.0;
  SimTime makespan;
  friend bool operator==(const HistoryRow&, const HistoryRow&) = default;
};

// One update of an agent that learns, as it reported it (training_point.h).
struct TrainingRow {
  std::int64_t num_updates = 0;
  std::int64_t evaluations = 0;          // by then
  double seconds = 0.0;                  // of the search, by then
  std::map<std::string, double> values;  // finite ones only
  friend bool operator==(const TrainingRow&, const TrainingRow&) = default;
};

}  // namespace opyard::agents
