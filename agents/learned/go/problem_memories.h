// What a training over many problems remembers of each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "agents/learned/common/checkpoint.h"
#include "agents/learned/go/learner.h"
#include "agents/learned/go/view.h"

namespace opyard::agents {

// The best plans of each problem and its weights of entropies, by its name; no tables, which would
// know what the network is to find out.
class ProblemMemories {
 public:
  explicit ProblemMemories(const GoOptions& options) : options_(options) {}

  [[nodiscard]] GoMemory& Of(const std::string& problem);
  void Clear() { memories_.clear(); }

  // Adds them to a checkpoint, and takes them out of one, read from `path`, and out of its record.
  // Throws InputError naming all that is missing or damaged.
  void AddTo(Checkpoint& checkpoint) const;
  void TakeFrom(Checkpoint& checkpoint, const std::filesystem::path& path);

 private:
  GoOptions options_;
  std::map<std::string, GoMemory> memories_;
};

// Whether the best plans, if there are any, can be plans of `view`: after a training went on from a
// file.
[[nodiscard]] bool Fits(const Elites& elites, const GoView& view, std::int64_t num_levels);

}  // namespace opyard::agents
