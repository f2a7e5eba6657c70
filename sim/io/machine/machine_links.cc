#include "sim/io/machine/machine_links.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/hardware/routes.h"
#include "sim/io/machine/yaml_fields.h"
#include "sim/io/text/utf8.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostLinks = 16'384;
constexpr std::size_t kMostEndpoints = 262'144;

void WarnAboutLink(YamlReader& reader, const YamlNode& node, const Link& link) {
  if (link.latency > SimTime::FromSeconds(1e-3)) {
    reader.Warn(node, "the latency of link \"" + link.name + "\" is implausible (above 1 ms)");
  }
  if (link.bandwidth_bytes_per_s < 1e6 || link.bandwidth_bytes_per_s > 1e13) {
    reader.Warn(
        node,
        "the bandwidth of link \"" + link.name + "\" is implausible (outside 1 MB/s to 10 TB/s)");
  }
}

std::vector<NodeIndex> ReadBetween(YamlReader& reader,
                                   const YamlNode& node,
                                   const MachineNodes& nodes) {
  const std::vector<YamlNode>* items = reader.Items(node, "nodes that the link connects");
  if (items == nullptr) {
    return {};
  }
  std::vector<NodeIndex> between;
  std::set<NodeIndex> seen;
  for (const YamlNode& item : *items) {
    const std::optional<NodeIndex> found = nodes.Find(reader, item);
    if (found && !seen.insert(*found).second) {
      reader.Problem(item, Describe(item) + " stands twice in this link");
    } else if (found) {
      between.push_back(*found);
    }
  }
  if (items->size() < 2) {
    reader.Problem(node, "found fewer than two nodes, expected what the link connects");
  }
  return between;
}

void ReadDuplex(YamlReader& reader, const YamlNode* node, const YamlNode& between, Link& link) {
  if (node != nullptr) {
    const std::optional<std::string> word = reader.Choice(*node, {"full", "half"});
    link.duplex = word == "half" ? Duplex::kHalf : Duplex::kFull;
    if (!word) {
      return;
    }
  }
  if (between.items.size() > 2 && link.duplex == Duplex::kFull) {
    reader.Problem(between, "a link of more than two nodes is a bus, expected `duplex: half`");
  }
}

Link ReadLink(YamlReader& reader, const YamlNode& node, const MachineNodes& nodes) {
  Link link;
  YamlMap map(reader, node, "link");
  if (const YamlNode* name = map.Required("name")) {
    link.name = reader.Name(*name).value_or("");
  }
  const YamlNode* between = map.Required("between");
  const YamlNode* duplex = map.Optional("duplex");
  if (between != nullptr) {
    link.between = ReadBetween(reader, *between, nodes);
    ReadDuplex(reader, duplex, *between, link);
  }
  std::optional<double> bandwidth;
  if (const YamlNode* rate = map.Required("bandwidth")) {
    bandwidth = ReadPositiveRate(reader, *rate, reader.BytesPerSecond(*rate), "bandwidth");
  }
  if (const YamlNode* latency = map.Optional("latency")) {
    Assign(reader.Time(*latency), link.latency);
  }
  map.Finish();
  if (bandwidth) {
    link.bandwidth_bytes_per_s = *bandwidth;
    WarnAboutLink(reader, node, link);
  }
  return link;
}

std::vector<std::int32_t> ReadVia(YamlReader& reader,
                                  const YamlNode& node,
                                  const HardwareProfile& machine) {
  std::vector<std::int32_t> links;
  const std::vector<YamlNode>* items = reader.Items(node, "links");
  if (items == nullptr) {
    return links;
  }
  for (const YamlNode& item : *items) {
    const auto found = std::ranges::find(machine.links, item.text, &Link::name);
    const auto index = static_cast<std::int32_t>(found - machine.links.begin());
    if (item.kind != YamlNode::Kind::kScalar || found == machine.links.end()) {
      std::vector<std::string> names;
      std::ranges::transform(machine.links, std::back_inserter(names), &Link::name);
      reader.Problem(
          item, "found " + Describe(item) + ", expected a link" + DidYouMean(item.text, names));
    } else if (std::ranges::find(links, index) != links.end()) {
      reader.Problem(item, "the route uses link " + Describe(item) + " twice");
    } else {
      links.push_back(index);
    }
  }
  return links;
}

// Nothing, with errors added, if the route is not complete.
std::optional<ExplicitRoute> ReadRoute(YamlReader& reader,
                                       const YamlNode& node,
                                       const MachineNodes& nodes,
                                       const HardwareProfile& machine) {
  YamlMap map(reader, node, "route");
  const YamlNode* from_node = map.Required("from");
  const YamlNode* to_node = map.Required("to");
  const YamlNode* via = map.Required("via");
  const YamlNode* latency = map.Optional("latency");
  map.Finish();
  ExplicitRoute route;
  if (latency != nullptr) {
    route.latency = reader.Time(*latency);
  }
  const auto from = from_node == nullptr ? std::nullopt : nodes.FindDevice(reader, *from_node);
  const auto to = to_node == nullptr ? std::nullopt : nodes.FindDevice(reader, *to_node);
  if (via != nullptr) {
    route.links = ReadVia(reader, *via, machine);
  }
  if (!from || !to || via == nullptr) {
    return std::nullopt;
  }
  route.from = *from;
  route.to = *to;
  return route;
}

std::string PairName(const HardwareProfile& machine, DeviceId from, DeviceId to) {
  return machine.devices[from.index()].name + " to " + machine.devices[to.index()].name;
}

// Adds a problem that names the first pairs without a route.
void ReportUnreachable(YamlReader& reader,
                       const YamlNode& place,
                       const HardwareProfile& machine,
                       const RouteTable& routes) {
  constexpr std::size_t kMostShown = 3;
  std::vector<std::string> pairs;
  std::size_t count = 0;
  for (std::size_t i = 0; i < machine.num_devices(); ++i) {
    for (std::size_t j = 0; j < machine.num_devices(); ++j) {
      if (i != j && routes.Find(DeviceId(i), DeviceId(j)) == nullptr && ++count <= kMostShown) {
        pairs.push_back(PairName(machine, DeviceId(i), DeviceId(j)));
      }
    }
  }
  if (count > 0) {
    reader.Problem(place,
                   "no route from " + JoinNames(pairs) + (count > kMostShown ? " and others" : "") +
                       ", expected links and switches between all devices (devices never forward)");
  }
}

}  // namespace

void ReadLinks(YamlReader& reader,
               const YamlNode& node,
               const MachineNodes& nodes,
               HardwareProfile& machine) {
  const std::vector<YamlNode>* items = reader.Items(node, "links");
  if (items == nullptr) {
    return;
  }
  if (items->size() > kMostLinks) {
    reader.Problem(node, "the machine has more than " + std::to_string(kMostLinks) + " links");
    return;
  }
  std::set<std::string> names;
  std::size_t endpoints = 0;
  for (const YamlNode& item : *items) {
    machine.links.push_back(ReadLink(reader, item, nodes));
    const Link& link = machine.links.back();
    endpoints += link.between.size();
    if (!link.name.empty() && !names.insert(link.name).second) {
      reader.Problem(item, "two links are called \"" + ShownText(link.name) + "\"");
    }
  }
  if (endpoints > kMostEndpoints) {
    reader.Problem(node, "the links have more than " + std::to_string(kMostEndpoints) + " ends");
  }
}

void ReadRoutes(YamlReader& reader,
                const YamlNode& node,
                const MachineNodes& nodes,
                HardwareProfile& machine) {
  const std::vector<YamlNode>* items = reader.Items(node, "routes");
  if (items == nullptr) {
    return;
  }
  const bool is_sound = !reader.has_errors();
  std::set<std::pair<DeviceId, DeviceId>> seen;
  for (const YamlNode& item : *items) {
    std::optional<ExplicitRoute> route = ReadRoute(reader, item, nodes, machine);
    if (!route) {
      continue;
    }
    const std::string pair = PairName(machine, route->from, route->to);
    if (!seen.emplace(route->from, route->to).second) {
      reader.Problem(item, "two routes lead from " + pair);
    } else if (is_sound && (route->from == route->to || !FollowLinks(machine, *route))) {
      reader.Problem(item, "these links do not lead from " + pair + " (devices never forward)");
    }
    machine.routes.push_back(*std::move(route));
  }
}

void CheckReachable(YamlReader& reader, const YamlNode& place, const HardwareProfile& machine) {
  if (machine.rules == Rules::kRegal || reader.has_errors()) {
    return;
  }
  try {
    ReportUnreachable(reader, place, machine, RouteTable(machine));
  } catch (const InputError& error) {
    reader.Problem(place, error.what());
  }
}

}  // namespace opyard::sim
