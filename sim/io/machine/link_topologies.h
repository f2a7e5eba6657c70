// The links and switches that a shorthand in `links:` stands for (docs/formats.md, "Topologies").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/hardware/link.h"

namespace opyard::sim {

// In the order of kTopologyWords.
enum class Topology : std::uint8_t {
  kAllToAll,  // a link between every two members
  kRing,      // a link between each member and the next, and from the last to the first
  kSwitch,    // a switch, and a link to it from each member
  kCubeMesh,  // the hybrid cube mesh of the DGX-1 with eight members
  kTorus,     // a router beside each member, linked to its neighbours along each axis
  kPcieTree,  // levels of switches below the first member, the host
  kFatTree,   // levels of switches, as wide upwards as downwards
};
inline constexpr auto kTopologyWords = std::to_array<std::string_view>(
    {"all-to-all", "ring", "switch", "cube-mesh", "torus", "pcie-tree", "fat-tree"});

struct LinkFigures {
  double bandwidth_bytes_per_s = 0.0;
  SimTime latency;
};

// One shorthand. REQUIRES: as many members as its topology and shape have places for (NumPlaces).
struct TopologyEntry {
  std::string name;
  Topology topology = Topology::kAllToAll;
  std::vector<NodeIndex> members;
  std::vector<std::string> member_names;  // of `members`
  std::vector<std::size_t> shape;      // extents of a torus; fan-outs of a tree, from its top down
  LinkFigures figures;                 // of each link
  std::optional<LinkFigures> uplink;   // trees: of the links between switches, and to the host
  std::optional<LinkFigures> doubled;  // cube mesh: of the pairs that have two links
  Duplex duplex = Duplex::kFull;
  NodeIndex first_switch = 0;  // the index of the first switch that it adds
};

// What a shorthand adds to a machine. Switches and links are called after the entry:
// "NAME.MEMBER", "NAME.MEMBER-MEMBER", "NAME.0.1" for the second switch below the first of a tree;
// the one switch of `switch` and the top of a tree are "NAME" itself.
struct TopologyParts {
  std::vector<std::string> switches;
  std::vector<Link> links;
};
[[nodiscard]] TopologyParts ExpandTopology(const TopologyEntry& entry);

// The members that `entry` needs: the product of its shape, and the host of a tree; eight for a
// cube mesh. Nothing if any number from two on will do.
[[nodiscard]] std::optional<std::size_t> NumPlaces(const TopologyEntry& entry);

}  // namespace opyard::sim
