#include "sim/hardware/routes.h"

#include <algorithm>
#include <limits>
#include <map>

#include "sim/base/error.h"
#include "sim/hardware/boost_graph.h"
#include "sim/hardware/cheapest_paths.h"

namespace opyard::sim {
namespace {

const Link& LinkOf(const HardwareProfile& profile, std::int32_t index) {
  return profile.links[static_cast<std::size_t>(index)];
}

LinkDirection DirectionFrom(const HardwareProfile& profile, std::int32_t link, NodeIndex from) {
  const Link& travelled = LinkOf(profile, link);
  return {.link = link,
          .is_reversed = travelled.duplex == Duplex::kFull && travelled.between[0] != from};
}

// Nodes that hops so far can lead to, each with the node before it.
using Frontier = std::map<NodeIndex, NodeIndex>;

// Where `link` leads from any node of `here` that may forward: switches, and the start.
Frontier Cross(const HardwareProfile& profile,
               const Frontier& here,
               std::int32_t link,
               bool is_first) {
  const std::vector<NodeIndex>& nodes = LinkOf(profile, link).between;
  Frontier next;
  for (const NodeIndex from : nodes) {
    const bool forwards = is_first || static_cast<std::size_t>(from) >= profile.devices.size();
    if (!here.contains(from) || !forwards) {
      continue;
    }
    for (const NodeIndex to : nodes) {
      if (to != from) {
        next.emplace(to, from);
      }
    }
    if (next.size() == nodes.size()) {
      break;  // every node of the link has an origin
    }
  }
  return next;
}

// The ends of a route, for messages.
struct RouteEnds {
  const HardwareProfile& profile;
  DeviceId from;
  DeviceId to;

  [[noreturn]] void Refuse(const std::string& why) const {
    throw InputError("machine \"" + profile.name + "\": route from " +
                     profile.devices[from.index()].name + " to " +
                     profile.devices[to.index()].name + ": " + why);
  }
};

// Fills in what follows from the hops.
Route MakeRoute(const RouteEnds& ends, std::vector<LinkDirection> hops) {
  if (hops.size() > kMostHops) {
    ends.Refuse("it takes more than " + std::to_string(kMostHops) + " links");
  }
  Route route;
  route.bandwidth_bytes_per_s = std::numeric_limits<double>::max();
  for (const LinkDirection hop : hops) {
    const Link& link = LinkOf(ends.profile, hop.link);
    route.latency += link.latency;
    if (!FitsInSimTime(route.latency.seconds())) {
      ends.Refuse("the latencies of its links add up to more than 53 days");
    }
    route.bandwidth_bytes_per_s = std::min(route.bandwidth_bytes_per_s, link.bandwidth_bytes_per_s);
  }
  route.hops = std::move(hops);
  return route;
}

}  // namespace

std::optional<std::vector<LinkDirection>> FollowLinks(const HardwareProfile& profile,
                                                      const ExplicitRoute& route) {
  std::vector<Frontier> frontiers = {{{route.from.value, -1}}};
  for (std::size_t i = 0; i < route.links.size(); ++i) {
    frontiers.push_back(Cross(profile, frontiers.back(), route.links[i], i == 0));
  }
  if (route.links.empty() || !frontiers.back().contains(route.to.value)) {
    return std::nullopt;
  }
  std::vector<LinkDirection> hops(route.links.size());
  NodeIndex node = route.to.value;
  for (std::size_t i = hops.size(); i-- > 0;) {
    node = frontiers[i + 1].at(node);
    hops[i] = DirectionFrom(profile, route.links[i], node);
  }
  return hops;
}

RouteTable::RouteTable(const HardwareProfile& profile)
    : num_devices_(profile.num_devices()), routes_(num_devices_ * num_devices_) {
  const MachineGraph graph(profile);
  for (std::size_t src = 0; src < num_devices_; ++src) {
    AddCheapestRoutes(profile, graph, DeviceId(src));
  }
  for (const ExplicitRoute& route : profile.routes) {
    AddExplicitRoute(profile, route);
  }
}

void RouteTable::AddCheapestRoutes(const HardwareProfile& profile,
                                   const MachineGraph& graph,
                                   DeviceId src) {
  const std::vector<PathStep> steps = CheapestPaths(graph, src);
  for (std::size_t dst = 0; dst < num_devices_; ++dst) {
    std::vector<LinkDirection> hops;
    for (PathStep step = steps[dst]; step.from >= 0;
         step = steps[static_cast<std::size_t>(step.from)]) {
      hops.push_back(DirectionFrom(profile, step.link, step.from));
    }
    if (hops.empty()) {
      continue;  // the start itself, or out of reach
    }
    std::ranges::reverse(hops);
    routes_[Slot(src, DeviceId(dst))] = MakeRoute({profile, src, DeviceId(dst)}, std::move(hops));
  }
}

void RouteTable::AddExplicitRoute(const HardwareProfile& profile,
                                  const ExplicitRoute& explicit_route) {
  const RouteEnds ends = {profile, explicit_route.from, explicit_route.to};
  std::optional<std::vector<LinkDirection>> hops = FollowLinks(profile, explicit_route);
  if (!hops || explicit_route.from == explicit_route.to) {
    ends.Refuse("its links do not lead there through switches");
  }
  Route route = MakeRoute(ends, *std::move(hops));
  route.latency = explicit_route.latency.value_or(route.latency);
  routes_[Slot(explicit_route.from, explicit_route.to)] = std::move(route);
}

const Route* RouteTable::Find(DeviceId src, DeviceId dst) const {
  const std::optional<Route>& route = routes_[Slot(src, dst)];
  return route ? &*route : nullptr;
}

}  // namespace opyard::sim
