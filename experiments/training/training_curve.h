// The training curve of a training, as a table that grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "agents/base/training_point.h"

namespace opyard::experiments {

// One row per update, one column per figure: "update", then the names of the values in order. Kept
// whole, so that a training that goes on from an earlier update drops the rows after it.
class TrainingCurve {
 public:
  // The curve in `path` up to update `last`; empty if there is no such file. Throws InputError if
  // it is no such table.
  [[nodiscard]] static TrainingCurve Read(const std::filesystem::path& path, std::int64_t last);

  // REQUIRES: the update follows those before.
  void Add(const agents::TrainingPoint& point);
  void Write(const std::filesystem::path& path) const;

  [[nodiscard]] const std::vector<agents::TrainingPoint>& points() const { return points_; }

 private:
  std::vector<agents::TrainingPoint> points_;
};

}  // namespace opyard::experiments
