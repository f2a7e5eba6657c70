#include "sim/io/machine/link_topologies.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace opyard::sim {
namespace {

// Two members of a cube mesh, and whether the DGX-1 with V100 links them twice.
struct CubeMeshPair {
  std::size_t first = 0;
  std::size_t second = 0;
  bool is_doubled = false;
};

// The pairs as `nvidia-smi topo -m` prints them on a DGX-1: two quads, each complete, and a link
// between the two of each number.
constexpr auto kCubeMeshPairs = std::to_array<CubeMeshPair>({{0, 1, false},
                                                             {0, 2, false},
                                                             {0, 3, true},
                                                             {0, 4, true},
                                                             {1, 2, true},
                                                             {1, 3, false},
                                                             {1, 5, true},
                                                             {2, 3, true},
                                                             {2, 6, false},
                                                             {3, 7, false},
                                                             {4, 5, false},
                                                             {4, 6, false},
                                                             {4, 7, true},
                                                             {5, 6, true},
                                                             {5, 7, false},
                                                             {6, 7, true}});

// Collects the switches and links of one entry.
class TopologyBuilder {
 public:
  explicit TopologyBuilder(const TopologyEntry& entry) : entry_(entry) {}

  NodeIndex AddSwitch(std::string name) {
    parts_.switches.push_back(std::move(name));
    return entry_.first_switch + static_cast<NodeIndex>(parts_.switches.size()) - 1;
  }

  void AddLink(std::string name, NodeIndex from, NodeIndex to, const LinkFigures& figures) {
    parts_.links.push_back({.name = std::move(name),
                            .between = {from, to},
                            .bandwidth_bytes_per_s = figures.bandwidth_bytes_per_s,
                            .latency = figures.latency,
                            .duplex = entry_.duplex});
  }

  // Between members i and j.
  void AddPair(std::size_t i, std::size_t j, const LinkFigures& figures) {
    AddLink(Named(i) + "-" + entry_.member_names[j], entry_.members[i], entry_.members[j], figures);
  }

  // "NAME.MEMBER" of member i.
  [[nodiscard]] std::string Named(std::size_t i) const {
    return entry_.name + "." + entry_.member_names[i];
  }

  [[nodiscard]] const TopologyEntry& entry() const { return entry_; }
  [[nodiscard]] TopologyParts Finish() { return std::move(parts_); }

 private:
  const TopologyEntry& entry_;
  TopologyParts parts_;
};

void AddAllPairs(TopologyBuilder& builder) {
  const TopologyEntry& entry = builder.entry();
  for (std::size_t i = 0; i < entry.members.size(); ++i) {
    for (std::size_t j = i + 1; j < entry.members.size(); ++j) {
      builder.AddPair(i, j, entry.figures);
    }
  }
}

void AddRing(TopologyBuilder& builder) {
  const TopologyEntry& entry = builder.entry();
  const std::size_t size = entry.members.size();
  for (std::size_t i = 0; i + 1 < size; ++i) {
    builder.AddPair(i, i + 1, entry.figures);
  }
  if (size > 2) {
    builder.AddPair(size - 1, 0, entry.figures);
  }
}

void AddStar(TopologyBuilder& builder) {
  const TopologyEntry& entry = builder.entry();
  const NodeIndex hub = builder.AddSwitch(entry.name);
  for (std::size_t i = 0; i < entry.members.size(); ++i) {
    builder.AddLink(builder.Named(i), entry.members[i], hub, entry.figures);
  }
}

void AddCubeMesh(TopologyBuilder& builder) {
  const TopologyEntry& entry = builder.entry();
  for (const CubeMeshPair& pair : kCubeMeshPairs) {
    builder.AddPair(pair.first,
                    pair.second,
                    pair.is_doubled ? entry.doubled.value_or(entry.figures) : entry.figures);
  }
}

// The links of each router of a torus: two along each axis, one along an axis of two.
double LinksOfRouter(const std::vector<std::size_t>& shape) {
  return std::transform_reduce(
      shape.begin(), shape.end(), 0.0, std::plus<>(), [](std::size_t extent) {
        return extent > 2 ? 2.0 : static_cast<double>(extent - 1);
      });
}

// Links each router to the next along the axis whose neighbours are `stride` members apart.
void AddAxis(TopologyBuilder& builder, std::size_t extent, std::size_t stride) {
  const TopologyEntry& entry = builder.entry();
  for (std::size_t i = 0; i < entry.members.size(); ++i) {
    const std::size_t at = i / stride % extent;
    const bool is_last = at + 1 == extent;
    if (extent == 1 || (is_last && extent == 2)) {
      continue;
    }
    const std::size_t next = is_last ? i - at * stride : i + stride;
    builder.AddLink(builder.Named(i) + "-" + entry.member_names[next],
                    entry.first_switch + static_cast<NodeIndex>(i),
                    entry.first_switch + static_cast<NodeIndex>(next),
                    entry.figures);
  }
}

// Members stand in row-major order: the last axis runs fastest.
void AddTorus(TopologyBuilder& builder) {
  const TopologyEntry& entry = builder.entry();
  const LinkFigures inside{.bandwidth_bytes_per_s = entry.figures.bandwidth_bytes_per_s *
                                                    std::max(1.0, LinksOfRouter(entry.shape))};
  for (std::size_t i = 0; i < entry.members.size(); ++i) {
    const NodeIndex router = builder.AddSwitch(builder.Named(i));
    builder.AddLink(builder.Named(i), entry.members[i], router, inside);
  }
  std::size_t stride = entry.members.size();
  for (const std::size_t extent : entry.shape) {
    stride /= extent;
    AddAxis(builder, extent, stride);
  }
}

// A switch of a tree, the level of its children, and the members below it: [begin, end).
struct TreeSwitch {
  std::string name;
  NodeIndex node = 0;
  std::size_t level = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

LinkFigures UplinkFigures(const TopologyEntry& entry, std::size_t num_members) {
  const bool is_fat = entry.topology == Topology::kFatTree;
  const LinkFigures otherwise{
      .bandwidth_bytes_per_s =
          entry.figures.bandwidth_bytes_per_s * (is_fat ? static_cast<double>(num_members) : 1.0),
      .latency = entry.figures.latency};
  return entry.uplink.value_or(otherwise);
}

// Links the members below `parent`, or adds the switches there and what is below them.
void AddBelow(TopologyBuilder& builder, const TreeSwitch& parent) {
  const TopologyEntry& entry = builder.entry();
  const std::size_t fan_out = entry.shape[parent.level];
  const std::size_t share = (parent.end - parent.begin) / fan_out;
  for (std::size_t i = 0; i < fan_out; ++i) {
    const std::size_t begin = parent.begin + i * share;
    if (parent.level + 1 == entry.shape.size()) {
      builder.AddLink(builder.Named(begin), entry.members[begin], parent.node, entry.figures);
      continue;
    }
    TreeSwitch child{.name = parent.name + "." + std::to_string(i),
                     .level = parent.level + 1,
                     .begin = begin,
                     .end = begin + share};
    child.node = builder.AddSwitch(child.name);
    builder.AddLink(child.name, child.node, parent.node, UplinkFigures(entry, share));
    AddBelow(builder, child);
  }
}

// The members from `first` on are the leaves.
void AddTree(TopologyBuilder& builder, std::size_t first) {
  const TopologyEntry& entry = builder.entry();
  const TreeSwitch top{.name = entry.name,
                       .node = builder.AddSwitch(entry.name),
                       .begin = first,
                       .end = entry.members.size()};
  if (first > 0) {
    builder.AddLink(builder.Named(0), top.node, entry.members[0], UplinkFigures(entry, 1));
  }
  AddBelow(builder, top);
}

}  // namespace

TopologyParts ExpandTopology(const TopologyEntry& entry) {
  TopologyBuilder builder(entry);
  switch (entry.topology) {
    case Topology::kAllToAll:
      AddAllPairs(builder);
      break;
    case Topology::kRing:
      AddRing(builder);
      break;
    case Topology::kSwitch:
      AddStar(builder);
      break;
    case Topology::kCubeMesh:
      AddCubeMesh(builder);
      break;
    case Topology::kTorus:
      AddTorus(builder);
      break;
    case Topology::kPcieTree:
      AddTree(builder, 1);
      break;
    case Topology::kFatTree:
      AddTree(builder, 0);
      break;
  }
  return builder.Finish();
}

std::optional<std::size_t> NumPlaces(const TopologyEntry& entry) {
  if (entry.topology == Topology::kCubeMesh) {
    return 8;
  }
  if (entry.shape.empty()) {
    return std::nullopt;
  }
  const std::size_t product =
      std::accumulate(entry.shape.begin(), entry.shape.end(), std::size_t{1}, std::multiplies<>());
  return product + (entry.topology == Topology::kPcieTree ? 1 : 0);
}

}  // namespace opyard::sim
