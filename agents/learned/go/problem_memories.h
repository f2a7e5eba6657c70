// The memories of a training over many problems, one for each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/go/learner.h"
#include "agents/learned/go/row_search.h"
#include "agents/learned/go/view.h"

namespace opyard::agents::go {

// By the name of the problem.
class ProblemMemories {
 public:
  explicit ProblemMemories(const EntropyBonus& bonus) : bonus_(bonus) {}

  [[nodiscard]] ProblemMemory& Of(const std::string& problem);
  void Clear() { memories_.clear(); }

  // Adds them to a checkpoint, and takes them out of one, read from `path`, and out of its record.
  // Throws InputError naming all that is missing or damaged.
  void AddTo(Checkpoint& checkpoint) const;
  void TakeFrom(Checkpoint& checkpoint, const std::filesystem::path& path);

 private:
  EntropyBonus bonus_;
  std::map<std::string, ProblemMemory> memories_;
};

// Whether the plans, if there are any, can be those of the resolutions of `view`: after a training
// went on from a file.
[[nodiscard]] bool Fits(const std::vector<RowPlan>& plans, const View& view);

}  // namespace opyard::agents::go
