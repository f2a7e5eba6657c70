#include "sim/io/machine/topology_yaml.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/io/machine/link_fields.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostExtents = 8;
constexpr std::int64_t kMostExtent = 4096;

std::optional<Topology> ReadTopologyWord(YamlReader& reader, const YamlNode& node) {
  const auto word = reader.Choice(node, {kTopologyWords.begin(), kTopologyWords.end()});
  if (!word) {
    return std::nullopt;
  }
  return static_cast<Topology>(std::ranges::find(kTopologyWords, *word) - kTopologyWords.begin());
}

bool HasShape(Topology topology) {
  return topology == Topology::kTorus || topology == Topology::kPcieTree ||
         topology == Topology::kFatTree;
}

// Empty, with problems added, if an extent is bad.
std::vector<std::size_t> ReadShape(YamlReader& reader, const YamlNode& node) {
  const std::vector<YamlNode>* items = reader.Items(node, "extents");
  if (items == nullptr) {
    return {};
  }
  if (items->empty() || items->size() > kMostExtents) {
    reader.Problem(node,
                   "found " + std::to_string(items->size()) + " extents, expected 1 to " +
                       std::to_string(kMostExtents));
    return {};
  }
  std::vector<std::size_t> shape;
  for (const YamlNode& item : *items) {
    const std::optional<std::int64_t> extent = reader.Int(item, 1, kMostExtent);
    if (!extent) {
      return {};
    }
    shape.push_back(static_cast<std::size_t>(*extent));
  }
  return shape;
}

// A map of figures under `key`, if it is there.
std::optional<LinkFigures> ReadNested(YamlMap& map, const std::string& key) {
  const YamlNode* node = map.Optional(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  YamlMap nested(map.reader(), *node, key);
  const std::optional<LinkFigures> figures = ReadLinkFigures(nested);
  nested.Finish();
  return figures;
}

// The fields that only some topologies have.
void ReadOwnFields(YamlMap& map, TopologyEntry& entry) {
  if (HasShape(entry.topology)) {
    if (const YamlNode* shape = map.Required("shape")) {
      entry.shape = ReadShape(map.reader(), *shape);
    }
  }
  if (entry.topology == Topology::kPcieTree || entry.topology == Topology::kFatTree) {
    entry.uplink = ReadNested(map, "uplink");
  }
  if (entry.topology == Topology::kCubeMesh) {
    entry.doubled = ReadNested(map, "doubled");
  }
}

// The product of a shape may not fit its type: extents multiply up to 2^96.
bool IsProductSmall(const std::vector<std::size_t>& shape) {
  constexpr std::size_t kMost = 65'536;
  std::size_t product = 1;
  return std::ranges::all_of(shape, [&](std::size_t extent) {
    product *= extent;
    return product <= kMost;
  });
}

std::string ShapeText(const TopologyEntry& entry) {
  std::string text;
  for (const std::size_t extent : entry.shape) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  }
  return text + (entry.topology == Topology::kPcieTree ? " and the host" : "");
}

// True if there are as many members as places; else adds a problem.
bool FitsShape(YamlReader& reader, const YamlNode& place, const TopologyEntry& entry) {
  const std::string found = "found " + std::to_string(entry.members.size()) + " nodes, expected ";
  if (!IsProductSmall(entry.shape)) {
    reader.Problem(place, found + "fewer than " + ShapeText(entry));
    return false;
  }
  const std::optional<std::size_t> places = NumPlaces(entry);
  if (places && *places != entry.members.size()) {
    reader.Problem(place,
                   found + std::to_string(*places) +
                       (entry.shape.empty() ? " for a cube mesh" : ": " + ShapeText(entry)));
    return false;
  }
  return true;
}

bool HasFewLinks(YamlReader& reader,
                 const YamlNode& place,
                 const TopologyEntry& entry,
                 std::size_t most_links) {
  const std::size_t size = entry.members.size();
  if (entry.topology == Topology::kAllToAll && size * (size - 1) / 2 > most_links) {
    reader.Problem(place, "links between all " + std::to_string(size) + " nodes are too many");
    return false;
  }
  return true;
}

std::vector<std::string> NamesOf(const std::vector<NodeIndex>& members, const MachineNodes& nodes) {
  std::vector<std::string> names;
  names.reserve(members.size());
  for (const NodeIndex member : members) {
    names.push_back(nodes.name(member));
  }
  return names;
}

}  // namespace

std::optional<TopologyEntry> ReadTopology(YamlReader& reader,
                                          const YamlNode& node,
                                          const MachineNodes& nodes,
                                          std::size_t most_links) {
  TopologyEntry entry;
  YamlMap map(reader, node, "link");
  const YamlNode* word = map.Required("topology");
  const YamlNode* name_node = map.Required("name");
  const YamlNode* between = map.Required("between");
  const auto topology = word == nullptr ? std::nullopt : ReadTopologyWord(reader, *word);
  const auto name = name_node == nullptr ? std::nullopt : reader.Name(*name_node);
  const std::optional<LinkFigures> figures = ReadLinkFigures(map);
  const std::optional<Duplex> duplex = ReadDuplex(map);
  if (between != nullptr) {
    entry.members = ReadEnds(reader, *between, nodes);
  }
  if (!topology) {
    return std::nullopt;  // which other keys there may be is not known
  }
  entry.topology = *topology;
  ReadOwnFields(map, entry);
  map.Finish();
  const bool has_shape = !HasShape(*topology) || !entry.shape.empty();
  if (!name || !figures || !duplex || entry.members.size() < 2 || !has_shape ||
      !FitsShape(reader, *between, entry) || !HasFewLinks(reader, *between, entry, most_links)) {
    return std::nullopt;
  }
  entry.name = *name;
  entry.figures = *figures;
  entry.duplex = *duplex;
  entry.member_names = NamesOf(entry.members, nodes);
  entry.first_switch = static_cast<NodeIndex>(nodes.num_nodes());
  return entry;
}

}  // namespace opyard::sim
