// The cheapest ways from one device to all other nodes of a machine.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/ids.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// The links at each node of a machine, and what each costs; shared by the searches from all
// devices. Looks at the profile, which must outlive it.
class LinkGraph {
 public:
  explicit LinkGraph(const HardwareProfile& profile);

  // How a node was reached: over `link` from `from`; both -1 where it was not, and for the start.
  struct Step {
    NodeIndex from = -1;
    std::int32_t link = -1;
  };

  // The last step of the cheapest path from `src` to each node, through switches only. A path costs
  // Σ (latency + 1 MiB / bandwidth) in whole picoseconds; ties go to fewer hops, then to the
  // lexicographically first sequence of link indices. Dijkstra: O(endpoints of links · log).
  [[nodiscard]] std::vector<Step> PathsFrom(DeviceId src) const;

  [[nodiscard]] std::size_t num_nodes() const { return links_of_.size(); }
  [[nodiscard]] std::size_t num_links() const { return weights_.size(); }
  [[nodiscard]] bool is_device(NodeIndex node) const {
    return static_cast<std::size_t>(node) < profile_->devices.size();
  }
  [[nodiscard]] const std::vector<std::int32_t>& links_of(NodeIndex node) const {
    return links_of_[static_cast<std::size_t>(node)];
  }
  [[nodiscard]] std::int64_t weight(std::int32_t link) const {
    return weights_[static_cast<std::size_t>(link)];
  }
  [[nodiscard]] const std::vector<NodeIndex>& nodes_of(std::int32_t link) const {
    return profile_->links[static_cast<std::size_t>(link)].between;
  }

 private:
  const HardwareProfile* profile_;
  std::vector<std::int64_t> weights_;                // of link i, in picoseconds
  std::vector<std::vector<std::int32_t>> links_of_;  // [num_nodes]
};

}  // namespace opyard::sim
