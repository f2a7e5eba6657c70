#include "sim/io/machine/machine_links.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sim/hardware/routes.h"
#include "sim/io/machine/link_fields.h"
#include "sim/io/machine/link_topologies.h"
#include "sim/io/machine/topology_yaml.h"
#include "sim/io/text/utf8.h"

namespace opyard::sim {
namespace {

constexpr std::size_t kMostLinks = 16'384;
constexpr std::size_t kMostEndpoints = 262'144;
constexpr std::size_t kLongestLinkName = 128;

// The device at an end of `link` whose memory has less than half of its bandwidth, or null: bytes
// for bits are a factor of 8.
const Device* FindSlowerMemory(const Link& link, const HardwareProfile& machine) {
  for (const NodeIndex end : link.between) {
    const auto index = static_cast<std::size_t>(end);
    if (index < machine.devices.size() &&
        link.bandwidth_bytes_per_s > 2.0 * machine.devices[index].memory_bandwidth_bytes_per_s) {
      return &machine.devices[index];
    }
  }
  return nullptr;
}

// Why the bandwidth of `link` is implausible; "" if it is not.
std::string BandwidthOddity(const Link& link, const HardwareProfile& machine) {
  if (link.bandwidth_bytes_per_s < 1e6 || link.bandwidth_bytes_per_s > 1e13) {
    return "outside 1 MB/s to 10 TB/s";
  }
  const Device* device = FindSlowerMemory(link, machine);
  return device == nullptr ? ""
                           : "above twice that of the memory of \"" + ShownText(device->name) +
                                 "\"; Gb/s is bits, GB/s bytes";
}

// True if it warns.
bool WarnAboutLink(YamlReader& reader,
                   const YamlNode& node,
                   const Link& link,
                   const HardwareProfile& machine) {
  const std::string of_link = " of link \"" + ShownText(link.name) + "\" is implausible (";
  const bool is_slow = link.latency > SimTime::FromSeconds(1e-3);
  if (is_slow) {
    reader.Warn(node, "the latency" + of_link + "above 1 ms)");
  }
  const std::string oddity = BandwidthOddity(link, machine);
  if (!oddity.empty()) {
    reader.Warn(node, "the bandwidth" + of_link + oddity + ")");
  }
  return is_slow || !oddity.empty();
}

Link ReadLink(YamlReader& reader, const YamlNode& node, const MachineNodes& nodes) {
  Link link;
  YamlMap map(reader, node, "link");
  if (const YamlNode* name = map.Required("name")) {
    link.name = reader.Name(*name).value_or("");
  }
  const YamlNode* between = map.Required("between");
  const std::optional<Duplex> duplex = ReadDuplex(map);
  link.duplex = duplex.value_or(Duplex::kFull);
  if (between != nullptr) {
    link.between = ReadEnds(reader, *between, nodes);
    if (link.between.size() > 2 && duplex == Duplex::kFull) {
      reader.Problem(*between, "a link of more than two nodes is a bus, expected `duplex: half`");
    }
  }
  if (const std::optional<LinkFigures> figures = ReadLinkFigures(map)) {
    link.bandwidth_bytes_per_s = figures->bandwidth_bytes_per_s;
    link.latency = figures->latency;
  }
  map.Finish();
  return link;
}

// The links of one list, added to those that the machine has.
class LinkList {
 public:
  LinkList(YamlReader& reader, MachineNodes& nodes, HardwareProfile& machine)
      : reader_(&reader), nodes_(&nodes), machine_(&machine) {
    for (const Link& link : machine.links) {
      static_cast<void>(AddName(link));
    }
  }

  void Read(const YamlNode& item) {
    if (item.Find("topology") == nullptr) {
      AddLinks(item, {ReadLink(*reader_, item, *nodes_)});
      return;
    }
    const std::size_t most = kMostLinks - std::min(kMostLinks, machine_->links.size());
    if (const auto entry = ReadTopology(*reader_, item, *nodes_, most)) {
      AddParts(item, ExpandTopology(*entry));
    } else {
      nodes_->MarkIncomplete();  // its switches are not known
    }
  }

  [[nodiscard]] LinkCounts counts() const {
    return {.num_links = machine_->links.size(), .num_ends = num_ends_};
  }

 private:
  // False if a link of that name is there.
  bool AddName(const Link& link) {
    num_ends_ += link.between.size();
    return link.name.empty() || names_.insert(link.name).second;
  }

  // Warns about the first of them that is odd: those of one entry are alike.
  void AddLinks(const YamlNode& item, const std::vector<Link>& links) {
    for (const Link& link : links) {
      if (!AddName(link)) {
        reader_->Problem(item, "two links are called \"" + ShownText(link.name) + "\"");
      } else if (link.name.size() > kLongestLinkName) {
        reader_->Problem(item, "the name \"" + ShownText(link.name) + "\" has more than 128 bytes");
      }
      machine_->links.push_back(link);
    }
    static_cast<void>(std::ranges::any_of(links, [&](const Link& link) {
      return link.bandwidth_bytes_per_s > 0.0 && WarnAboutLink(*reader_, item, link, *machine_);
    }));
  }

  void AddParts(const YamlNode& item, const TopologyParts& parts) {
    if (!nodes_->HasRoomForSwitches(*reader_, item, parts.switches.size())) {
      return;
    }
    for (const std::string& name : parts.switches) {
      nodes_->AddSwitch(*reader_, item, name);
    }
    AddLinks(item, parts.links);
  }

  YamlReader* reader_;
  MachineNodes* nodes_;
  HardwareProfile* machine_;
  std::set<std::string> names_;
  std::size_t num_ends_ = 0;
};

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

bool DifferByMoreThan(double factor, double a, double b) {
  return a > factor * b || b > factor * a;
}

// Warns about routes that the file gives for one direction, while the other takes far longer or is
// far wider. Measured directions differ a little.
void WarnAboutAsymmetry(YamlReader& reader,
                        const YamlNode& place,
                        const HardwareProfile& machine,
                        const RouteTable& routes) {
  constexpr double kFactor = 2.0;
  for (const ExplicitRoute& route : machine.routes) {
    const Route* there = routes.Find(route.from, route.to);
    const Route* back = routes.Find(route.to, route.from);
    if (there == nullptr || back == nullptr) {
      continue;
    }
    if (DifferByMoreThan(kFactor, there->bandwidth_bytes_per_s, back->bandwidth_bytes_per_s) ||
        DifferByMoreThan(kFactor, there->latency.seconds(), back->latency.seconds())) {
      reader.Warn(
          place,
          "the route from " + PairName(machine, route.from, route.to) +
              " differs from the way back in bandwidth or latency by more than a factor of 2");
      return;
    }
  }
}

}  // namespace

bool AreFewLinks(YamlReader& reader, const YamlNode& place, const LinkCounts& counts) {
  if (counts.num_links > kMostLinks) {
    reader.Problem(place, "the machine has more than " + std::to_string(kMostLinks) + " links");
    return false;
  }
  if (counts.num_ends > kMostEndpoints) {
    reader.Problem(place, "the links have more than " + std::to_string(kMostEndpoints) + " ends");
    return false;
  }
  return true;
}

void ReadLinks(YamlReader& reader,
               const YamlNode& node,
               MachineNodes& nodes,
               HardwareProfile& machine) {
  const std::vector<YamlNode>* items = reader.Items(node, "links");
  if (items == nullptr) {
    return;
  }
  LinkList links(reader, nodes, machine);
  for (const YamlNode& item : *items) {
    links.Read(item);
    if (!AreFewLinks(reader, node, links.counts())) {
      return;
    }
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
    const RouteTable routes(machine);
    ReportUnreachable(reader, place, machine, routes);
    WarnAboutAsymmetry(reader, place, machine, routes);
  } catch (const InputError& error) {
    reader.Problem(place, error.what());
  }
}

}  // namespace opyard::sim
