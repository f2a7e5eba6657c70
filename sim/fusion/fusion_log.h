// The decisions of a fuser, from which those on a similar placement follow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/fusion/fusion_graph.h"

namespace opyard::sim {

// Plain data. Ops go by their topological index. Ranges of visit i end where those of visit i + 1
// begin.
struct FusionLog {
  std::vector<std::int32_t> visits;          // ops in the order in which they absorb
  std::vector<std::int32_t> first_absorbed;  // [num_visits + 1]
  std::vector<std::int32_t> absorbed;        // the consumers whose clusters were merged, in order
  // An op of each cluster on the paths because of which merges were refused in a visit.
  std::vector<std::int32_t> first_witness;  // [num_visits + 1]
  std::vector<std::int32_t> witnesses;

  [[nodiscard]] std::span<const std::int32_t> absorbed_in(std::size_t visit) const {
    return Subrange(absorbed, first_absorbed[visit], first_absorbed[visit + 1]);
  }
  [[nodiscard]] std::span<const std::int32_t> witnesses_of(std::size_t visit) const {
    return Subrange(witnesses, first_witness[visit], first_witness[visit + 1]);
  }

  // Forgets all but the visits.
  void Clear() {
    first_absorbed.clear();
    absorbed.clear();
    first_witness.clear();
    witnesses.clear();
  }
  void BeginVisit() {
    first_absorbed.push_back(Size32(absorbed.size()));
    first_witness.push_back(Size32(witnesses.size()));
  }
};

}  // namespace opyard::sim
