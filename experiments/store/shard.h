// A piece of a matrix of runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/store/run_record.h"

namespace opyard::experiments {

// Piece `index` of `count`; 1 of 1 is the whole.
struct Shard {
  std::int64_t index = 1;
  std::int64_t count = 1;
  [[nodiscard]] bool is_whole() const { return count == 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

inline constexpr std::int64_t kMostShards = 10'000;

// Reads "2/4". Throws InputError, which begins with `place`, unless both are whole numbers and
// 1 <= index <= count <= kMostShards.
[[nodiscard]] Shard ReadShard(const std::string& text, const std::string& place);

// "2/4"; "" for the whole.
[[nodiscard]] std::string TextOf(const Shard& shard);

// The piece of `cells`, in their order. Pieces are disjoint, are `cells` together, and differ by
// one cell at most; so do their shares of each agent: the cells are dealt in turn, agent by agent.
[[nodiscard]] std::vector<CellKey> PieceOf(const std::vector<CellKey>& cells, const Shard& shard);

}  // namespace opyard::experiments
