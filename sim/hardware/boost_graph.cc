#include "sim/hardware/boost_graph.h"

#include <limits>

namespace opyard::sim {
namespace {

constexpr double kProbeBytes = 1 << 20;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t Picoseconds(const Link& link) {
  const double seconds = kProbeBytes / link.bandwidth_bytes_per_s;
  if (!FitsInSimTime(seconds)) {
    return kMost;
  }
  const std::int64_t moving = SimTime::FromSeconds(seconds).picoseconds;
  return moving > kMost - link.latency.picoseconds ? kMost : moving + link.latency.picoseconds;
}

// The edges of all links, by link; `num_vertices` counts the buses that it adds.
std::vector<MachineEdge> EdgesByLink(const HardwareProfile& profile, std::int32_t& num_vertices) {
  std::vector<MachineEdge> edges;
  const auto join = [&edges](std::int32_t a, std::int32_t b, std::size_t link) {
    const auto index = static_cast<std::int32_t>(link);
    edges.push_back({.from = a, .to = b, .link = index});
    edges.push_back({.from = b, .to = a, .link = index});
  };
  for (std::size_t link = 0; link < profile.links.size(); ++link) {
    const std::vector<NodeIndex>& nodes = profile.links[link].between;
    if (nodes.size() == 2) {
      join(nodes[0], nodes[1], link);
      continue;
    }
    const std::int32_t bus = num_vertices++;
    for (const NodeIndex node : nodes) {
      join(node, bus, link);
    }
  }
  return edges;
}

}  // namespace

MachineGraph::MachineGraph(const HardwareProfile& profile)
    : num_devices_(static_cast<std::int32_t>(profile.devices.size())),
      num_nodes_(num_devices_ + static_cast<std::int32_t>(profile.switches.size())) {
  std::int32_t num_vertices = num_nodes_;
  const std::vector<MachineEdge> by_link = EdgesByLink(profile, num_vertices);
  first_.resize(static_cast<std::size_t>(num_vertices) + 1);
  for (const MachineEdge& edge : by_link) {
    ++first_[static_cast<std::size_t>(edge.from) + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) {
    first_[i] += first_[i - 1];
  }
  std::vector<std::ptrdiff_t> next = first_;
  edges_.resize(by_link.size());
  for (const MachineEdge& edge : by_link) {
    edges_[static_cast<std::size_t>(next[static_cast<std::size_t>(edge.from)]++)] = edge;
  }
  picoseconds_.reserve(profile.links.size());
  for (const Link& link : profile.links) {
    picoseconds_.push_back(Picoseconds(link));
  }
}

}  // namespace opyard::sim
