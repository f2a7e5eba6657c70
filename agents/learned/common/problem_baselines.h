// The baselines of a training over many problems, one for the plans of each.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/common/reinforce.h"

namespace opyard::agents {

// A baseline for each problem, by name.
class ProblemBaselines {
 public:
  explicit ProblemBaselines(double decay) : decay_(decay) {}

  [[nodiscard]] RewardBaseline& Of(const std::string& problem);
  void Clear() { baselines_.clear(); }

  // Adds them to a checkpoint, and takes them out of one, read from `path`, and out of its record.
  // Throws InputError naming all that is missing or damaged.
  void AddTo(Checkpoint& checkpoint) const;
  void TakeFrom(Checkpoint& checkpoint, const std::filesystem::path& path);

 private:
  double decay_;
  std::map<std::string, RewardBaseline> baselines_;
};

}  // namespace opyard::agents
