// Several partitions by METIS, and the placements that they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "agents/base/option_table.h"
#include "agents/planning/partitioning/group_graph.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

struct MetisTries {
  std::int64_t tries = 16;
  double imbalance = 0.03;
  bool balances_memory = false;  // with the same imbalance as the work
  // Parts may hold this share of their device's memory (GroupMemory), in proportion to the devices'
  // capacities; no less than the imbalance allows. Goes before balances_memory.
  std::optional<double> memory_share = std::nullopt;
};

// The options `tries` and `imbalance`.
[[nodiscard]] OptionTable<MetisTries> MetisTriesOptions();

// Placements by partitions of the group graph (group_graph.h) by PartitionGroups, with shares of
// the work by device speed; part k goes to device k (PlacementOfParts). They take turns among
// DeviceSets (simple_plans.h), all main devices first. The first on each set has METIS's seed 0 and
// the imbalance of `settings`. The others differ by seed, imbalance (10 %, 30 %, 3 %, 1 % in turn)
// and, if the devices are alike, a random assignment of parts to devices. Where placement is no
// task: the empty placement, which stands for the default. Keeps a reference to `problem`.
class MetisPlacements {
 public:
  MetisPlacements(const env::Problem& problem, const MetisTries& settings);
  ~MetisPlacements();

  // [num_groups]
  [[nodiscard]] env::GroupPlacement Next(Rng& rng);

 private:
  class Parts;

  const env::Problem& problem_;
  GroupGraph graph_;
  std::vector<Parts> sets_;
  std::size_t next_ = 0;  // of sets_
};

// The first `settings.tries` of MetisPlacements; where placement is no task, one.
[[nodiscard]] std::vector<env::GroupPlacement> PlacementsByMetis(const env::Problem& problem,
                                                                 const MetisTries& settings,
                                                                 Rng& rng);

// As many tries as a search with so many evaluations does well to choose its start among: one for
// every 40 of them. No fewer than `least`, and beyond those no more than 1,000 or 65,536 / groups.
[[nodiscard]] std::int64_t AffordableTries(const env::Problem& problem,
                                           std::int64_t evaluations,
                                           std::int64_t least);

}  // namespace opyard::agents
