// Recombination of placements: the units that several agree on, and the parts in which two differ.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "agents/planning/partitioning/group_graph.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// `placement` with its main devices renamed one to one, so that much of the work is where
// `reference` has it: the pair of names that share most work is matched first. A group that may not
// be on its device's new name stays.
[[nodiscard]] env::GroupPlacement AlignedTo(const env::Problem& problem,
                                            const GroupGraph& graph,
                                            std::span<const DeviceId> reference,
                                            std::span<const DeviceId> placement);

// The units that are left once edges between groups that share a device in each of `placements` are
// contracted, as KaFFPaE's combine operator does with the edges that neither parent cuts (Sanders
// and Schulz, ALENEX 2012, section 4). Units are numbered by their first groups. [num_groups]
[[nodiscard]] std::vector<std::size_t> AgreedUnits(const GroupGraph& graph,
                                                   std::span<const env::GroupPlacement> placements);

// How far a part that is taken over extends from its first group, over groups that differ.
enum class Extent {
  kOnePair,   // those on the same device as the first, which the other has on one device as well
  kAllPairs,  // all that are connected, as in partition crossover (Whitley et al., GECCO 2009)
};

// Gives groups around `seed` the devices that `donor` has them on. Where both have `seed` on one
// device, begins at a random group that they differ in. False if there is none.
[[nodiscard]] bool TakeOver(const GroupGraph& graph,
                            std::span<const DeviceId> donor,
                            std::size_t seed,
                            Extent extent,
                            env::GroupPlacement& placement,
                            Rng& rng);

}  // namespace opyard::agents
