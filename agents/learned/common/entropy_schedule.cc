#include "agents/learned/common/entropy_schedule.h"

#include <algorithm>

namespace opyard::agents {

double FallenShare(const EntropySchedule& schedule, const TrainingProgress& progress) {
  double fallen = 0.0;
  if (schedule.num_updates > 0) {
    fallen = static_cast<double>(progress.num_updates) / static_cast<double>(schedule.num_updates);
  } else if (schedule.share > 0.0) {
    fallen = progress.used_share / schedule.share;
  }
  return std::min(fallen, 1.0);
}

double EntropyWeight(const EntropySchedule& schedule, const TrainingProgress& progress) {
  return schedule.weight * (1.0 - FallenShare(schedule, progress));
}

}  // namespace opyard::agents
