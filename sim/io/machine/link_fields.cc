#include "sim/io/machine/link_fields.h"

#include <set>
#include <string>

#include "sim/io/machine/yaml_fields.h"
#include "sim/io/text/utf8.h"

namespace opyard::sim {

std::vector<NodeIndex> ReadEnds(YamlReader& reader,
                                const YamlNode& list,
                                const MachineNodes& nodes) {
  const std::vector<YamlNode>* items = reader.Items(list, "nodes that the link connects");
  if (items == nullptr) {
    return {};
  }
  std::vector<NodeIndex> ends;
  std::set<NodeIndex> seen;
  bool is_complete = true;
  for (const YamlNode& item : *items) {
    const std::vector<NodeIndex> found = nodes.FindAll(reader, item);
    is_complete = is_complete && !found.empty();
    for (const NodeIndex node : found) {
      if (!seen.insert(node).second) {
        reader.Problem(item, "\"" + ShownText(nodes.name(node)) + "\" stands twice in this link");
        return ends;
      }
      ends.push_back(node);
    }
  }
  if (is_complete && ends.size() < 2) {
    reader.Problem(list, "found fewer than two nodes, expected what the link connects");
  }
  return ends;
}

std::optional<LinkFigures> ReadLinkFigures(YamlMap& map) {
  YamlReader& reader = map.reader();
  LinkFigures figures;
  std::optional<double> bandwidth;
  if (const YamlNode* rate = map.Required("bandwidth")) {
    bandwidth = ReadPositiveRate(reader, *rate, reader.BytesPerSecond(*rate), "bandwidth");
  }
  if (const YamlNode* latency = map.Optional("latency")) {
    Assign(reader.Time(*latency), figures.latency);
  }
  if (!bandwidth) {
    return std::nullopt;
  }
  figures.bandwidth_bytes_per_s = *bandwidth;
  return figures;
}

std::optional<Duplex> ReadDuplex(YamlMap& map) {
  const YamlNode* node = map.Optional("duplex");
  if (node == nullptr) {
    return Duplex::kFull;
  }
  const std::optional<std::string> word = map.reader().Choice(*node, {"full", "half"});
  if (!word) {
    return std::nullopt;
  }
  return *word == "half" ? Duplex::kHalf : Duplex::kFull;
}

}  // namespace opyard::sim
