// The best episodes of a search so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "agents/learned/doppler/episode.h"

namespace opyard::agents::doppler {

// Episodes of least cost that differ in placement or order, the best first.
class Elites {
 public:
  // Keeps at most `most`.
  explicit Elites(std::int64_t most) : most_(static_cast<std::size_t>(most)) {}

  // Takes `episode` in if it is among the best; of equal costs the earlier one is better. Without
  // `orders_count`, episodes with one placement are the same.
  void Add(double cost, const Episode& episode, bool orders_count);
  void Clear();

  [[nodiscard]] const std::vector<Episode>& episodes() const { return episodes_; }

 private:
  std::size_t most_;
  std::vector<double> costs_;  // ascending
  std::vector<Episode> episodes_;
};

}  // namespace opyard::agents::doppler
