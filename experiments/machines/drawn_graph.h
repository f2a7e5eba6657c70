// A machine as the graph that is drawn, and its parts that are drawn apart.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/hardware/hardware_profile.h"

namespace opyard::experiments {

using NodeList = std::vector<std::size_t>;

// Nodes are devices, switches and buses (links of more than two nodes), in this order.
struct DrawnGraph {
  std::size_t num_devices = 0;
  std::vector<NodeList> neighbours;
  std::vector<bool> is_accelerator;  // any device, on a machine of hosts alone
  // The device beside which a switch is drawn: the only device that it is linked to, if that has no
  // other link, as routers of a torus.
  std::vector<std::optional<std::size_t>> router_of;
  std::vector<std::string> names;
};
[[nodiscard]] DrawnGraph DrawnGraphOf(const sim::HardwareProfile& machine);

// A part of the machine that is laid out alone: all of it, or the nodes whose names begin alike.
struct LayoutBlock {
  std::string title;  // "" for what stands in no frame
  NodeList nodes;
};
struct LayoutBlocks {
  std::vector<LayoutBlock> blocks;  // in the order of their first devices
  NodeList outer;                   // switches and buses between them
};
[[nodiscard]] LayoutBlocks BlocksOf(const DrawnGraph& graph);

// The distance from any of `from` to the nodes of `within`, through these only: kUnreached without
// a way, -1 for all other nodes.
inline constexpr int kUnreached = std::numeric_limits<int>::max();
[[nodiscard]] std::vector<int> LevelsFrom(const DrawnGraph& graph,
                                          const NodeList& from,
                                          const NodeList& within);

}  // namespace opyard::experiments
